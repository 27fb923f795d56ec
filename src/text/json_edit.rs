//! Edits of JSON as splices: every other byte stays.

use std::borrow::Cow;
use std::ops::Range;

use super::json::{Json, JsonKind};
use super::json_scanner::{Newlines, ScanResult};

pub use super::canonical::quoted;
pub use super::json_scanner::Tape;

/// The reason why a value can't be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonEditError {
    /// The bytes are not a JSON value.
    #[error("it is not JSON")]
    NotJson,
    /// A step of the path leads through a value that can't have such a member.
    #[error("`{0}` can't be reached: what is before it is neither an object nor an array that long")]
    NoSuchPlace(String),
}

/// A range of the bytes, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonSplice<'a> {
    /// The range; empty for an insertion.
    pub at: Range<usize>,
    /// The replacement.
    pub with: Cow<'a, str>,
}

impl<'a> JsonSplice<'a> {
    /// Creates a splice of that range.
    pub fn new(at: Range<usize>, with: impl Into<Cow<'a, str>>) -> Self {
        JsonSplice { at, with: with.into() }
    }

    /// Creates a splice that replaces a value with `raw`.
    pub fn of(value: Json<'_>, raw: impl Into<Cow<'a, str>>) -> Self {
        let (start, end) = value.span();
        JsonSplice::new(start..end, raw)
    }
}

/// Returns the bytes with splices applied, which must not overlap. Those at one place keep their order.
pub fn apply(bytes: &[u8], mut splices: Vec<JsonSplice<'_>>) -> Vec<u8> {
    splices.sort_by_key(|splice| splice.at.start);
    let comes: usize = splices.iter().map(|splice| splice.with.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + comes);
    let mut at = 0;
    for JsonSplice { at: gone, with } in splices {
        out.extend_from_slice(bytes.get(at..gone.start).unwrap_or_default());
        out.extend_from_slice(with.as_bytes());
        at = gone.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

/// Returns JSON on one line, as a line of JSON Lines must be. In JSON, line breaks are only between tokens.
pub fn on_one_line(json: &[u8]) -> Vec<u8> {
    json.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

/// Sets the member at `path` to `raw`, which is JSON; the last one of doubled members, because every parser
/// reads that one. A number as a step is the index of an array item. Missing objects on the way are created.
pub fn set(value: &[u8], path: &[&str], raw: &str) -> Result<Vec<u8>, JsonEditError> {
    let mut tape = Tape::default();
    let mut at = scan(&mut tape, value)?;
    for (depth, step) in path.iter().enumerate() {
        match child(at, step) {
            Some(inner) => at = inner,
            None if at.kind() == JsonKind::Object => {
                let within = |inner: String, step: &&str| format!("{{{}:{inner}}}", quoted(step));
                let nested = path[depth + 1..].iter().rev().fold(raw.to_owned(), within);
                return Ok(apply(value, put(at, &[(step, nested)])));
            }
            None => return Err(JsonEditError::NoSuchPlace(path[..=depth].join("."))),
        }
    }
    Ok(apply(value, vec![JsonSplice::of(at, raw)]))
}

/// Removes the item or (all doubled) members at `path`, with one comma; no change if nothing is there.
pub fn remove(value: &[u8], path: &[&str]) -> Result<Vec<u8>, JsonEditError> {
    let mut tape = Tape::default();
    let root = scan(&mut tape, value)?;
    let parent = path.split_last().and_then(|(last, before)| Some((value_at(root, before)?, *last)));
    let Some((parent, last)) = parent else { return Ok(value.to_vec()) };
    let number = last.parse().ok();
    Ok(apply(value, without(parent, |at, key, _| key.map_or(Some(at) == number, |key| key.is_text(last)))))
}

/// Returns the splices that remove members or items, each with one comma, or everything if none stays. `goes`
/// chooses them by their number, their key and their value.
pub fn without(
    parent: Json<'_>,
    goes: impl Fn(usize, Option<Json<'_>>, Json<'_>) -> bool,
) -> Vec<JsonSplice<'static>> {
    let members = parent.members().map(|(key, value)| (Some(key), value));
    let all = members.chain(parent.items().map(|item| (None, item))).enumerate();
    let goes: Vec<bool> = all.map(|(at, (key, value))| goes(at, key, value)).collect();
    let spans = children(parent);
    let cut = |at| JsonSplice::new(at, "");
    let Some(stays) = goes.iter().position(|goes| !goes) else {
        let (start, end) = parent.span();
        return if spans.is_empty() { Vec::new() } else { vec![cut(start + 1..end - 1)] };
    };
    // Those before the first that stays are removed with the comma after them, others with the one before.
    let leading = (stays > 0).then(|| cut(spans[0].start..spans[stays].start));
    let behind = (stays + 1..spans.len()).filter(|at| goes.get(*at) == Some(&true));
    leading.into_iter().chain(behind.map(|at| cut(spans[at - 1].end..spans[at].end))).collect()
}

/// Returns the value with `raw` before the item of that number, or after the last one.
pub fn insert_item(value: &[u8], path: &[&str], at: usize, raw: &str) -> Result<Vec<u8>, JsonEditError> {
    let mut tape = Tape::default();
    let array = value_at(scan(&mut tape, value)?, path).filter(|array| array.kind() == JsonKind::Array);
    let array = array.ok_or_else(|| JsonEditError::NoSuchPlace(path.join(".")))?;
    Ok(apply(value, vec![insert(array, at, raw)]))
}

/// Returns the splice that inserts a child before child `at` or after the last, spaced like its neighbours.
pub fn insert(parent: Json<'_>, at: usize, child: &str) -> JsonSplice<'static> {
    let spans = children(parent);
    match (spans.get(at), spans.last()) {
        (Some(own), _) => {
            JsonSplice::new(own.start..own.start, format!("{child},{}", gap(parent, &spans, at)))
        }
        (None, Some(last)) => {
            let gap = gap(parent, &spans, spans.len() - 1);
            JsonSplice::new(last.end..last.end, format!(",{gap}{child}"))
        }
        (None, None) => {
            let end = parent.span().1 - 1;
            JsonSplice::new(end..end, child.to_owned())
        }
    }
}

/// Returns the splices that set members of an object, as if they were set one after another: existing ones in
/// place, new ones after the last one and spaced like it.
pub fn put<'a, T: AsRef<str>>(object: Json<'_>, members: &'a [(&str, T)]) -> Vec<JsonSplice<'a>> {
    let spans = children(object);
    let (end, mut colon) = (object.span().1 - 1, ":".to_owned());
    let mut before = match (spans.last(), object.members().last()) {
        (Some(_), Some((key, value))) => {
            colon = object.around(key.span().1..value.span().0).into_owned();
            format!(",{}", gap(object, &spans, spans.len() - 1))
        }
        _ => String::new(),
    };
    let place = spans.last().map_or(end, |last| last.end);
    let mut splices = Vec::new();
    for (name, raw) in members {
        let raw = raw.as_ref();
        if let Some(value) = object.get(name) {
            splices.push(JsonSplice::of(value, raw));
            continue;
        }
        splices.push(JsonSplice::new(place..place, format!("{before}{}{colon}", quoted(name))));
        splices.push(JsonSplice::new(place..place, raw));
        if spans.is_empty() {
            before = format!(",{}", object.around(object.span().0 + 1..end));
        }
    }
    splices
}

/// Returns the splice that sets a member of an object whose members are sorted by name.
pub fn put_sorted(object: Json<'_>, name: &str, raw: String) -> JsonSplice<'static> {
    if let Some(found) = object.get(name) {
        return JsonSplice::of(found, raw);
    }
    let later = |key: &str| key.encode_utf16().gt(name.encode_utf16());
    let place = object.members().position(|(key, _)| key.text().is_some_and(|key| later(&key)));
    insert(object, place.unwrap_or(usize::MAX), &format!("{}: {raw}", quoted(name)))
}

/// Returns the splice that sets a member of an object in the document `root`: in place, or as the last one, spaced
/// like the members of the document.
pub fn put_last(root: Json<'_>, object: Json<'_>, name: &str, raw: &str) -> JsonSplice<'static> {
    let colon = colon_of(root);
    let member = format!("{}{colon}{raw}", quoted(name));
    let mut members = object.members();
    match (object.get(name), members.next(), members.next()) {
        (Some(old), ..) => JsonSplice::of(old, raw.to_owned()),
        (None, None, _) => {
            let (line, unit) = line_of(root, object);
            JsonSplice::of(object, braced(&line, &unit, &member))
        }
        (None, Some((key, last)), None) if key.span().0 == object.span().0 + 1 && colon == ": " => {
            let at = last.span().1;
            JsonSplice::new(at..at, format!(", {member}"))
        }
        _ => insert(object, usize::MAX, &member),
    }
}

/// Returns an object with one member, as the value of a new member of the document `root`.
pub fn inner_object(root: Json<'_>, name: &str, raw: &str) -> String {
    let (line, unit) = line_of(root, root);
    braced(&(line + &unit), &unit, &format!("{}{}{raw}", quoted(name), colon_of(root)))
}

fn colon_of(root: Json<'_>) -> Cow<'_, str> {
    let first = root.members().next();
    first.map_or(": ".into(), |(key, value)| root.around(key.span().1..value.span().0))
}

/// Returns the line end and indentation of the line on which `object` starts, and one level's indentation. Both are
/// empty if the document is on one line.
fn line_of(root: Json<'_>, object: Json<'_>) -> (String, String) {
    let Some((first, _)) = root.members().next() else { return Default::default() };
    let opening = root.around(root.span().0 + 1..first.span().0);
    let Some((before, unit)) = opening.rsplit_once('\n') else { return Default::default() };
    let above = root.around(0..object.span().0);
    let line = above.rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let end = if before.ends_with('\r') { "\r\n" } else { "\n" };
    (format!("{end}{indent}"), unit.to_owned())
}

fn braced(line: &str, unit: &str, member: &str) -> String {
    format!("{{{line}{unit}{member}{line}}}")
}

/// Reads one value, which must be all of the bytes except for white space.
pub fn scan<'a>(tape: &'a mut Tape, value: &'a [u8]) -> Result<Json<'a>, JsonEditError> {
    match tape.scan(value, Newlines::Refused) {
        ScanResult::Whole { end, .. } if value[end..].iter().all(u8::is_ascii_whitespace) => {
            Ok(Json::of(value, tape))
        }
        _ => Err(JsonEditError::NotJson),
    }
}

/// Returns the value at a path. A number as a step is the index of an array item.
pub fn value_at<'a>(root: Json<'a>, path: &[&str]) -> Option<Json<'a>> {
    path.iter().try_fold(root, |at, step| child(at, step))
}

/// Returns the text at a path of a JSON value.
pub fn text_at(value: &[u8], path: &[&str]) -> Option<String> {
    Some(value_at(scan(&mut Tape::default(), value).ok()?, path)?.text()?.into_owned())
}

fn child<'a>(at: Json<'a>, step: &str) -> Option<Json<'a>> {
    match at.kind() {
        JsonKind::Object => at.get(step),
        JsonKind::Array => at.items().nth(step.parse().ok()?),
        _ => None,
    }
}

fn children(parent: Json<'_>) -> Vec<Range<usize>> {
    let members = parent.members().map(|(key, value)| key.span().0..value.span().1);
    let items = parent.items().map(|item| item.span().0..item.span().1);
    members.chain(items).collect()
}

/// Returns the white space before a child, without the comma.
fn gap(parent: Json<'_>, spans: &[Range<usize>], at: usize) -> String {
    let from = at.checked_sub(1).map_or(parent.span().0 + 1, |before| spans[before].end);
    parent.around(from..spans[at].start).replace(',', "")
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
        assert_eq!(set(br#"{"a":1}"#, &["a", "b"], "2"), Err(JsonEditError::NoSuchPlace("a.b".into())));
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
