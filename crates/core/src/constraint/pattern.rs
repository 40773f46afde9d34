//! Which of JSON Schema's regular expressions a grammar can hold: those whose
//! language an automaton reads the same way, without looking around.

/// How far a grammar can go with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fitness {
    /// An automaton for it stays small.
    Plain,
    /// It repeats repetitions: to intersect it with anything may cost more than
    /// an engine is ready to pay.
    Nested,
}

/// The longest bounded repetition that is passed on.
const MAX_REPEAT: u32 = 4096;

/// Whether an engine reads `pattern` as JSON Schema means it; `None` if not.
/// Errs on the side of `None`.
pub(super) fn fitness(pattern: &str) -> Option<Fitness> {
    let mut chars = pattern.chars().peekable();
    // For each open group, whether something in it repeats without a bound.
    let mut groups = vec![false];
    let mut fitness = Fitness::Plain;
    // What a quantifier after this point would repeat: nothing, or something of
    // which it is known whether it repeats itself.
    let mut atom: Option<bool> = None;
    let mut at_start = true;
    while let Some(char) = chars.next() {
        let starts = std::mem::replace(&mut at_start, false);
        match char {
            '^' if starts => {}
            '$' if groups.len() == 1 && matches!(chars.peek(), None | Some('|')) => atom = None,
            '^' | '$' => return None,
            '|' => {
                atom = None;
                at_start = groups.len() == 1;
            }
            '(' => {
                if chars.next_if_eq(&'?').is_some() && chars.next() != Some(':') {
                    return None;
                }
                groups.push(false);
                atom = None;
            }
            ')' => {
                let repeats = groups.pop().filter(|_| !groups.is_empty())?;
                *groups.last_mut()? |= repeats;
                atom = Some(repeats);
            }
            '[' => {
                class(&mut chars)?;
                atom = Some(false);
            }
            '\\' => {
                escape(&mut chars)?;
                atom = Some(false);
            }
            '*' | '+' | '?' | '{' => {
                let repeats = atom.take()?;
                let bounded = match char {
                    '{' => bounds(&mut chars)?,
                    char => char == '?',
                };
                // A lazy quantifier has no counterpart.
                if chars.peek() == Some(&'?') || chars.peek() == Some(&'+') {
                    return None;
                }
                if repeats && char != '?' {
                    fitness = Fitness::Nested;
                }
                if !bounded {
                    *groups.last_mut()? = true;
                }
            }
            _ => atom = Some(false),
        }
    }
    (groups.len() == 1).then_some(fitness)
}

type Chars<'p> = std::iter::Peekable<std::str::Chars<'p>>;

/// The rest of an escape.
fn escape(chars: &mut Chars<'_>) -> Option<()> {
    match chars.next()? {
        'd' | 'D' | 'w' | 'W' | 's' | 'S' | 't' | 'n' | 'r' | 'f' | 'v' => Some(()),
        'x' => digits(chars, 2),
        'u' => digits(chars, 4),
        char if char.is_ascii_punctuation() && !matches!(char, '<' | '>') => Some(()),
        _ => None,
    }
}

fn digits(chars: &mut Chars<'_>, count: usize) -> Option<()> {
    (0..count).all(|_| chars.next_if(char::is_ascii_hexdigit).is_some()).then_some(())
}

/// The rest of a class. What some engines read as nesting or as a set operation
/// is refused.
fn class(chars: &mut Chars<'_>) -> Option<()> {
    chars.next_if_eq(&'^');
    let mut empty = true;
    let mut last = ' ';
    loop {
        let char = chars.next()?;
        match char {
            ']' => return (!empty).then_some(()),
            '[' => return None,
            '&' | '~' | '-' if last == char => return None,
            '\\' => escape(chars)?,
            _ => {}
        }
        last = char;
        empty = false;
    }
}

/// The rest of a bounded repetition; whether it has an upper bound.
fn bounds(chars: &mut Chars<'_>) -> Option<bool> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '}' => break,
            char => text.push(char),
        }
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number <= MAX_REPEAT);
    match text.split_once(',') {
        None => number(&text).map(|_| true),
        Some((min, "")) => number(min).map(|_| false),
        Some((min, max)) => (number(min)? <= number(max)?).then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::{Fitness, fitness};

    #[test]
    fn patterns_that_fit() {
        for pattern in ["^[a-z]+$", "", "a|b", "^(?:a|b){2,4}c?$", r"^\d{4}-\d{2}$", r"[\w.-]+@x"] {
            assert_eq!(fitness(pattern), Some(Fitness::Plain), "{pattern}");
        }
        assert_eq!(fitness(r"^\w+([.-]?\w+)*$"), Some(Fitness::Nested));
    }

    #[test]
    fn patterns_that_do_not() {
        for pattern in [
            "^(?=a)b",
            "(?<!a)b",
            r"(a)\1",
            r"\bword\b",
            "a*?",
            "a++",
            "(",
            ")",
            "[a",
            "[]",
            "*a",
            "a{",
            "a{2,1}",
            "x^y",
            "x$y",
            "[[a]]",
            r"\p{L}",
            "(?i)a",
            "(^a)",
        ] {
            assert_eq!(fitness(pattern), None, "{pattern}");
        }
    }
}
