//! What two bundles have different, item by item.

use std::collections::HashMap;

use super::bundle::SECTIONS;
use crate::text::indented;
use crate::text::json::{Json, Kind};

/// One difference: what came, went or changed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `+`, `−` or `~`.
    pub sign: char,
    /// The section, or a part of it: `currentFocus.knownRisks`.
    pub place: String,
    /// What stands for the item. Untrusted text.
    pub text: String,
}

impl Change {
    /// It in a line.
    pub fn to_line(&self) -> String {
        format!("{} {}  {}", self.sign, self.place, self.text).trim_end().to_owned()
    }
}

/// The differences of `after` from `before`, section by section.
pub fn difference(before: Json<'_>, after: Json<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (section, _) in SECTIONS {
        values(section, before.get(section), after.get(section), &mut changes);
    }
    changes
}

fn values(place: &str, before: Option<Json<'_>>, after: Option<Json<'_>>, changes: &mut Vec<Change>) {
    let mut one = |sign, value: Json<'_>| {
        changes.push(Change { sign, place: place.to_owned(), text: named(value) });
    };
    match (before, after) {
        (None, None) => {}
        (None, Some(after)) => one('+', after),
        (Some(before), None) => one('−', before),
        (Some(before), Some(after)) if same(before, after) => {}
        (Some(before), Some(after)) => match (before.kind(), after.kind()) {
            (Kind::Array, Kind::Array) => lists(place, before, after, changes),
            (Kind::Object, Kind::Object) if !place.contains('.') => objects(place, before, after, changes),
            _ => one('~', after),
        },
    }
}

fn objects(place: &str, before: Json<'_>, after: Json<'_>, changes: &mut Vec<Change>) {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in before.members().chain(after.members()) {
        let name = name.text().unwrap_or_default().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        values(&format!("{place}.{name}"), before.get(&name), after.get(&name), changes);
    }
}

/// Items are the same by what stands for them, whatever their order.
fn lists(place: &str, before: Json<'_>, after: Json<'_>, changes: &mut Vec<Change>) {
    let mut left: HashMap<String, Vec<Json<'_>>> = HashMap::new();
    before.items().for_each(|item| left.entry(named(item)).or_default().push(item));
    let mut change = |sign, text| changes.push(Change { sign, place: place.to_owned(), text });
    for item in after.items() {
        let text = named(item);
        match left.get_mut(&text).and_then(Vec::pop) {
            Some(own) if same(own, item) => {}
            Some(_) => change('~', text),
            None => change('+', text),
        }
    }
    for item in before.items() {
        let text = named(item);
        if left.get_mut(&text).and_then(Vec::pop).is_some() {
            change('−', text);
        }
    }
}

fn same(a: Json<'_>, b: Json<'_>) -> bool {
    a.raw() == b.raw() || matches!((indented::digest(a), indented::digest(b)), (Some(a), Some(b)) if a == b)
}

/// The title of an item, or its name, or all of it, as far as a line goes.
fn named(item: Json<'_>) -> String {
    let own = ["title", "label", "path", "name"].iter().find_map(|name| item.get(name)?.text());
    let text = own.map_or_else(|| item.plain(), |own| own.into_owned());
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::reading::whole_object;
    use crate::text::scan::Tape;

    fn lines(before: &str, after: &str) -> Vec<String> {
        let (mut one, mut two) = (Tape::default(), Tape::default());
        let before = whole_object(&mut one, before.as_bytes()).unwrap();
        let after = whole_object(&mut two, after.as_bytes()).unwrap();
        difference(before, after).iter().map(Change::to_line).collect()
    }

    #[test]
    fn items_that_came_went_and_changed_are_told_apart() {
        let before = r#"{"gotchas":[{"title":"a","cause":"x"},{"title":"b"}],"currentFocus":{"summary":"s","knownRisks":["r"]}}"#;
        let after = r#"{"gotchas":[{"title":"c"},{"title":"a","cause":"y"}],"currentFocus":{"summary":"t","knownRisks":["r","q"]}}"#;
        assert_eq!(
            lines(before, after),
            [
                "~ currentFocus.summary  t",
                "+ currentFocus.knownRisks  q",
                "+ gotchas  c",
                "~ gotchas  a",
                "− gotchas  b"
            ]
        );
    }

    #[test]
    fn order_and_white_space_are_no_difference() {
        let before = r#"{"gotchas":[{"title":"a","cause":"x"},{"title":"b"}]}"#;
        let after = r#"{ "gotchas": [ {"title":"b"}, {"cause":"x", "title":"a"} ] }"#;
        assert_eq!(lines(before, after), [] as [&str; 0]);
    }
}
