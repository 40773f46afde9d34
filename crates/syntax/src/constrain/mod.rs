//! From a description to the grammar of a turn: reasoning, then text, then
//! calls as the tool choice says.

mod texts;
mod values;

use callsign_core::{
    Constraint, Kinds, Node, Offer, Start, Tool, ToolChoice, Type, Unconstrained, Unenforced,
    arguments_schema, json, json_schema_unenforced, property_schema,
};

use self::texts::{all_texts, blanks, edge, first_text, framed_edge, key_ends, openings};
use self::values::Style;
use crate::description::{
    Body, Calls, Codec, Container, Description, Each, Frame, Outside, Part, Place, Region,
    TypeWords, Value, Wrap,
};
use crate::write::type_word;

/// String keywords that free text between tags does not obey.
const STRING_KEYWORDS: [&str; 4] = ["pattern", "format", "minLength", "maxLength"];

pub(crate) fn constrain(
    description: &Description,
    offer: &Offer<'_>,
) -> Result<Constraint, Unconstrained> {
    let tools: Vec<&Tool> = match offer.choice {
        ToolChoice::None => Vec::new(),
        ToolChoice::Named(name) => match offer.tools.get(name) {
            Some(tool) => vec![tool],
            None => return Err(Unconstrained::UnknownTool { name: name.clone() }),
        },
        _ => offer.tools.iter().collect(),
    };
    let (min, max) = match offer.choice {
        ToolChoice::Named(_) => (1, Some(1)),
        ToolChoice::Required => (1, None),
        _ => (0, None),
    };
    if min > 0 && tools.is_empty() {
        return Err(Unconstrained::NoTools);
    }
    let mut grammar = Grammar { description, unenforced: Vec::new() };
    let calls = match tools.is_empty() {
        true => None,
        false => Some(grammar.calls(&tools, min, max)?),
    };
    let reasoning = grammar.reasoning(offer.start);
    let root = match (description.outside, grammar.place()) {
        (Outside::Framing, _) => grammar.messages(reasoning, calls, min),
        (Outside::Text, Place::WholeTurn) => {
            let mut choices = Vec::new();
            if min == 0 {
                choices.push(grammar.other_text());
            }
            choices.extend(calls);
            Node::Choice(choices)
        }
        (Outside::Text, Place::Anywhere) => {
            let text = Node::free(grammar.markers());
            Node::Seq(reasoning.into_iter().chain([text]).chain(calls).collect())
        }
    };
    let mut constraint = Constraint::new(root);
    constraint.unenforced = grammar.unenforced;
    Ok(constraint)
}

struct Grammar<'d> {
    description: &'d Description,
    unenforced: Vec<Unenforced>,
}

impl Grammar<'_> {
    fn regions(&self, wanted: impl Fn(&Body) -> bool) -> impl Iterator<Item = &Region> {
        self.description.regions.iter().filter(move |region| wanted(&region.body))
    }

    /// Where the calls that are written may stand.
    fn place(&self) -> Place {
        self.description
            .regions
            .iter()
            .find_map(|region| match &region.body {
                Body::Calls(calls) => Some(calls.place),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Text that cannot be taken for calls: it begins with something else.
    fn other_text(&self) -> Node {
        let mut firsts: Vec<char> =
            self.markers().iter().filter_map(|marker| marker.chars().next()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let mut first = String::from("[^\\s");
        for char in firsts {
            if matches!(char, '[' | ']' | '^' | '\\' | '-') {
                first.push('\\');
            }
            first.push(char);
        }
        first.push(']');
        let text = Node::Seq(vec![Node::Pattern(first), Node::free(self.markers_anywhere())]);
        text.optional()
    }

    /// What must not occur in text even where calls are the whole turn or none.
    fn markers_anywhere(&self) -> Vec<String> {
        let mut markers = self.description.stops.clone();
        for region in &self.description.regions {
            match &region.body {
                Body::Calls(calls) if calls.place == Place::WholeTurn => {}
                _ => markers.extend(openings(region)),
            }
        }
        markers
    }

    /// A turn of messages: reasoning and text, then calls or more text.
    fn messages(&self, reasoning: Option<Node>, calls: Option<Node>, min: u32) -> Node {
        let content = self.regions(|body| *body == Body::Content).next();
        let mut parts: Vec<Node> = reasoning.into_iter().collect();
        let mut last: Vec<Node> = Vec::new();
        if let Some(region) = content {
            let inside = Node::free([all_texts(&region.close), self.markers()].concat());
            let open = framed_edge(&region.open);
            let closed = Node::Seq(vec![open.clone(), inside.clone(), edge(&region.close)]);
            parts.push(closed.optional());
            // The last message may end with the turn.
            last.push(Node::Seq(vec![open, inside]).optional());
        }
        match calls {
            Some(calls) if min > 0 => parts.push(calls),
            Some(calls) => {
                last.push(calls);
                parts.push(Node::Choice(last));
            }
            None => parts.push(Node::Choice(last)),
        }
        Node::Seq(parts)
    }

    /// Reasoning as the turn begins: open already, or the model's to open.
    fn reasoning(&self, start: Start<'_>) -> Option<Node> {
        let region = self.regions(|body| *body == Body::Reasoning).next()?;
        let mut without = all_texts(&region.close);
        if self.description.outside == Outside::Framing {
            without.extend(self.markers());
        }
        let inside = Node::Seq(vec![Node::free(without), edge(&region.close)]);
        let whole = Node::Seq(vec![framed_edge(&region.open), inside.clone()]);
        match start {
            Start::Reasoning => Some(inside),
            Start::PromptTail(tail) => {
                let at = |parts: &[Part]| first_text(parts).and_then(|text| tail.rfind(&*text));
                match (at(&region.open), at(&region.close)) {
                    (open @ Some(_), close) if open > close => Some(inside),
                    (None, None) => Some(whole.optional()),
                    // The prompt has closed it: there is none.
                    _ => None,
                }
            }
            _ => Some(whole.optional()),
        }
    }

    /// What must not occur in text: it would open something.
    fn markers(&self) -> Vec<String> {
        let mut markers = Vec::new();
        for region in &self.description.regions {
            markers.extend(openings(region));
            if region.body == Body::Reasoning {
                markers.extend(all_texts(&region.close));
            }
        }
        markers.extend(self.description.stops.iter().cloned());
        markers.sort_unstable();
        markers.dedup();
        markers
    }

    fn calls(
        &mut self,
        tools: &[&Tool],
        min: u32,
        max: Option<u32>,
    ) -> Result<Node, Unconstrained> {
        let description = self.description;
        let region = description.regions.iter().find_map(|region| match &region.body {
            Body::Calls(calls) => Some((region, calls)),
            _ => None,
        });
        let Some((region, calls)) = region else {
            return Err(Unconstrained::Unsupported { what: "calls".to_owned() });
        };
        let form = calls.forms.first().map_or(&[][..], Vec::as_slice);
        let call = tools
            .iter()
            .map(|tool| self.call(form, tool))
            .collect::<Result<Vec<_>, _>>()
            .map(Node::Choice)?;
        Ok(repeat(region, calls, call, min, max))
    }

    fn call(&mut self, form: &[Part], tool: &Tool) -> Result<Node, Unconstrained> {
        let mut parts = Vec::new();
        for (at, part) in form.iter().enumerate() {
            match part {
                // It may also stand between two arguments.
                Part::Space(space)
                    if !space.is_empty()
                        && at > 0
                        && matches!(form[at - 1], Part::Arguments(Container::Each(_))) =>
                {
                    parts.push(blanks(space));
                }
                Part::Name => parts.push(Node::text(&tool.name)),
                Part::Id(inside) => parts.push(self.call(inside, tool)?),
                Part::Word => parts.push(Node::Pattern("[a-zA-Z0-9]{9}".to_owned())),
                Part::Index(_) => parts.push(Node::Pattern("0|[1-9][0-9]{0,3}".to_owned())),
                Part::Object(object) => {
                    let mut head = format!("{{\"{}\": ", object.name[0]);
                    json::quote_into(&tool.name, &mut head);
                    head.push_str(&format!(", \"{}\": ", object.arguments[0]));
                    parts.push(Node::text(head));
                    parts.push(self.arguments(tool));
                    if let Some(id) = &object.id {
                        let id = [
                            Node::text(format!(", \"{id}\": \"")),
                            Node::Pattern("[a-zA-Z0-9]{9}".to_owned()),
                            Node::text("\""),
                        ];
                        parts.push(Node::Seq(id.into()).optional());
                    }
                    parts.push(Node::text("}"));
                }
                Part::Arguments(Container::Json) => parts.push(self.arguments(tool)),
                Part::Arguments(Container::Each(each)) => parts.push(self.each(each, tool)?),
                Part::Arguments(Container::Python) => parts.push(self.python(tool)?),
                Part::Arguments(Container::Braces(braces)) => {
                    parts.push(self.values(tool, Style::Braces(braces)));
                }
                Part::Arguments(Container::Elements(elements)) => {
                    parts.push(self.values(tool, Style::Elements(elements)));
                }
                Part::Arguments(Container::Rest { .. }) => {
                    parts.push(Node::free(self.description.stops.clone()));
                }
                Part::Maybe { parts: inside, written: false }
                    if self.description.outside == Outside::Framing =>
                {
                    parts.push(self.call(inside, tool)?.optional());
                }
                Part::Maybe { parts: inside, written: true } => {
                    parts.push(self.call(inside, tool)?);
                }
                Part::OneOf(all) => {
                    parts.push(self.call(all.first().map_or(&[], Vec::as_slice), tool)?);
                }
                fixed => parts.push(edge(std::slice::from_ref(fixed))),
            }
        }
        Ok(Node::Seq(parts))
    }

    /// Arguments as one JSON object.
    fn arguments(&mut self, tool: &Tool) -> Node {
        self.note_unenforced(tool);
        Node::Json(arguments_schema(tool.parameters.as_str()))
    }

    /// Notes what no grammar enforces of a tool's schema.
    fn note_unenforced(&mut self, tool: &Tool) {
        for (path, keyword) in json_schema_unenforced(tool.parameters.as_str()) {
            self.unenforced.push(Unenforced { tool: tool.name.clone(), path, keyword });
        }
    }

    /// One argument as JSON.
    fn json_property(&mut self, tool: &Tool, key: &str) -> Node {
        let schema = property_schema(tool.parameters.as_str(), key).unwrap_or_default();
        for (path, keyword) in json_schema_unenforced(&schema) {
            let path = format!("{}{path}", property_path(key));
            self.unenforced.push(Unenforced { tool: tool.name.clone(), path, keyword });
        }
        Node::Json(schema)
    }

    /// Arguments between tags, in the order of the schema.
    fn each(&mut self, each: &Each, tool: &Tool) -> Result<Node, Unconstrained> {
        let root = tool.parameters.root();
        let mut items = Vec::new();
        for (key, kind) in root.properties() {
            let needed = root.required(key);
            if key_ends(&each.item).is_some_and(|end| key.contains(end)) {
                if needed {
                    let what = format!("the key `{key}` of `{}`", tool.name);
                    return Err(Unconstrained::Unsupported { what });
                }
                continue;
            }
            items.push((self.item(each, tool, key, kind), needed));
        }
        Ok(values::listed(items, &each.between))
    }

    fn item(&mut self, each: &Each, tool: &Tool, key: &str, kind: Type<'_>) -> Node {
        let stated = each.item.iter().find_map(|part| match part {
            Part::Type(words) => Some(words),
            _ => None,
        });
        if let Some(words) = stated {
            return self.stated_item(each, words, tool, key, kind);
        }
        let mut parts = Vec::new();
        let before = first_text(&each.item).unwrap_or_default();
        let mut rest = each.item.as_slice();
        while let [part, after @ ..] = rest {
            rest = after;
            match part {
                Part::Key => parts.push(Node::text(key)),
                Part::Value(value) => {
                    let close = first_text(after).unwrap_or_default();
                    let mut value = self.value(value, tool, key, kind, [close, before.clone()]);
                    parts.append(&mut value);
                }
                fixed => parts.push(edge(std::slice::from_ref(fixed))),
            }
        }
        Node::Seq(parts)
    }

    /// An argument whose tag states its type: every value under its own word.
    fn stated_item(
        &mut self,
        each: &Each,
        words: &TypeWords,
        tool: &Tool,
        key: &str,
        kind: Type<'_>,
    ) -> Node {
        let value_at = each.item.iter().position(|part| matches!(part, Part::Value(_)));
        let after = value_at.map_or(&[][..], |at| &each.item[at + 1..]);
        let without = [first_text(after), first_text(&each.item)];
        let text = Node::free(without.into_iter().flatten());
        let mut values: Vec<(&str, Node)> = Vec::new();
        if let Some(choices) = kind.choices() {
            let stated = |choice: &'_ str| type_word(words, json::kind(choice));
            values.extend(
                choices.iter().map(|choice| (stated(choice), Node::text(spelling(choice)))),
            );
        } else {
            let kinds = if kind.is_unspecified() { Kinds::ALL } else { kind.kinds() };
            let of =
                |kinds: Kinds| JSON_KINDS.iter().filter(move |(known, ..)| kinds.contains(*known));
            let single = of(kinds).count() == 1;
            if kinds.contains(Kinds::STRING) {
                values.push((type_word(words, Some(json::Kind::String)), text));
            }
            let schema = property_schema(tool.parameters.as_str(), key).unwrap_or_default();
            let branches = other_branches(&schema);
            for (_, json_kind, name) in of(kinds) {
                let name = match *json_kind == json::Kind::Number && !kinds.contains(Kinds::NUMBER)
                {
                    true => "integer",
                    false => name,
                };
                let plain = format!(r#"{{"type":"{name}"}}"#);
                // The schema itself where there is but one kind, else its branch
                // of the kind.
                let node = match single && !kinds.contains(Kinds::STRING) {
                    true => self.json_property(tool, key),
                    false => {
                        let branch = branches.iter().find(|branch| branch.contains(name));
                        Node::Json(branch.cloned().unwrap_or(plain))
                    }
                };
                values.push((type_word(words, Some(*json_kind)), node));
            }
        }
        let item = |(word, value): (&str, Node)| {
            let nodes = each.item.iter().map(|part| match part {
                Part::Key => Node::text(key),
                Part::Type(_) => Node::text(word),
                Part::Value(_) => value.clone(),
                fixed => edge(std::slice::from_ref(fixed)),
            });
            Node::Seq(nodes.collect())
        };
        Node::Choice(values.into_iter().map(item).collect())
    }

    fn value(
        &mut self,
        value: &Value,
        tool: &Tool,
        key: &str,
        kind: Type<'_>,
        without: [String; 2],
    ) -> Vec<Node> {
        let frame = match value.frame {
            Frame::None => "",
            Frame::Newline => "\n",
        };
        let schema = property_schema(tool.parameters.as_str(), key).unwrap_or_default();
        let inside = if let Some(choices) = kind.choices() {
            Node::Choice(choices.iter().map(|choice| Node::text(spelling(choice))).collect())
        } else if value.codec == Codec::Cdata && kind.only_string() {
            let section = [Node::text("<![CDATA["), Node::free(["]]>"]), Node::text("]]>")];
            let plain = Node::Pattern("[^<&\\n]+".to_owned());
            Node::Choice(vec![Node::Seq(section.into()), plain, Node::Seq(Vec::new())])
        } else if kind.is_unspecified() {
            Node::free(without)
        } else if kind.kinds().contains(Kinds::STRING) {
            for keyword in STRING_KEYWORDS {
                if json::entries(&schema).any(|(known, _)| known == keyword) {
                    let (tool, keyword) = (tool.name.clone(), keyword.to_owned());
                    self.unenforced.push(Unenforced { tool, path: property_path(key), keyword });
                }
            }
            let free = Node::free(without);
            if kind.kinds().contains(Kinds::OBJECT) || kind.kinds().contains(Kinds::ARRAY) {
                // Text that begins like JSON would be read as JSON.
                let text = Node::Seq(vec![Node::Pattern("[a-zA-Z]".to_owned()), free]);
                let mut choices = vec![text];
                choices.extend(other_branches(&schema).into_iter().map(Node::Json));
                Node::Choice(choices)
            } else {
                free
            }
        } else {
            self.json_property(tool, key)
        };
        vec![Node::text(frame), inside, Node::text(frame)]
    }
}

/// The place of a property in a schema.
fn property_path(key: &str) -> String {
    format!("/properties/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The branches of a union that are no strings.
fn other_branches(schema: &str) -> Vec<String> {
    let unions = json::entries(schema).filter(|(key, _)| key == "anyOf" || key == "oneOf");
    unions
        .flat_map(|(_, branches)| json::items(branches).map(str::to_owned).collect::<Vec<_>>())
        .filter(|branch| {
            callsign_core::Schema::parse(branch)
                .is_ok_and(|schema| !schema.root().kinds().contains(Kinds::STRING))
        })
        .collect()
}

/// A JSON text as it stands between tags.
fn spelling(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inside.and_then(json::unescape) {
        Some(text) => text.into_owned(),
        None => value.to_owned(),
    }
}

/// The kinds of JSON values but strings, with the names that schemas have for
/// them.
const JSON_KINDS: [(Kinds, json::Kind, &str); 5] = [
    (Kinds::INTEGER, json::Kind::Number, "number"),
    (Kinds::BOOLEAN, json::Kind::Boolean, "boolean"),
    (Kinds::NULL, json::Kind::Null, "null"),
    (Kinds::ARRAY, json::Kind::Array, "array"),
    (Kinds::OBJECT, json::Kind::Object, "object"),
];

/// A region's calls, so many of them.
fn repeat(region: &Region, calls: &Calls, call: Node, min: u32, max: Option<u32>) -> Node {
    let open = match region.open.as_slice() {
        [Part::Space(_), rest @ ..] => rest,
        all => all,
    };
    let (open, close) = (edge(open), edge(&region.close));
    let more = max.map(|max| max - 1);
    let whole = match &calls.wrap {
        Wrap::Together => {
            // White space before another call and before the end is one text: an
            // engine must not take the end's for a longer one.
            let (between, close) = match (calls.between.as_slice(), region.close.as_slice()) {
                ([Part::Space(space), rest @ ..], [Part::Space(same), end @ ..])
                    if space == same && !space.is_empty() =>
                {
                    let space = blanks(space);
                    let before = |parts| Node::Seq(vec![space.clone(), edge(parts)]);
                    (before(rest), before(end))
                }
                (between, _) => (edge(between), close),
            };
            let another = Node::Seq(vec![between, call.clone()]);
            Node::Seq(vec![open, call, another.repeated(0, more), close])
        }
        Wrap::Apart(between) => {
            let one = Node::Seq(vec![open, call, close]);
            let another = Node::Seq(vec![Node::text(between), one.clone()]);
            Node::Seq(vec![one, another.repeated(0, more)])
        }
    };
    if min == 0 { whole.optional() } else { whole }
}
