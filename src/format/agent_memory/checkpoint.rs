//! Checkpoints (§ history/checkpoints): older states of the bundle, and the changes since.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;

use super::bundle::{self, BUNDLE};
use super::events;
use super::json_shape;
use super::json_shape::JsonShape::{self, Object, Text, TextOrNull, When};
use super::main_text::text;
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_reader::{self, DocumentReading, Reading, object_of};
use crate::model::{Code, Moment, PathText, Reference, Severity, StoredMemory};
use crate::text::canonical::indented;
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;

const CHECKPOINT: JsonShape = Object(&[
    (&["id"], Required, Text),
    (&["createdAt"], Required, When),
    (&["eventId"], Optional, TextOrNull),
    (&["bundleHash"], Required, Text),
    (&["bundle"], Required, BUNDLE),
    (&["summary"], Optional, Text),
]);

/// Reads a checkpoint: the file is one record.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    record_reader::read_within(path, bytes, JsonKind::Object, &mut |checkpoint, within| {
        within.record(checkpoint, memory(checkpoint), Vec::new());
        json_shape::tell(json_shape::check(checkpoint, "", &CHECKPOINT, now), within);
        bundle::check(checkpoint, within);
        check_id(checkpoint, path, within);
    })
}

fn memory(checkpoint: Json<'_>) -> StoredMemory {
    let event = text(checkpoint, "eventId").map(|id| Reference::to_record("eventId", id));
    StoredMemory {
        id: text(checkpoint, "id").map(Into::into),
        kind: Cow::Borrowed("checkpoint"),
        created: checkpoint.get("createdAt").and_then(|own| own.moment()),
        importance: 0.5,
        references: event.into_iter().collect(),
        ..StoredMemory::default()
    }
}

/// Checks the id of a checkpoint. A checkpoint is found by its file name, which must be its id.
fn check_id(checkpoint: Json<'_>, path: &Path, within: &mut DocumentReading<'_>) {
    let Some(stored) = checkpoint.get("id") else { return };
    let Some(id) = stored.text().filter(|id| !id.trim().is_empty()) else { return };
    let stem = path.file_stem().unwrap_or_default().to_text();
    let at = stored.span().0;
    if ordinal(&id).is_none() {
        let message = format!("The id is {id:?}; a checkpoint's is `chk-` and its number.");
        within.problem(Code::OutOfRange, Severity::Error, at, message);
    } else if stem != id {
        let message = format!("The checkpoint {id:?} is in a file that is named {stem:?}.");
        within.problem(Code::UnexpectedPlace, Severity::Warning, at, message);
    }
}

/// Returns the number in a checkpoint's id.
pub fn ordinal(id: &str) -> Option<u64> {
    events::number(id, "chk-")
}

/// Returns the bundle in a state or a checkpoint, if it can be read.
pub fn bundle_of<'a>(tape: &'a mut Tape, file: &'a [u8]) -> Option<Json<'a>> {
    let bundle = object_of(tape, file).ok()?.get("bundle");
    bundle.filter(|bundle| bundle.kind() == JsonKind::Object)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemChange {
    Added,
    Removed,
    Changed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleDifference {
    pub section: String,
    /// The title or label of the item, or all its text if it has neither. If the section is an
    /// object: the name of the member. Untrusted text.
    pub item: String,
    pub became: ItemChange,
}

impl BundleDifference {
    /// Returns the difference as one line: `+ gotchas  The drawer sticks`.
    pub fn to_line(&self) -> String {
        let sign = match self.became {
            ItemChange::Added => '+',
            ItemChange::Removed => '−',
            ItemChange::Changed => '~',
        };
        let item: String =
            self.item.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        format!("{sign} {}  {item}", self.section).trim_end().to_owned()
    }
}

/// Returns the differences between two bundles. Items of lists are matched by title or label. Number spelling,
/// white space and order make no difference.
pub(crate) fn difference(before: Json<'_>, after: Json<'_>) -> Vec<BundleDifference> {
    let mut sections: Vec<(String, Option<Json<'_>>, Option<Json<'_>>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (name, section) in before.members() {
        let name = name.text().unwrap_or_default().into_owned();
        places.insert(name.clone(), sections.len());
        sections.push((name, Some(section), None));
    }
    for (name, section) in after.members() {
        let name = name.text().unwrap_or_default().into_owned();
        match places.get(&name) {
            Some(&place) => sections[place].2 = Some(section),
            None => sections.push((name, None, Some(section))),
        }
    }
    sections.iter().flat_map(|(name, before, after)| between(name, *before, *after)).collect()
}

/// The items of a section, by their name and their number among items of the same name.
type SectionItems = BTreeMap<(String, usize), String>;

fn between(section: &str, before: Option<Json<'_>>, after: Option<Json<'_>>) -> Vec<BundleDifference> {
    if before.zip(after).is_some_and(|(before, after)| before.raw() == after.raw()) {
        return Vec::new();
    }
    let before = before.map(items).unwrap_or_default();
    let mut after = after.map(items).unwrap_or_default();
    let mut changes = Vec::new();
    let mut add = |(item, _): (String, usize), became| {
        changes.push(BundleDifference { section: section.to_owned(), item, became });
    };
    for (key, old) in before {
        match after.remove(&key) {
            None => add(key, ItemChange::Removed),
            Some(new) if new != old => add(key, ItemChange::Changed),
            Some(_) => {}
        }
    }
    after.into_keys().for_each(|key| add(key, ItemChange::Added));
    changes
}

fn items(section: Json<'_>) -> SectionItems {
    let mut items = SectionItems::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut add = |name: String, value: Json<'_>| {
        let count = counts.entry(name.clone()).or_default();
        items.insert((name, *count), indented(value).unwrap_or_else(|| value.plain()));
        *count += 1;
    };
    match section.kind() {
        JsonKind::Object => {
            section.members().for_each(|(key, value)| add(key.text().unwrap_or_default().into(), value));
        }
        JsonKind::Array => section.items().for_each(|item| {
            let name = text(item, "title").or_else(|| text(item, "label"));
            add(name.map_or_else(|| item.plain(), Cow::into_owned), item);
        }),
        _ => add(String::new(), section),
    }
    items
}

/// Summarizes changes: `gotchas +1 −0 · nextSteps ~2`.
pub(crate) fn in_short(changes: &[BundleDifference]) -> String {
    let mut counts: Vec<(&str, [usize; 3])> = Vec::new();
    for change in changes {
        if counts.last().is_none_or(|(section, _)| *section != change.section) {
            counts.push((&change.section, [0; 3]));
        }
        if let Some((_, counts)) = counts.last_mut() {
            counts[change.became as usize] += 1;
        }
    }
    let mut short = String::new();
    for (section, [added, removed, changed]) in counts {
        let between = if short.is_empty() { "" } else { " · " };
        // Writing to a string can't fail.
        let _ = write!(short, "{between}{section}");
        if added + removed > 0 {
            let _ = write!(short, " +{added} −{removed}");
        }
        if changed > 0 {
            let _ = write!(short, " ~{changed}");
        }
    }
    if short.is_empty() { "no change".into() } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::record_reader::whole_object;

    const BEFORE: &str = r#"{"gotchas":[{"title":"a","cause":"x"},{"title":"b","cause":"y"}],
        "nextSteps":[{"title":"s","why":"1"}],"project":{"name":"p","summary":"old"}}"#;

    fn changes(before: &str, after: &str) -> Vec<BundleDifference> {
        let (mut old, mut new) = (Tape::default(), Tape::default());
        let before = whole_object(&mut old, before.as_bytes()).unwrap();
        difference(before, whole_object(&mut new, after.as_bytes()).unwrap())
    }

    fn short(after: &str) -> String {
        in_short(&changes(BEFORE, after))
    }

    #[test]
    fn a_bundle_does_not_differ_from_itself_however_it_is_written() {
        assert_eq!(short(BEFORE), "no change");
        let other = r#"{"project":{"summary":"\u006fld","name":"p"}, "nextSteps":[{"why":"1","title":"s"}],
            "gotchas":[{"cause":"y","title":"b"},{"cause":"x","title":"a"}]}"#;
        assert_eq!(short(other), "no change");
    }

    #[test]
    fn what_is_new_gone_and_changed_is_told_by_section() {
        let after = r#"{"gotchas":[{"title":"b","cause":"z"},{"title":"c","cause":"x"}],
            "nextSteps":[{"title":"s","why":"1"}],"project":{"name":"p","summary":"new"},"later":7}"#;
        assert_eq!(short(after), "gotchas +1 −1 ~1 · project ~1 · later +1 −0");
        let changes = changes(BEFORE, after);
        let project = changes.iter().find(|change| change.section == "project").cloned();
        let expected = BundleDifference {
            section: "project".into(),
            item: "summary".into(),
            became: ItemChange::Changed,
        };
        assert_eq!(project, Some(expected));
    }

    #[test]
    fn items_of_one_name_are_told_apart_by_their_order() {
        let one = r#"{"gotchas":[{"title":"a"},{"title":"a","n":1}]}"#;
        let two = r#"{"gotchas":[{"title":"a"},{"title":"a","n":2},{"title":"a"}]}"#;
        assert_eq!(in_short(&changes(one, two)), "gotchas +1 −0 ~1");
    }

    #[test]
    fn a_section_that_is_missing_on_one_side_is_new_or_gone() {
        assert_eq!(short(r#"{"gotchas":[]}"#), "gotchas +0 −2 · nextSteps +0 −1 · project +0 −2");
    }
}
