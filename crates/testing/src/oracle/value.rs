//! The value of an argument between tags: where it ends, and what it is.

use callsign_core::{End, json, type_text};
use callsign_syntax::description::{self, Codec, Frame, Part, TypeWords, Value};

use super::Oracle;
use super::call::{LONGEST_SLOT, Place, Read, first_bytes};
use super::cdata::decoded;
use super::json::Stop;
use crate::markers::{first_texts, joined};

impl Oracle<'_> {
    /// Reads a value up to its closing tag, with which `rest` begins.
    pub(super) fn value(
        &self,
        spec: &Value,
        rest: &[Part],
        read: &mut Read,
        place: Place,
    ) -> Result<(), Stop> {
        let Some(Part::Literal(close) | Part::Marker(close)) = rest.first() else {
            return Err(Stop::Fails(read.at));
        };
        let framed = spec.frame == Frame::Newline;
        let start = read.at + usize::from(framed && self.text[read.at..].starts_with('\n'));
        let follow = self.follow(&rest[1..]);
        if spec.codec == Codec::Cdata
            && let Some(start) = self.section(start)
        {
            let (end, tag) = self.section_end(start, close, &follow)?;
            self.member(spec, &self.text[start..end], read);
            read.at = tag;
            return Ok(());
        }

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
                let structure = self.structure(at + close.len(), &follow)?;
                if structure && open == 0 {
                    break at;
                }
                if structure {
                    last = Some(at);
                }
                open = open.saturating_sub(1);
                at += close.len();
            } else if let Some(end) = self.opening(&read.item, framed, close, at) {
                open += 1;
                at = end;
            } else {
                at += 1;
            }
        };
        let inside = &self.text[start.min(end)..end];
        let inside = if framed { inside.strip_suffix('\n').unwrap_or(inside) } else { inside };
        match spec.codec {
            Codec::Cdata => self.member(spec, &decoded(inside), read),
            Codec::Raw | Codec::Typed => self.member(spec, inside, read),
        }
        read.at = end;
        Ok(())
    }

    /// Whether structure follows a closing tag that ends here.
    pub(super) fn structure(&self, closed: usize, follow: &[String]) -> Result<bool, Stop> {
        let next = self.space(closed);
        let there = &self.text[next..];
        let structure = self.stands(follow, next).is_some();
        if !structure && follow.iter().any(|text| text.starts_with(there)) {
            // It is the last one, and nothing says that it is none: the call was
            // cut behind it.
            return Err(Stop::Cut);
        }
        Ok(structure)
    }

    /// Whether the end of reasoning stands in the call that began here and has
    /// not been looked for.
    fn ends_reasoning(&self, start: usize) -> bool {
        let closers = self.closers_of_reasoning();
        !self.searched && closers.iter().any(|text| self.text[start..].contains(text))
    }

    fn member(&self, spec: &Value, inside: &str, read: &mut Read) {
        let kind = self.parameters(read).property(&read.key);
        let mut member = String::new();
        json::quote_into(&read.key, &mut member);
        member.push(':');
        let words = read.item.iter().find_map(|part| match part {
            Part::Type(words) => Some(words),
            _ => None,
        });
        let word = match words {
            Some(TypeWords::Flag { text, .. }) => text,
            _ => "string",
        };
        match spec.codec {
            Codec::Typed if read.kind == word => json::quote_into(inside, &mut member),
            Codec::Typed if json::kind(inside.trim()).is_some() => member.push_str(inside.trim()),
            _ => type_text(inside, kind, spec.nulls, &mut member),
        }
        read.members.push(member);
    }

    /// Where an opening tag ends as the template writes it, if one stands here.
    /// No key in it holds what begins a closing tag.
    fn opening(&self, item: &[Part], framed: bool, close: &str, at: usize) -> Option<usize> {
        let value = item.iter().position(|part| matches!(part, Part::Value(_)))?;
        let stop = close.bytes().next()?;
        let end = self.written(&item[..value], stop, at).filter(|end| *end > at)?;
        if framed { self.literal("\n", end).ok() } else { Some(end) }
    }

    fn written(&self, parts: &[Part], stop: u8, at: usize) -> Option<usize> {
        let mut at = at;
        for (index, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) | Part::Marker(text) => at = self.literal(text, at).ok()?,
                Part::Space(_) => at = self.space(at),
                Part::Key | Part::Type(_) => {
                    let stops = first_bytes(&parts[index + 1..]);
                    let fits = |byte: &u8| *byte >= b' ' && *byte != stop && !stops.contains(byte);
                    let bytes = &self.text.as_bytes()[at..];
                    let run = bytes.iter().take_while(|byte| fits(byte)).count();
                    if run > LONGEST_SLOT {
                        return None;
                    }
                    at += run;
                }
                Part::Maybe { written: false, .. } => {}
                Part::Maybe { parts, written: true } => at = self.written(parts, stop, at)?,
                Part::OneOf(all) => at = self.written(&joined(all.first()?), stop, at)?,
                _ => return None,
            }
        }
        Some(at)
    }

    /// The texts that may follow a value's closing tag.
    fn follow(&self, own: &[Part]) -> Vec<String> {
        // In its own call: what else the item has, another item, the rest.
        let mut follow = first_texts(own);
        // Whatever ends a call or begins one.
        follow.extend(
            self.blocks_at(description::Place::Anywhere).flat_map(|block| self.openers(block)),
        );
        for block in self.blocks() {
            for form in &block.calls.forms {
                follow.extend(first_texts(&[block.calls.between.as_slice(), form].concat()));
            }
            follow.extend(first_texts(&block.region.close));
        }
        follow.extend(self.description.stops.iter().cloned());
        follow
    }
}
