//! What a template does, found by rendering it.

use crate::conversation::Forms;
use crate::ChatTemplate;

/// What a template does.
#[derive(Debug)]
pub struct Probes {
    /// Arguments.
    pub arguments: crate::ArgumentsForm,
    /// Content.
    pub content: crate::ContentForm,
}

pub(crate) fn forms(_template: &ChatTemplate) -> Forms {
    Forms::default()
}

pub(crate) fn probe(_template: &ChatTemplate, forms: Forms) -> Probes {
    Probes { arguments: forms.arguments, content: forms.content }
}
