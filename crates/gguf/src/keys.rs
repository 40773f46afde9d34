//! The names of the keys that say how a model is talked to.

/// The architecture, such as `llama`.
pub const ARCHITECTURE: &str = "general.architecture";
/// The name of the model, for people.
pub const NAME: &str = "general.name";
/// The chat template.
pub const CHAT_TEMPLATE: &str = "tokenizer.chat_template";
/// What a named chat template's key begins with; its name follows.
pub const NAMED_CHAT_TEMPLATE: &str = "tokenizer.chat_template.";
/// The texts of all tokens, by their ids.
pub const TOKENS: &str = "tokenizer.ggml.tokens";
/// Whether the beginning-of-sequence token goes in front of every prompt.
pub const ADD_BOS: &str = "tokenizer.ggml.add_bos_token";
/// Whether the end-of-sequence token goes behind every prompt.
pub const ADD_EOS: &str = "tokenizer.ggml.add_eos_token";

/// Whether prompts depend on a key: it says what the model is, or belongs to
/// its chat templates, its special tokens or the texts of its tokens.
///
/// What is left out are the hyperparameters and the large rest of the
/// tokenizer: merges, scores, kinds.
pub fn for_prompts(key: &str) -> bool {
    let special = || {
        let of_tokenizer = key.strip_prefix("tokenizer.ggml.");
        of_tokenizer.is_some_and(|key| key.ends_with("_token_id") || key.starts_with("add_"))
    };
    key == CHAT_TEMPLATE
        || key == TOKENS
        || key.starts_with("general.")
        || key.starts_with(NAMED_CHAT_TEMPLATE)
        || special()
}
