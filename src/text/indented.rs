//! The digest of JSON with sorted keys and two spaces of indentation, as
//! `JSON.stringify(value, null, 2)` writes it.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::canonical::{last_members, name_in_quotes, write_scalar};
use super::json::{Json, Kind};

/// Values nested deeper than this have no digest: each of their lines would be longer than
/// what stands on it.
const DEEPEST: usize = 64;

/// What is still to be written; the last is the next.
enum Step<'a> {
    Text(Cow<'static, str>),
    /// A value, and how deep it stands.
    Value(Json<'a>, usize),
    /// A new line at that depth.
    Line(usize),
}

/// The SHA-256 of the indented form, in hexadecimal digits; `None` for what is nested too
/// deep. The form is never held whole.
pub fn digest(value: Json<'_>) -> Option<String> {
    let mut hash = Sha256::new();
    let mut waiting = vec![Step::Value(value, 0)];
    while let Some(step) = waiting.pop() {
        match step {
            Step::Text(text) => hash.update(text.as_bytes()),
            Step::Line(depth) => {
                hash.update(b"\n");
                (0..depth).for_each(|_| hash.update(b"  "));
            }
            Step::Value(_, depth) if depth > DEEPEST => return None,
            Step::Value(value, depth) => write(value, depth, &mut waiting, &mut hash),
        }
    }
    Some(hash.finalize().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")))
}

fn write<'a>(value: Json<'a>, depth: usize, waiting: &mut Vec<Step<'a>>, hash: &mut Sha256) {
    let (parts, open, close) = match value.kind() {
        Kind::Object => {
            let name = |name: String| Some(format!("{}: ", name_in_quotes(&name)));
            let members = last_members(value).into_iter().map(|(own, value)| (name(own), value));
            (members.collect::<Vec<_>>(), "{", "}")
        }
        Kind::Array => (value.items().map(|item| (None, item)).collect(), "[", "]"),
        _ => {
            let mut text = String::new();
            write_scalar(value, &mut text);
            return hash.update(text.as_bytes());
        }
    };
    hash.update(open.as_bytes());
    waiting.push(Step::Text(Cow::Borrowed(close)));
    if !parts.is_empty() {
        waiting.push(Step::Line(depth));
    }
    for (index, (name, value)) in parts.into_iter().enumerate().rev() {
        waiting.push(Step::Value(value, depth + 1));
        waiting.extend(name.map(|name| Step::Text(Cow::Owned(name))));
        waiting.push(Step::Line(depth + 1));
        waiting.extend((index > 0).then_some(Step::Text(Cow::Borrowed(","))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::scan::{Newlines, Scan, Tape};

    fn of(text: &str) -> Option<String> {
        let mut tape = Tape::default();
        assert!(matches!(tape.scan(text.as_bytes(), Newlines::Refused), Scan::Whole { .. }));
        digest(Json::of(text.as_bytes(), &tape))
    }

    fn sha256(text: &str) -> Option<String> {
        Some(
            Sha256::digest(text.as_bytes())
                .iter()
                .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")),
        )
    }

    #[test]
    fn the_digest_is_that_of_sorted_keys_and_two_spaces() {
        let expected = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": [],\n  \"é\": \"x\\n\"\n}";
        assert_eq!(of(r#"{"é":"x\n","b":[ ],"a":[1.0,{}]}"#), sha256(expected));
        assert_eq!(of("7"), sha256("7"));
    }

    #[test]
    fn what_is_nested_too_deep_has_none() {
        assert!(of(&("[".repeat(60) + &"]".repeat(60))).is_some());
        assert!(of(&("[".repeat(5_000) + &"]".repeat(5_000))).is_none());
    }
}
