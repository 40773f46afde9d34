//! The schema registry: the tools a model is offered.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{Schema, SchemaError};

/// One tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tool {
    /// The name a model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: Option<String>,
    /// The JSON Schema of its arguments: an object schema.
    pub parameters: Schema,
    /// What a call may change.
    pub effect: Effect,
    /// OpenAI's `strict`, where it was given.
    pub strict: Option<bool>,
    /// How its parameters were declared, and are written again.
    declared: Declared,
}

/// How the parameters of a tool were declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    /// By a schema.
    Schema,
    /// By `{}`.
    Empty,
    /// Not at all.
    Nothing,
}

/// What a call of a tool may change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It only looks.
    Read,
    /// It may change something: what is assumed where nothing is said.
    #[default]
    Write,
}

/// The schema of a tool that takes nothing.
const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;

impl Tool {
    /// A tool whose arguments follow the JSON Schema `parameters`, given as
    /// text. `{}` and white space stand for a tool without parameters.
    ///
    /// # Errors
    ///
    /// When the name is empty or the schema is not that of an object. The error
    /// names the tool.
    pub fn new(name: impl Into<String>, parameters: &str) -> Result<Self, ToolsetError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(Problem::EmptyName.into());
        }
        let declared = declared(parameters);
        let parameters = match declared {
            Declared::Schema => parameters,
            Declared::Empty | Declared::Nothing => NO_PARAMETERS,
        };
        let parameters = match Schema::parse(parameters) {
            Ok(schema) if schema.root().is_object() => schema,
            Ok(_) => return Err(Problem::NotAnObject { name }.into()),
            Err(error) => return Err(Problem::Schema { name, error }.into()),
        };
        Ok(Tool {
            name,
            description: None,
            parameters,
            effect: Effect::Write,
            strict: None,
            declared,
        })
    }

    /// The same tool with a description.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same tool with another effect.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }
}

fn declared(parameters: &str) -> Declared {
    let mut chars = parameters.chars().filter(|char| !char.is_whitespace());
    match (chars.next(), chars.next(), chars.next()) {
        (None, ..) => Declared::Nothing,
        (Some('{'), Some('}'), None) => Declared::Empty,
        _ => Declared::Schema,
    }
}

/// The tools a model is offered, in order. Compiled once; cloning shares it.
#[derive(Debug, Clone, Default)]
pub struct Toolset(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    tools: Vec<Tool>,
    index: BTreeMap<String, usize>,
}

impl Toolset {
    /// A toolset of `tools`.
    ///
    /// # Errors
    ///
    /// When two tools share a name.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Self, ToolsetError> {
        let mut inner = Inner::default();
        for tool in tools {
            if inner.index.insert(tool.name.clone(), inner.tools.len()).is_some() {
                return Err(Problem::Duplicate { name: tool.name }.into());
            }
            inner.tools.push(tool);
        }
        Ok(Toolset(Arc::new(inner)))
    }

    /// The tools of OpenAI's `tools` JSON: a list of functions, each by itself
    /// or inside `{"type": "function", "function": …}`.
    ///
    /// # Errors
    ///
    /// When the text is not such a list, with line and column; when a tool is
    /// unsound, with its name.
    pub fn from_openai(json: &str) -> Result<Self, ToolsetError> {
        let wires: Vec<Wire<'_>> =
            serde_json::from_str(json).map_err(|error| ToolsetError::from(Problem::Json(error)))?;
        let tools = wires.into_iter().map(Wire::into_tool).collect::<Result<Vec<_>, _>>()?;
        Toolset::new(tools)
    }

    /// The same tools as OpenAI's `tools` JSON, compact, always the same bytes
    /// for the same tools. Schemas are written as they were given.
    pub fn to_openai(&self) -> String {
        let mut out = String::from("[");
        for (index, tool) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(r#"{"type":"function","function":{"name":"#);
            crate::json::quote_into(&tool.name, &mut out);
            if let Some(description) = &tool.description {
                out.push_str(r#","description":"#);
                crate::json::quote_into(description, &mut out);
            }
            match tool.declared {
                Declared::Schema => {
                    out.push_str(r#","parameters":"#);
                    out.push_str(tool.parameters.as_str());
                }
                Declared::Empty => out.push_str(r#","parameters":{}"#),
                Declared::Nothing => {}
            }
            if let Some(strict) = tool.strict {
                out.push_str(if strict { r#","strict":true"# } else { r#","strict":false"# });
            }
            out.push_str("}}");
        }
        out.push(']');
        out
    }

    /// The tool of this exact name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.position(name).map(|at| &self.0.tools[at])
    }

    /// The place of the tool of this exact name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.index.get(name).copied()
    }
}

impl Deref for Toolset {
    type Target = [Tool];

    fn deref(&self) -> &[Tool] {
        &self.0.tools
    }
}

/// One entry of OpenAI's list, in either spelling. The schema stays text, so
/// that the order of its keys and the spelling of its numbers stay too.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    function: Option<Box<Wire<'a>>>,
    name: Option<String>,
    description: Option<String>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    strict: Option<bool>,
}

impl Wire<'_> {
    fn into_tool(self) -> Result<Tool, ToolsetError> {
        let wire = match self.function {
            Some(function) => *function,
            None => self,
        };
        let mut tool =
            Tool::new(wire.name.unwrap_or_default(), wire.parameters.map_or("", RawValue::get))?;
        tool.description = wire.description;
        tool.strict = wire.strict;
        Ok(tool)
    }
}

/// Why tools are no toolset.
#[derive(Debug)]
pub struct ToolsetError(Box<Problem>);

#[derive(Debug)]
enum Problem {
    Json(serde_json::Error),
    EmptyName,
    Duplicate { name: String },
    NotAnObject { name: String },
    Schema { name: String, error: SchemaError },
}

impl ToolsetError {
    /// The tool at fault, if it has a name.
    pub fn tool(&self) -> Option<&str> {
        match &*self.0 {
            Problem::Json(_) | Problem::EmptyName => None,
            Problem::Duplicate { name }
            | Problem::NotAnObject { name }
            | Problem::Schema { name, .. } => Some(name),
        }
    }

    /// Line and column, both from 1, where the JSON is at fault.
    pub fn place(&self) -> Option<(usize, usize)> {
        match &*self.0 {
            Problem::Json(error) => Some((error.line(), error.column())),
            _ => None,
        }
    }
}

impl From<Problem> for ToolsetError {
    fn from(problem: Problem) -> Self {
        ToolsetError(Box::new(problem))
    }
}

impl fmt::Display for ToolsetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Problem::Json(error) => write!(f, "not a list of tools: {error}"),
            Problem::EmptyName => f.write_str("a tool has no name"),
            Problem::Duplicate { name } => write!(f, "two tools are called `{name}`"),
            Problem::NotAnObject { name } => {
                write!(f, "tool `{name}`: its parameters are no object schema")
            }
            Problem::Schema { name, error } => write!(f, "tool `{name}`: {error}"),
        }
    }
}

impl std::error::Error for ToolsetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Problem::Json(error) => Some(error),
            Problem::Schema { error, .. } => Some(error),
            _ => None,
        }
    }
}
