//! A tool call and its arguments.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{Provenance, json};

/// One call of a tool, as a model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id the model or the provider gave it. Parsers never make one up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool, as written. It need not be a declared one.
    pub name: String,
    /// What it is called with.
    pub arguments: Arguments,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Provenance::is_native")]
    pub provenance: Provenance,
}

impl ToolCall {
    /// A call without an id.
    pub fn new(name: impl Into<String>, arguments: Arguments) -> Self {
        ToolCall { id: None, name: name.into(), arguments, provenance: Provenance::Native }
    }
}

/// The arguments of a call: the text of one JSON object.
///
/// The text keeps what a parsed value would lose: the spelling and size of
/// numbers, the order of keys, duplicate keys. What to make of those is the
/// consumer's choice: [`Arguments::parse`] and [`Arguments::canonical`] let the
/// last duplicate win.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Arguments(String);

/// Why a text is no arguments, or does not fit a type.
#[derive(Debug)]
pub struct ArgumentsError(serde_json::Error);

impl std::fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "arguments: {}", self.0)
    }
}

impl std::error::Error for ArgumentsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl Arguments {
    /// Arguments from JSON text, which is kept as it is.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON object.
    pub fn from_json(text: impl Into<String>) -> Result<Self, ArgumentsError> {
        let text = text.into();
        if json::is_object(&text) {
            return Ok(Arguments(text));
        }
        let error = match serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text)
        {
            Err(error) => error,
            Ok(_) => serde::de::Error::custom("not one JSON object"),
        };
        Err(ArgumentsError(error))
    }

    /// Arguments from text that a scanner has already walked.
    pub(crate) fn from_scanned(text: String) -> Self {
        Arguments(text)
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The JSON text, owned.
    pub fn into_string(self) -> String {
        self.0
    }

    /// The arguments as a value of your type.
    ///
    /// # Errors
    ///
    /// When they do not fit it.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ArgumentsError> {
        serde_json::from_str(&self.0).map_err(ArgumentsError)
    }

    /// The top-level keys and values in written order, duplicates included.
    /// Keys are decoded, values are JSON text.
    pub fn entries(&self) -> impl Iterator<Item = (String, &str)> {
        json::entries(&self.0)
    }

    /// The same arguments without insignificant white space and with strings
    /// escaped in one way. Order, duplicates and number spelling stay.
    pub fn compact(&self) -> String {
        json::compact(&self.0)
    }

    /// The same arguments in one form for every equal value: compact, keys
    /// sorted at every depth, the last of duplicate keys alone.
    pub fn canonical(&self) -> String {
        json::canonical(&self.0)
    }
}

impl Default for Arguments {
    /// No arguments: `{}`.
    fn default() -> Self {
        Arguments("{}".to_owned())
    }
}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw: Box<RawValue> = Deserialize::deserialize(deserializer)?;
        Arguments::from_json(raw.get()).map_err(serde::de::Error::custom)
    }
}
