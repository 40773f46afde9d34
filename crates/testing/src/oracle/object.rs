//! A call that is one JSON object.

use callsign_core::json;
use callsign_syntax::description::Object;

use super::Oracle;
use super::call::{Place, Read};
use super::json::{Json, Stop};

impl Oracle<'_> {
    /// Reads the call; its keys may come in any order.
    pub(super) fn object(&self, spec: &Object, read: &mut Read, place: Place) -> Result<(), Stop> {
        let json = Json::new(self.text, self.offer.limits.depth);
        let mut at = json.space(json.expect(b'{', read.at)?);
        if self.offer.limits.depth == 0 {
            return Err(Stop::TooDeep(read.at));
        }
        let mut arguments: Option<String> = None;
        // The keys that mean nothing: one may be the arguments, or one of them.
        let mut others = Vec::new();
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
            let wrong_name = is_name && (read.name.is_some() || first != b'"');
            let taken = arguments.is_some() || !matches!(first, b'{' | b'"' | b'n');
            if wrong_name || is_arguments && taken {
                return Err(Stop::Fails(start));
            }
            if !is_name && !is_arguments && !is_id {
                others.push(key.clone().into_owned());
            }
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
                self.head(read, place, end)?;
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
        let name = read.name.as_deref().ok_or(Stop::Fails(at))?;
        let argument = |key: &String| {
            let tool = self.offer.tools.get(name);
            tool.is_some_and(|tool| tool.parameters.root().properties().any(|(own, _)| own == key))
        };
        let elsewhere = arguments.is_none() && !others.is_empty();
        if elsewhere || others.iter().any(argument) {
            return Err(Stop::Fails(at));
        }
        read.at = at;
        read.arguments = Some(arguments.unwrap_or_else(|| "{}".to_owned()));
        Ok(())
    }
}
