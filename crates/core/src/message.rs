//! The history of a conversation, in the shape of OpenAI's chat messages.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Arguments, ToolCall};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The one who set the model up.
    #[serde(alias = "developer")]
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool, with a result.
    Tool,
}

/// One message of a conversation.
///
/// Its JSON is that of OpenAI's chat completions; arguments of calls are read
/// as a JSON string or as an object and written as a string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    #[serde(default, deserialize_with = "null_is_default")]
    pub content: String,
    /// The reasoning before it.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "reasoning")]
    pub reasoning_content: Option<String>,
    /// The calls of an assistant's message.
    #[serde(
        default,
        rename = "tool_calls",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_calls",
        serialize_with = "write_calls"
    )]
    pub calls: Vec<ToolCall>,
    /// The id of the call that a tool's message answers.
    #[serde(default, rename = "tool_call_id", skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The name of the tool that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Message {
    /// A message that says `content`.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Message {
            role,
            content: content.into(),
            reasoning_content: None,
            calls: Vec::new(),
            call_id: None,
            name: None,
        }
    }
}

fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Serialize, Deserialize)]
struct WireCall {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(rename = "type", default = "function")]
    kind: String,
    function: WireFunction,
}

#[derive(Serialize, Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default = "no_arguments")]
    arguments: Box<serde_json::value::RawValue>,
}

fn function() -> String {
    "function".to_owned()
}

fn no_arguments() -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::NULL.to_owned()
}

fn read_calls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolCall>, D::Error> {
    let calls = Option::<Vec<WireCall>>::deserialize(deserializer)?.unwrap_or_default();
    calls
        .into_iter()
        .map(|call| {
            let written = call.function.arguments.get();
            let decoded: Option<String> = serde_json::from_str(written).ok();
            let arguments = match decoded.as_deref().unwrap_or(written).trim() {
                "" | "null" => Arguments::default(),
                text => Arguments::from_json(text).map_err(serde::de::Error::custom)?,
            };
            let mut tool_call = ToolCall::new(call.function.name, arguments);
            tool_call.id = call.id;
            Ok(tool_call)
        })
        .collect()
}

fn write_calls<S: Serializer>(calls: &[ToolCall], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Call<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        #[serde(rename = "type")]
        kind: &'static str,
        function: Function<'a>,
    }
    #[derive(Serialize)]
    struct Function<'a> {
        name: &'a str,
        arguments: &'a str,
    }
    serializer.collect_seq(calls.iter().map(|call| Call {
        id: call.id.as_deref(),
        kind: "function",
        function: Function { name: &call.name, arguments: call.arguments.as_str() },
    }))
}
