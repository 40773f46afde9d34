//! Random walks through a constraint: at every step one of the bytes that its
//! mask allows. What a walk has written is what a constrained model might.
//!
//! The walker knows no dialect. From the grammar's text it takes the literals,
//! which it types now and then: those that end free text, so that a walk gets
//! out of it, and the others where nobody expects them.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, InferenceCapabilities, SimpleVob, TokEnv};
use llguidance::{Matcher, ParserFactory};

/// So many bytes are allowed only where text is free, more or less.
const FREE: usize = 100;

/// A compiled Lark grammar over a vocabulary of single bytes.
pub struct Walker {
    matcher: Matcher,
    eos: u32,
    /// Literals that end free text.
    ends: Vec<String>,
    /// All literals.
    literals: Vec<String>,
}

impl Walker {
    /// A walker through `lark`, a grammar as a `Constraint` prints it.
    ///
    /// # Errors
    ///
    /// What llguidance says of a grammar that it does not compile.
    pub fn new(lark: &str) -> Result<Self, String> {
        let env: TokEnv = Arc::new(ApproximateTokEnv::single_byte());
        let eos = env.tok_trie().eos_token();
        let mut factory = ParserFactory::new(&env, InferenceCapabilities::default(), &[])
            .map_err(|error| error.to_string())?;
        factory.quiet();
        let matcher =
            Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(lark.to_owned())));
        if let Some(error) = matcher.get_error() {
            return Err(error);
        }
        let (ends, literals) = literals(lark);
        Ok(Walker { matcher, eos, ends, literals })
    }

    /// Whether `text` is a whole output that the grammar allows.
    pub fn accepts(&self, text: &str) -> bool {
        let mut matcher = self.matcher.clone();
        let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
        matcher.try_consume_tokens(&tokens).is_ok_and(|count| count == tokens.len())
            && matcher.is_accepting().unwrap_or(false)
    }

    /// The longest prefix of `text` that the grammar allows to begin an output.
    pub fn accepted<'t>(&self, text: &'t str) -> &'t [u8] {
        let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
        let count = self.matcher.clone().try_consume_tokens(&tokens).unwrap_or(0);
        &text.as_bytes()[..count]
    }

    /// One walk, with `random` as the source of chance. From a quarter of
    /// `max_bytes` on it makes for the end; `None` if it did not get there.
    pub fn walk(&self, random: &mut dyn FnMut() -> u64, max_bytes: usize) -> Option<String> {
        let mut matcher = self.matcher.clone();
        let mut written: Vec<u8> = Vec::new();
        let haste = 1 + below(random, max_bytes / 4 + 1);
        while written.len() <= max_bytes {
            let mask = matcher.compute_mask_or_eos().ok()?;
            let hurry = written.len() > haste;
            let allowed: Vec<u8> =
                (0..=255).filter(|byte| mask.is_allowed(u32::from(*byte))).collect();
            if mask.is_allowed(self.eos) {
                let odds = if hurry { 90 } else { 15 };
                if allowed.is_empty() || below(random, 100) < odds {
                    return String::from_utf8(written).ok();
                }
            }
            if allowed.is_empty() {
                return None;
            }
            if allowed.len() > FREE {
                let odds = if hurry { 60 } else { 12 };
                if below(random, 100) < odds
                    && let Some((after, end)) = self.leave(&matcher, random)
                {
                    matcher = after;
                    written.extend_from_slice(end.as_bytes());
                    continue;
                }
                let odds = if written.is_empty() { 30 } else { 2 };
                if below(random, 100) < odds && !self.literals.is_empty() {
                    let literal = &self.literals[below(random, self.literals.len())];
                    let tokens: Vec<u32> = literal.bytes().map(u32::from).collect();
                    let count = matcher.try_consume_tokens(&tokens).ok()?;
                    written.extend_from_slice(&literal.as_bytes()[..count]);
                    continue;
                }
            }
            let byte = pick(&allowed, hurry, random);
            matcher.consume_token(u32::from(byte)).ok()?;
            written.push(byte);
        }
        None
    }

    /// Types one of the literals that end free text, if one does here.
    fn leave(&self, matcher: &Matcher, random: &mut dyn FnMut() -> u64) -> Option<(Matcher, &str)> {
        let first = below(random, self.ends.len().max(1));
        let (before, from) = self.ends.split_at_checked(first)?;
        from.iter().chain(before).find_map(|end| {
            let mut after = matcher.clone();
            let tokens: Vec<u32> = end.bytes().map(u32::from).collect();
            if after.try_consume_tokens(&tokens).ok()? < tokens.len() {
                return None;
            }
            let mask = after.compute_mask_or_eos().ok()?;
            (bytes_in(&mask) <= FREE).then_some((after, end.as_str()))
        })
    }
}

fn bytes_in(mask: &SimpleVob) -> usize {
    (0..256).filter(|byte| mask.is_allowed(*byte)).count()
}

/// The literals of a grammar: those of lazy rules, and all.
fn literals(lark: &str) -> (Vec<String>, Vec<String>) {
    let (mut ends, mut all) = (Vec::new(), Vec::new());
    for line in lark.lines().filter(|line| !line.contains("%json")) {
        let Some((head, mut body)) = line.split_once(": ") else { continue };
        while let Some(start) = body.find('"') {
            let quoted = &body[start..];
            let mut escaped = false;
            let end = quoted.char_indices().skip(1).find(|(_, char)| {
                let closes = *char == '"' && !escaped;
                escaped = *char == '\\' && !escaped;
                closes
            });
            let Some((end, _)) = end else { break };
            if let Ok(literal) = serde_json::from_str::<String>(&quoted[..=end])
                && !literal.is_empty()
            {
                if head.ends_with("[lazy]") {
                    ends.push(literal.clone());
                }
                all.push(literal);
            }
            body = &quoted[end + 1..];
        }
    }
    for list in [&mut ends, &mut all] {
        list.sort();
        list.dedup();
    }
    (ends, all)
}

/// One of `allowed`: what gives structure and what ends something more often
/// than what only goes on.
fn pick(allowed: &[u8], hurry: bool, random: &mut dyn FnMut() -> u64) -> u8 {
    let weight = |byte: u8| -> usize {
        let (calm, hasty) = match byte {
            b'"' => (120, 600),
            b'}' | b']' => (100, 900),
            b'<' | b'/' => (40, 300),
            b'\n' => (40, 200),
            b',' | b':' => (60, 20),
            b'{' | b'[' => (25, 1),
            b'\\' => (20, 1),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => (10, 4),
            b' ' => (15, 2),
            b'!'..=b'~' => (4, 1),
            0x80.. => (2, 1),
            _ => (1, 1),
        };
        if hurry { hasty } else { calm }
    };
    let total = allowed.iter().map(|byte| weight(*byte)).sum();
    let mut at = below(random, total);
    for byte in allowed {
        match at.checked_sub(weight(*byte)) {
            Some(rest) => at = rest,
            None => return *byte,
        }
    }
    allowed[0]
}

/// A number below `bound`, or zero.
fn below(random: &mut dyn FnMut() -> u64, bound: usize) -> usize {
    let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
    usize::try_from(random() % bound).unwrap_or(0)
}
