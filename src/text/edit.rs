//! Edits of JSON as splices: what is not asked for keeps every byte.

use super::json::{Json, Kind};
use super::scan::{Newlines, Scan, Tape};

/// Why a value could not be spliced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The bytes are no JSON value.
    #[error("it is not JSON")]
    NotJson,
    /// A step of the path leads through something that holds no such member.
    #[error("`{0}` can't be reached: what is before it is neither an object nor an array that long")]
    NoSuchPlace(String),
}

/// A value's text as a JSON string, as JavaScript writes it.
pub fn quoted(text: &str) -> String {
    super::canonical::name_in_quotes(text)
}

/// The value with the member at `path` set to `raw`, which is JSON. A number as a step counts
/// items of an array. Of doubled members the last is set, as every parser reads that one.
/// Objects that are missing on the way are made.
pub fn set(value: &[u8], path: &[&str], raw: &str) -> Result<Vec<u8>, EditError> {
    let mut tape = Tape::default();
    let mut at = scan(&mut tape, value)?;
    for (depth, step) in path.iter().enumerate() {
        match child(at, step) {
            Some(inner) => at = inner,
            None if at.kind() == Kind::Object => {
                let nested = nest(&path[depth + 1..], raw);
                return Ok(insert(value, at, step, &nested));
            }
            None => return Err(EditError::NoSuchPlace(path[..=depth].join("."))),
        }
    }
    let (start, end) = at.span();
    Ok([&value[..start], raw.as_bytes(), &value[end..]].concat())
}

/// The value without the member or item at `path`, and without the comma that parted it;
/// unchanged where nothing is there. Every one of doubled members goes.
pub fn remove(value: &[u8], path: &[&str]) -> Result<Vec<u8>, EditError> {
    let mut now = value.to_vec();
    let mut left = usize::MAX;
    loop {
        let mut tape = Tape::default();
        let root = scan(&mut tape, &now)?;
        let Some((last, before)) = path.split_last() else { return Ok(now) };
        let Some(parent) = before.iter().try_fold(root, |at, step| child(at, step)) else { return Ok(now) };
        let Some(hole) = hole(&now, parent, last) else { return Ok(now) };
        // An array's items move up: of those one goes.
        left = if parent.kind() == Kind::Array { 1 } else { left };
        now.drain(hole);
        left -= 1;
        if left == 0 {
            return Ok(now);
        }
    }
}

/// The value with `raw` put before the item of that number, or behind the last one.
pub fn insert_item(value: &[u8], path: &[&str], at: usize, raw: &str) -> Result<Vec<u8>, EditError> {
    let mut tape = Tape::default();
    let root = scan(&mut tape, value)?;
    let array = path.iter().try_fold(root, |at, step| child(at, step));
    let array = array.filter(|array| array.kind() == Kind::Array);
    let array = array.ok_or_else(|| EditError::NoSuchPlace(path.join(".")))?;
    let spans: Vec<(usize, usize)> = array.items().map(|item| item.span()).collect();
    let (start, end) = array.span();
    let (place, text) = match (spans.get(at), spans.last()) {
        (Some(&(own, _)), _) => {
            let before = at.checked_sub(1).map_or(start + 1, |before| spans[before].1);
            (own, format!("{raw},{}", gap(value, before, own)))
        }
        (None, Some(&(own, last))) => {
            let before = spans.len().checked_sub(2).map_or(start + 1, |before| spans[before].1);
            (last, format!(",{}{raw}", gap(value, before, own)))
        }
        (None, None) => (end - 1, raw.to_owned()),
    };
    Ok([&value[..place], text.as_bytes(), &value[place..]].concat())
}

/// Reads one value that is all of the bytes but for white space.
pub fn scan<'a>(tape: &'a mut Tape, value: &'a [u8]) -> Result<Json<'a>, EditError> {
    match tape.scan(value, Newlines::Refused) {
        Scan::Whole { end, .. } if value[end..].iter().all(u8::is_ascii_whitespace) => {
            Ok(Json::of(value, tape))
        }
        _ => Err(EditError::NotJson),
    }
}

fn child<'a>(at: Json<'a>, step: &str) -> Option<Json<'a>> {
    match at.kind() {
        Kind::Object => at.get(step),
        Kind::Array => at.items().nth(step.parse().ok()?),
        _ => None,
    }
}

/// `raw` within the objects that `path` asks for.
fn nest(path: &[&str], raw: &str) -> String {
    path.iter().rev().fold(raw.to_owned(), |inner, step| format!("{{{}:{inner}}}", quoted(step)))
}

/// The bytes with a member behind the last one of `object`, spaced as its others are.
fn insert(value: &[u8], object: Json<'_>, name: &str, raw: &str) -> Vec<u8> {
    let members: Vec<(Json<'_>, Json<'_>)> = object.members().collect();
    let (start, end) = object.span();
    let (place, text) = match members.last() {
        None => (end - 1, format!("{}:{raw}", quoted(name))),
        Some((key, last)) => {
            let before = members.len().checked_sub(2).map_or(start + 1, |before| members[before].1.span().1);
            let between = gap(value, before, key.span().0);
            let colon = String::from_utf8_lossy(&value[key.span().1..last.span().0]).into_owned();
            (last.span().1, format!(",{between}{}{colon}{raw}", quoted(name)))
        }
    };
    [&value[..place], text.as_bytes(), &value[place..]].concat()
}

/// The white space that is before a member, without the comma.
fn gap(value: &[u8], from: usize, to: usize) -> String {
    value[from..to].iter().filter(|byte| byte.is_ascii_whitespace()).map(|&byte| byte as char).collect()
}

/// The bytes that go with a member or item: itself and one comma beside it.
fn hole(value: &[u8], parent: Json<'_>, step: &str) -> Option<std::ops::Range<usize>> {
    let spans: Vec<(usize, usize, bool)> = match parent.kind() {
        Kind::Object => parent.members().map(|(k, v)| (k.span().0, v.span().1, k.is_text(step))).collect(),
        Kind::Array => {
            let number: usize = step.parse().ok()?;
            parent.items().enumerate().map(|(at, v)| (v.span().0, v.span().1, at == number)).collect()
        }
        _ => return None,
    };
    let at = spans.iter().position(|&(.., own)| own)?;
    let (start, end, _) = spans[at];
    if at > 0 {
        return Some(spans[at - 1].1..end);
    }
    if let Some(&(next, ..)) = spans.get(1) {
        return Some(start..next);
    }
    debug_assert!(value.len() >= end);
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_member_is_set_in_place_and_nothing_else_moves() {
        let record = br#"{ "a":1.0 , "b" : {"c":[1,{"d":"\u0041"}]},"a":2e0,"z":0 }"#;
        let set = |path: &[&str], raw| text(set(record, path, raw).unwrap());
        assert_eq!(set(&["a"], "3"), r#"{ "a":1.0 , "b" : {"c":[1,{"d":"\u0041"}]},"a":3,"z":0 }"#);
        assert_eq!(
            set(&["b", "c", "1", "d"], "[]"),
            r#"{ "a":1.0 , "b" : {"c":[1,{"d":[]}]},"a":2e0,"z":0 }"#
        );
    }

    #[test]
    fn an_absent_member_is_added_behind_the_last_and_spaced_as_it_is() {
        assert_eq!(text(set(b"{}", &["a"], "1").unwrap()), r#"{"a":1}"#);
        assert_eq!(text(set(br#"{"a":1}"#, &["b", "c"], "2").unwrap()), r#"{"a":1,"b":{"c":2}}"#);
        assert_eq!(text(set(br#"{"a": 1}"#, &["b"], "2").unwrap()), r#"{"a": 1,"b": 2}"#);
        let lines = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
        assert_eq!(
            text(set(lines.as_bytes(), &["c"], "3").unwrap()),
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"
        );
        assert_eq!(set(br#"{"a":1}"#, &["a", "b"], "2"), Err(EditError::NoSuchPlace("a.b".into())));
    }

    #[test]
    fn a_member_is_removed_with_one_comma() {
        let gone = |value: &str, path: &[&str]| text(remove(value.as_bytes(), path).unwrap());
        assert_eq!(gone(r#"{"a":1,"b":2}"#, &["a"]), r#"{"b":2}"#);
        assert_eq!(gone(r#"{"a":1, "b":2}"#, &["b"]), r#"{"a":1}"#);
        assert_eq!(gone(r#"{"a":1,"a":3,"b":2,"a":4}"#, &["a"]), r#"{"b":2}"#);
        assert_eq!(gone(r#"{"a":[1,1,2]}"#, &["a", "1"]), r#"{"a":[1,2]}"#);
        assert_eq!(gone(r#"{"a":1}"#, &["a"]), "{}");
        assert_eq!(gone(r#"{"a":1}"#, &["b"]), r#"{"a":1}"#);
    }

    #[test]
    fn an_item_is_put_where_it_was() {
        let put = |value: &str, at| text(insert_item(value.as_bytes(), &["a"], at, "9").unwrap());
        assert_eq!(put(r#"{"a":[1, 2]}"#, 0), r#"{"a":[9,1, 2]}"#);
        assert_eq!(put(r#"{"a":[1, 2]}"#, 1), r#"{"a":[1, 9, 2]}"#);
        assert_eq!(put(r#"{"a":[1, 2]}"#, 7), r#"{"a":[1, 2, 9]}"#);
        assert_eq!(put(r#"{"a":[]}"#, 0), r#"{"a":[9]}"#);
    }

    fn object() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("1.0".to_owned()),
            Just("-0e5".to_owned()),
            Just("null".to_owned()),
            "[a-z\u{e9}\\\\n]{0,6}".prop_map(|text| quoted(&text)),
        ];
        let value = leaf.prop_recursive(3, 24, 4, |inner| {
            let member = ("[abc]", inner.clone(), "[ \n]{0,2}");
            prop_oneof![
                proptest::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(" ,"))),
                proptest::collection::vec(member, 0..4).prop_map(|members| braces(&members)),
            ]
        });
        proptest::collection::vec(("[abcd]", value, "[ \n]{0,2}"), 0..5).prop_map(|members| braces(&members))
    }

    fn braces(members: &[(String, String, String)]) -> String {
        let members: Vec<String> =
            members.iter().map(|(k, v, gap)| format!("{gap}\"{k}\":{gap}{v}")).collect();
        format!("{{{}}}", members.join(","))
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn setting_a_member_and_setting_it_back_is_the_identity(object in object(), name in "[abcd]") {
            let mut tape = Tape::default();
            let before = scan(&mut tape, object.as_bytes()).unwrap();
            let changed = set(object.as_bytes(), &[&name], "\"new\"").unwrap();
            let mut after = Tape::default();
            prop_assert!(scan(&mut after, &changed).unwrap().get(&name).unwrap().is_text("new"));
            let back = match before.get(&name) {
                Some(old) => set(&changed, &[&name], std::str::from_utf8(old.raw()).unwrap()).unwrap(),
                None => remove(&changed, &[&name]).unwrap(),
            };
            prop_assert_eq!(text(back), object);
        }

        #[test]
        fn what_is_removed_is_gone_and_the_rest_reads_as_before(object in object(), name in "[abcd]") {
            let gone = remove(object.as_bytes(), &[&name]).unwrap();
            let (mut one, mut other) = (Tape::default(), Tape::default());
            let left = |value: Json<'_>| -> Vec<(String, Vec<u8>)> {
                value.members().filter(|(key, _)| !key.is_text(&name))
                    .map(|(key, value)| (key.plain(), value.raw().to_vec())).collect()
            };
            let after = scan(&mut one, &gone).unwrap();
            prop_assert!(after.get(&name).is_none());
            prop_assert_eq!(left(after), left(scan(&mut other, object.as_bytes()).unwrap()));
        }
    }
}
