//! Edits of lists: items that stay keep their spelling, and new ones get the same style.

use std::borrow::Cow;

use super::is_comment;
use super::scalars::{self, ScalarPlace, ScalarStyle};
use crate::text::front_matter::flow_signs;

/// Returns what is between the outermost brackets, split at their commas.
fn segments(text: &str) -> Option<Vec<&str>> {
    let (mut found, mut from) = (Vec::new(), 1);
    for (at, sign, depth) in flow_signs(text) {
        if depth == 0 || (depth, sign) == (1, ',') {
            found.push(text.get(from..at)?);
            from = at + 1;
        }
        if depth == 0 {
            return Some(found);
        }
    }
    None
}

/// Returns the list in brackets with other items. `None` if it is uncertain where its items are.
pub fn flow(raw: &str, old: &[Cow<'_, str>], new: &[String]) -> Option<String> {
    let all = segments(raw)?;
    let segments: Vec<&str> = all.iter().filter(|segment| !segment.trim().is_empty()).copied().collect();
    let has_comment = |raw: &str| raw.starts_with('#') || !raw.starts_with(['"', '\'']) && raw.contains(" #");
    let is_clear = |segment: &&str| !segment.trim().contains(['\n', '\r']) && !has_comment(segment.trim());
    if segments.len() != old.len() || !segments.iter().all(is_clear) {
        return None;
    }
    let style = style(segments.iter().map(|segment| segment.trim()));
    let mut left: Vec<(&str, &str)> =
        old.iter().zip(&segments).map(|(own, raw)| (&**own, raw.trim())).collect();
    let items: Vec<Cow<'_, str>> = new
        .iter()
        .map(|item| match left.iter().position(|(own, _)| own == item) {
            Some(at) => Cow::Borrowed(left.remove(at).1),
            None => Cow::Owned(scalars::written(item, style, ScalarPlace::Brackets)),
        })
        .collect();
    if items.is_empty() {
        return Some("[]".into());
    }
    let padding = |segment: Option<&&str>| -> String {
        let segment = segment.copied().unwrap_or_default();
        segment.chars().take_while(|c| c.is_whitespace()).collect()
    };
    let before = padding(segments.first());
    let between = if segments.len() > 1 { padding(segments.get(1)) } else { " ".into() };
    let last = all.last().copied().unwrap_or_default();
    let after = last.get(last.trim_end().len()..).unwrap_or_default();
    Some(format!("[{before}{}{after}]", items.join(&format!(",{between}"))))
}

/// Returns the quotes that all items have, plain if they differ.
fn style<'a>(mut raw: impl Iterator<Item = &'a str>) -> ScalarStyle {
    let first = raw.next().map_or(ScalarStyle::Plain, scalars::style);
    if raw.all(|item| scalars::style(item) == first) { first } else { ScalarStyle::Plain }
}

/// An item of a list with one item per line, and the comments above it.
struct ListItem<'a> {
    above: Vec<&'a str>,
    line: &'a str,
    value: &'a str,
}

/// Returns the lines of a list with other items. A comment stays, with its item if that stays.
pub fn block(below: &[&str], old: &[Cow<'_, str>], new: &[String], end: &str) -> Option<String> {
    let mut items: Vec<ListItem<'_>> = Vec::new();
    let mut above = Vec::new();
    for line in below {
        if is_comment(line) {
            above.push(*line);
        } else {
            let value = old.get(items.len())?;
            items.push(ListItem { above: std::mem::take(&mut above), line, value });
        }
    }
    let raw =
        |item: &ListItem<'_>| item.line.trim_start().strip_prefix('-').unwrap_or_default().trim_start().len();
    let mark = items.first().map_or("  - ", |item| {
        let length = item.line.len() - raw(item);
        item.line.get(..length).filter(|mark| !mark.contains(['\n', '\r'])).unwrap_or("  - ")
    });
    let texts = items.iter().map(|item| item.line.get(item.line.len() - raw(item)..).unwrap_or_default());
    let style = style(texts);
    let mut out = String::new();
    for item in new {
        match items.iter().position(|own| own.value == item) {
            Some(at) => {
                let own = items.remove(at);
                out.extend(own.above);
                out.push_str(own.line);
            }
            None => {
                out.push_str(mark);
                out.push_str(&scalars::written(item, style, ScalarPlace::Line));
                out.push_str(end);
            }
        }
    }
    let left = items.iter().flat_map(|item| &item.above).chain(&above);
    out.extend(left.copied());
    Some(out)
}
