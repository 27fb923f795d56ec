//! Fixes of front matter that a writer emptied or doubled.

use crate::format::markdown::topic_file;
use crate::format::notes::note_file::stem;
use crate::format::writing::FormatFix;
use crate::model::Document;
use crate::text::front_matter::edit::{NewYamlValue, set};
use crate::text::front_matter::{Note, second};

/// Makes one front matter of two by what it removes, so that quarantine has it.
pub fn joined_front(own: &Document, text: &str) -> Option<FormatFix> {
    let first = Note::read(text);
    let (start, second) = second(text, &first)?;
    let closing = text[..first.body.start].trim_end().rfind('\n')? + 1;
    let opening = start + text[start..].find('\n')? + 1;
    let doubled = first.fields.iter().filter_map(|field| {
        let other = second.field(field.name)?;
        let is_empty = other.value.plain().is_empty();
        Some(if is_empty { start + other.span.start..start + other.span.end } else { field.span.clone() })
    });
    let mut edits: Vec<_> =
        doubled.chain(std::iter::once(closing..opening)).map(|own| (own, Vec::new())).collect();
    edits.sort_by_key(|(own, _)| own.start);
    let reason = "Of a field that both have, the second's value stays.";
    Some(FormatFix::of(own, ("make one front matter of both", 80), reason, edits))
}

/// Fills an empty front matter in from the file's name and the first line of its text.
pub fn filled_front(own: &Document, text: &str) -> Option<FormatFix> {
    let body = Note::read(text).body.start;
    let mut lines = text[body..].lines().map(|own| own.trim_start_matches('#').trim());
    let said = lines.find(|own| !own.is_empty())?;
    let name = stem(&own.path);
    let kind = topic_file::type_and_name(&name).map(|(kind, _)| ("type", kind));
    let mut front = text[..body].to_owned();
    for (field, value) in [("name", &*name), ("description", said)].into_iter().chain(kind) {
        front = set(&front, field, NewYamlValue::Text(value)).ok()?;
    }
    let reason = "They are from the file's name and its text: check them.";
    let edits = vec![(0..body, front.into_bytes())];
    Some(FormatFix::of(own, ("fill in name and description", 60), reason, edits))
}
