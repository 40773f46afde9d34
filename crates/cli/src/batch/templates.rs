//! The chat templates that the cases of a batch name.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use callsign::template::{After, Conversation, Model, Thinking};
use callsign::{Dialect, Toolset};
use serde_json::value::RawValue;

use super::Case;
use crate::input::Known;
use crate::template;

/// The templates that have been named so far, each read once.
pub(super) struct Templates<'k> {
    pub(super) known: &'k Known,
    folder: Option<PathBuf>,
    models: HashMap<String, Result<Model, String>>,
}

/// What a template makes of a case.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) dialect: Option<Arc<dyn Dialect>>,
    /// The prompt, if the case has messages.
    pub(super) prompt: Option<String>,
    /// What the prompt ends with.
    pub(super) opening: Option<String>,
}

impl<'k> Templates<'k> {
    pub(super) fn new(known: &'k Known, folder: Option<&Path>) -> Self {
        Templates { known, folder: folder.map(Path::to_owned), models: HashMap::new() }
    }

    /// The dialect of a template and the prompt it makes of a case.
    pub(super) fn render(
        &mut self,
        name: &str,
        case: &Case<'_>,
        tools: &Toolset,
    ) -> Result<Rendered, String> {
        let Model { template, detection } = self.model(name)?;
        let dialect = Some(Arc::clone(&detection.chosen.dialect));
        let Some(messages) = &case.messages else {
            let opening = template.probes().generation(After::User, Thinking::Default);
            let opening = opening.map(|opening| opening.text.clone());
            return Ok(Rendered { dialect, prompt: None, opening });
        };
        let clock = match &case.now {
            Some(now) => now.parse().map_err(|error| format!("`now`: {error}"))?,
            None => template::now(),
        };
        let kwargs = case.kwargs.map_or("{}", RawValue::get);
        let conversation = Conversation::new(messages)
            .tools(tools)
            .clock(clock)
            .kwargs(kwargs)
            .map_err(|error| format!("`kwargs`: {error}"))?;
        let prompt = template.render(&conversation).map_err(|error| error.to_string())?;
        let opening = template.opening(&conversation).map_err(|error| error.to_string())?;
        Ok(Rendered { dialect, prompt: Some(prompt), opening: Some(opening) })
    }

    fn model(&mut self, name: &str) -> Result<&Model, String> {
        let (known, folder) = (self.known, &self.folder);
        let model = self.models.entry(name.to_owned()).or_insert_with(|| {
            let folder = folder.as_ref().ok_or("`template`: give its folder with `--templates`")?;
            let name = Path::new(name);
            if !name.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err("`template` names no file in the folder of templates".to_owned());
            }
            let path = folder.join(name);
            let template = template::open(&path).map_err(|error| error.to_string())?;
            let detection =
                template::detect(known, &path, &template).map_err(|error| error.to_string())?;
            Ok(Model { template, detection })
        });
        model.as_ref().map_err(String::clone)
    }
}
