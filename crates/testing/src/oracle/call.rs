//! One call: its parts, one after the other.

use callsign_core::{End, Limit, Nulls, ToolCall, Type, json, type_text};
use callsign_syntax::description::{
    Calls, Codec, Container, Each, Frame, Object, Part, Region, TypeWords, Value,
};

use super::Oracle;
use super::json::{Json, Stop};
use crate::markers::first_texts;

/// No name, key, type or number is longer.
const LONGEST_SLOT: usize = 512;

/// What stands at a place where a call may.
#[derive(Debug, Clone)]
pub(super) enum Attempt {
    /// A call.
    Call { end: usize, call: ToolCall, doubtful: bool },
    /// No call: its head is not there.
    NoHead(Stop),
    /// The head of a call, and then something else.
    Broken(Stop),
}

/// What has been read of a call.
#[derive(Default)]
struct Read {
    at: usize,
    name: Option<String>,
    /// Whether the head is complete: the name and the text that ends it.
    head: bool,
    id: Option<String>,
    key: String,
    kind: String,
    members: Vec<String>,
    arguments: Option<String>,
    doubtful: bool,
}

/// Where the parts stand that are being read, for what may follow a value.
#[derive(Clone, Copy)]
struct Place<'d> {
    /// Where the call began.
    start: usize,
    /// Whether the call may be a rehearsal.
    trial: bool,
    form: &'d [Part],
    item: Option<&'d Each>,
}

impl Oracle<'_> {
    /// Tries a call of one form.
    pub(super) fn call(&self, form: &[Part], at: usize, trial: bool) -> Attempt {
        let mut read = Read { at, ..Read::default() };
        let parts = self.parts(form, &mut read, Place { start: at, trial, form, item: None });
        match (parts, read.name) {
            (Ok(()), Some(name)) => {
                let text = match read.arguments {
                    Some(text) => text,
                    None => format!("{{{}}}", read.members.join(",")),
                };
                let Ok(arguments) = callsign_core::Arguments::from_json(text) else {
                    return Attempt::Broken(Stop::Fails(read.at));
                };
                let mut call = ToolCall::new(name, arguments);
                call.id = read.id;
                Attempt::Call { end: read.at, call, doubtful: read.doubtful }
            }
            (Ok(()), None) => Attempt::NoHead(Stop::Fails(read.at)),
            (Err(stop), _) if read.head => Attempt::Broken(stop),
            (Err(stop), _) => Attempt::NoHead(stop),
        }
    }

    fn parts(&self, parts: &[Part], read: &mut Read, place: Place<'_>) -> Result<(), Stop> {
        for (index, part) in parts.iter().enumerate() {
            let rest = &parts[index + 1..];
            match part {
                Part::Literal(text) | Part::Marker(text) => {
                    read.at = self.literal(text, read.at)?;
                    read.head |= read.name.is_some();
                }
                Part::Space(_) => read.at = self.space(read.at),
                Part::Name => {
                    let end = self.slot(read.at, rest, is_name_byte)?;
                    if end == read.at {
                        return Err(Stop::Fails(read.at));
                    }
                    read.name = Some(self.text[read.at..end].to_owned());
                    read.at = end;
                }
                Part::Key => {
                    let end = self.slot(read.at, rest, |byte| byte >= b' ')?;
                    read.key = self.text[read.at..end].to_owned();
                    read.at = end;
                }
                Part::Type(_) => {
                    let end = self.slot(read.at, rest, |byte| byte >= b' ')?;
                    if end == read.at {
                        return Err(Stop::Fails(read.at));
                    }
                    read.kind = self.text[read.at..end].to_owned();
                    read.at = end;
                }
                Part::Word => {
                    let end = self.slot(read.at, rest, is_name_byte)?;
                    if end == read.at {
                        return Err(Stop::Fails(read.at));
                    }
                    read.at = end;
                }
                Part::Index(_) => {
                    let end = self.slot(read.at, &[], |byte| byte.is_ascii_digit())?;
                    if end == read.at {
                        return Err(Stop::Fails(read.at));
                    }
                    read.at = end;
                }
                Part::Id(inside) => {
                    let start = read.at;
                    self.parts(inside, read, place)?;
                    read.id = Some(self.text[start..read.at].to_owned());
                }
                Part::Maybe { parts: inside, .. } => {
                    if self.begins(inside, read.at) {
                        self.parts(inside, read, place)?;
                    }
                }
                Part::OneOf(all) => {
                    let one = all.iter().find(|inside| self.begins(inside, read.at));
                    let one = one.or(all.first()).map_or(&[][..], Vec::as_slice);
                    self.parts(one, read, place)?;
                }
                Part::Object(object) => self.object(object, read)?,
                Part::Arguments(Container::Json) => {
                    let json = Json::new(self.text, self.offer.limits.depth);
                    if json.byte(read.at)? != b'{' {
                        return Err(Stop::Fails(read.at));
                    }
                    let end = json.value(read.at, 0)?;
                    read.arguments = Some(self.text[read.at..end].to_owned());
                    read.at = end;
                }
                Part::Arguments(Container::Each(each)) => self.each(each, rest, read, place)?,
                Part::Value(value) => self.value(value, rest, read, place)?,
                Part::Arguments(_) => return Err(Stop::Fails(read.at)),
            }
        }
        Ok(())
    }

    /// Where this text ends, if it stands here.
    pub(super) fn literal(&self, text: &str, at: usize) -> Result<usize, Stop> {
        let there = &self.text.as_bytes()[at..];
        if there.starts_with(text.as_bytes()) {
            Ok(at + text.len())
        } else if text.as_bytes().starts_with(there) {
            Err(Stop::Cut)
        } else {
            Err(Stop::Fails(at))
        }
    }

    /// Where the white space ends that begins here.
    pub(super) fn space(&self, at: usize) -> usize {
        Json::new(self.text, 0).space(at)
    }

    /// Whether parts begin here, as far as their first text tells.
    pub(super) fn begins(&self, parts: &[Part], at: usize) -> bool {
        let at = if matches!(parts.first(), Some(Part::Space(_))) { self.space(at) } else { at };
        first_texts(parts).iter().any(|text| self.text[at..].starts_with(text.as_str()))
    }

    /// Where a run of bytes ends that `fits` and is not the beginning of what
    /// comes next.
    fn slot(&self, at: usize, next: &[Part], fits: fn(u8) -> bool) -> Result<usize, Stop> {
        let stops = first_bytes(next);
        let bytes = &self.text.as_bytes()[at..];
        let run = bytes.iter().take_while(|byte| fits(**byte) && !stops.contains(byte)).count();
        if run > LONGEST_SLOT {
            return Err(Stop::Fails(at));
        }
        if run == bytes.len() {
            return Err(Stop::Cut);
        }
        Ok(at + run)
    }

    /// The whole call as a JSON object.
    fn object(&self, spec: &Object, read: &mut Read) -> Result<(), Stop> {
        let json = Json::new(self.text, self.offer.limits.depth);
        let mut at = json.space(json.expect(b'{', read.at)?);
        if self.offer.limits.depth == 0 {
            return Err(Stop::TooDeep(read.at));
        }
        let mut arguments: Option<String> = None;
        // Whether there is a list or an object under a key that means nothing.
        let mut elsewhere = false;
        if json.byte(at)? == b'}' {
            return Err(Stop::Fails(at + 1));
        }
        loop {
            let start = json.key(at)?;
            let key = json.string(at).map(|end| json::unescape(&self.text[at + 1..end - 1]));
            let key = key.ok().flatten().unwrap_or_default();
            let is = |keys: &[String]| keys.iter().any(|known| *known == *key);
            let first = json.byte(start)?;
            let is_name = is(&spec.name);
            let is_arguments = !is_name && is(&spec.arguments);
            let is_id = !is_name && !is_arguments && spec.id.as_deref() == Some(&*key);
            if is_name && (read.name.is_some() || first != b'"')
                || is_arguments && (arguments.is_some() || !matches!(first, b'{' | b'"' | b'n'))
            {
                return Err(Stop::Fails(start));
            }
            elsewhere |= !is_name && !is_arguments && !is_id && matches!(first, b'{' | b'[');
            let end = json.value(start, 1)?;
            let written = &self.text[start..end];
            let string = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let string = string.and_then(json::unescape);
            if is_name {
                let name = string.as_deref().unwrap_or_default().trim();
                if name.is_empty() {
                    return Err(Stop::Fails(end));
                }
                read.name = Some(name.to_owned());
                read.head = true;
            } else if is_arguments {
                let decoded = match first {
                    b'{' => Some(written.to_owned()),
                    b'n' => Some("{}".to_owned()),
                    _ => string.and_then(|text| match text.trim() {
                        "" => Some("{}".to_owned()),
                        text => json::is_object(text).then(|| text.to_owned()),
                    }),
                };
                arguments = Some(decoded.ok_or(Stop::Fails(end))?);
            } else if is_id {
                read.id = string.map(Into::into);
            }
            at = json.space(end);
            if json.byte(at)? == b'}' {
                at += 1;
                break;
            }
            at = json.space(json.expect(b',', at)?);
        }
        if read.name.is_none() || arguments.is_none() && elsewhere {
            return Err(Stop::Fails(at));
        }
        read.at = at;
        read.arguments = Some(arguments.unwrap_or_else(|| "{}".to_owned()));
        Ok(())
    }

    /// Arguments between tags, up to what comes after them.
    fn each(
        &self,
        each: &Each,
        rest: &[Part],
        read: &mut Read,
        place: Place<'_>,
    ) -> Result<(), Stop> {
        loop {
            read.at = self.space(read.at);
            if self.begins(rest, read.at) {
                return Ok(());
            }
            let mut firsts = first_texts(&each.item);
            if !self.begins(&each.item, read.at) {
                firsts.extend(first_texts(rest));
                let there = &self.text[read.at..];
                let cut = firsts.iter().any(|text| text.starts_with(there));
                return Err(if cut { Stop::Cut } else { Stop::Fails(read.at) });
            }
            self.parts(&each.item, read, Place { item: Some(each), ..place })?;
        }
    }

    /// The value of an argument, up to its closing tag, which is read by who
    /// called.
    fn value(
        &self,
        spec: &Value,
        rest: &[Part],
        read: &mut Read,
        place: Place<'_>,
    ) -> Result<(), Stop> {
        let close = rest.iter().find_map(|part| match part {
            Part::Literal(text) | Part::Marker(text) => Some(text.as_str()),
            _ => None,
        });
        let Some(close) = close else { return Err(Stop::Fails(read.at)) };
        let framed = spec.frame == Frame::Newline;
        let start = read.at + usize::from(framed && self.text[read.at..].starts_with('\n'));
        let follow = self.follow(place, rest);
        let opening = place.item.map_or(&[][..], |each| opening(&each.item));

        let mut at = start;
        // Opening tags of this kind that stand open in the value.
        let mut open = 0_usize;
        let mut last = None;
        let end = loop {
            let Some(here) = self.text.as_bytes().get(at..).filter(|here| !here.is_empty()) else {
                // An output that was cut tells nothing by its end, and the end
                // of reasoning goes before that of a value.
                if self.end == End::Cut || place.trial && self.ends_reasoning(place.start) {
                    return Err(Stop::Cut);
                }
                read.doubtful |= last.is_some();
                break last.ok_or(Stop::Cut)?;
            };
            if here.starts_with(close.as_bytes()) {
                let next = self.space(at + close.len());
                let there = &self.text[next..];
                let structure = follow.iter().any(|text| there.starts_with(text.as_str()));
                if !structure && follow.iter().any(|text| text.starts_with(there)) {
                    // It is the last one, and nothing says that it is none: the
                    // call was cut behind it.
                    return Err(Stop::Cut);
                }
                if structure && open == 0 {
                    break at;
                }
                if structure {
                    last = Some(at);
                }
                open = open.saturating_sub(1);
                at += close.len();
            } else if let Some(end) = self.opening(opening, framed, close, at) {
                open += 1;
                at = end;
            } else {
                at += 1;
            }
        };
        let inside = &self.text[start.min(end)..end];
        let inside = if framed { inside.strip_suffix('\n').unwrap_or(inside) } else { inside };
        self.member(spec, inside, place, read);
        read.at = end;
        Ok(())
    }

    /// Whether the end of reasoning stands in the call that began here and has
    /// not been looked for.
    fn ends_reasoning(&self, start: usize) -> bool {
        !self.searched
            && self.closers_of_reasoning().iter().any(|text| self.text[start..].contains(text))
    }

    fn member(&self, spec: &Value, inside: &str, place: Place<'_>, read: &mut Read) {
        let tool = read.name.as_deref().and_then(|name| self.offer.tools.get(name));
        let kind =
            tool.map_or(Type::unspecified(), |tool| tool.parameters.root().property(&read.key));
        let mut member = String::new();
        json::quote_into(&read.key, &mut member);
        member.push(':');
        let words = place.item.and_then(|each| {
            each.item.iter().find_map(|part| match part {
                Part::Type(words) => Some(words),
                _ => None,
            })
        });
        let text = match words {
            Some(TypeWords::Flag { text, .. }) => *text == read.kind,
            Some(TypeWords::Names) => read.kind == "string",
            None => false,
        };
        if spec.codec == Codec::Typed && text {
            json::quote_into(inside, &mut member);
        } else {
            type_text(inside, kind, nulls(spec), &mut member);
        }
        read.members.push(member);
    }

    /// Where an opening tag ends as the template writes it, if one stands here.
    /// No key in it holds what begins a closing tag.
    fn opening(&self, parts: &[Part], framed: bool, close: &str, at: usize) -> Option<usize> {
        let close = close.as_bytes().first().copied()?;
        let mut at = at;
        for (index, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) | Part::Marker(text) | Part::Space(text) => {
                    at = self.literal(text, at).ok()?;
                }
                Part::Key | Part::Type(_) => {
                    let stops = first_bytes(&parts[index + 1..]);
                    let fits = |byte: &u8| *byte >= b' ' && *byte != close && !stops.contains(byte);
                    let bytes = &self.text.as_bytes()[at..];
                    let run = bytes.iter().take_while(|byte| fits(byte)).count();
                    if run > LONGEST_SLOT {
                        return None;
                    }
                    at += run;
                }
                Part::Maybe { written: false, .. } => {}
                _ => return None,
            }
        }
        if framed { self.literal("\n", at).ok() } else { Some(at).filter(|_| !parts.is_empty()) }
    }

    /// The texts that may follow a value's closing tag.
    fn follow(&self, place: Place<'_>, rest: &[Part]) -> Vec<String> {
        // Its own call: what else the item has, another item, the rest.
        let close = rest.iter().position(|part| matches!(part, Part::Literal(_) | Part::Marker(_)));
        let own = &rest[close.map_or(0, |close| close + 1)..];
        let mut follow = first_texts(own);
        if follow.is_empty() {
            follow.extend(place.item.into_iter().flat_map(|each| first_texts(&each.item)));
            let each = place
                .form
                .iter()
                .position(|part| matches!(part, Part::Arguments(Container::Each(_))));
            follow.extend(first_texts(&place.form[each.map_or(0, |each| each + 1)..]));
        }
        // Whatever ends a call or begins one.
        for (region, calls) in self.regions_of_calls() {
            follow.extend(self.openers(region, calls));
            for form in &calls.forms {
                follow.extend(first_texts(&[calls.between.as_slice(), form].concat()));
            }
            follow.extend(first_texts(&region.close));
        }
        follow.extend(self.description.stops.iter().cloned());
        follow
    }

    /// The texts with which a region of calls can begin.
    pub(super) fn openers(&self, region: &Region, calls: &Calls) -> Vec<String> {
        if first_texts(&region.open).is_empty() {
            return calls.forms.iter().flat_map(|form| first_texts(form)).collect();
        }
        first_texts(&region.open)
    }
}

/// Which reason a stop is.
pub(super) fn reason(stop: Stop) -> callsign_core::Reason {
    match stop {
        Stop::Fails(at) => callsign_core::Reason::Malformed { at, expected: "".into() },
        Stop::TooDeep(_) => callsign_core::Reason::Limit { limit: Limit::Depth },
        Stop::Cut => callsign_core::Reason::Incomplete,
    }
}

fn nulls(spec: &Value) -> Nulls {
    spec.nulls
}

/// The parts of an argument before its value.
fn opening(item: &[Part]) -> &[Part] {
    let value = item.iter().position(|part| matches!(part, Part::Value(_)));
    &item[..value.unwrap_or(0)]
}

/// The bytes with which parts can begin.
fn first_bytes(parts: &[Part]) -> Vec<u8> {
    let mut found: Vec<u8> =
        first_texts(parts).iter().filter_map(|text| text.bytes().next()).collect();
    if matches!(parts.first(), Some(Part::Space(_))) {
        found.extend(*b" \n\r\t");
    }
    found
}

/// Bytes of a tool's name: no white space, no brackets, no quotes, nothing that
/// separates.
fn is_name_byte(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !b"<>\"'`(){}[],;=|\\".contains(&byte)
}
