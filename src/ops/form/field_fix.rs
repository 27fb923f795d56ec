//! Fixes for findings, at one key: an allowed value near the typed one.

use strsim::osa_distance;

use super::finding::{FieldFix, FormFinding, FormValidation};
use super::{EditForm, FieldKind, items, joined};
use crate::model::time::{TimeSpelling, Timestamp};
use crate::model::{Code, Zone};
use crate::ops::WriteContext;
use crate::text::fold::fold;

/// Gives each finding its fix, if there is one, and sorts them.
pub(super) fn offer(
    judged: &mut FormValidation,
    form: &EditForm,
    values: &[String],
    context: &WriteContext<'_>,
) {
    let bytes = judged.bytes.1;
    for finding in &mut judged.findings {
        let fix = match (finding.field, form.most_bytes) {
            (Some(at), _) => of_field(finding, form, at, &values[at], context)
                .map(|(title, value)| FieldFix { title, field: at, value }),
            (None, Some(most)) if finding.code == Code::LimitExceeded && bytes > most => {
                let (title, value) = ("shorten the text to the limit", most_length(&values[0], bytes - most));
                (!value.is_empty()).then(|| FieldFix { title: title.into(), field: 0, value })
            }
            _ => None,
        };
        finding.fix = fix.filter(|own| own.value != values[own.field]);
    }
    judged.findings.sort_by_key(|own| (!own.refuses(), own.severity));
}

fn of_field(
    finding: &FormFinding,
    form: &EditForm,
    at: usize,
    value: &str,
    context: &WriteContext<'_>,
) -> Option<(String, String)> {
    let field = &form.fields[at];
    match (finding.code, &field.kind) {
        (Code::TooLong, FieldKind::Text { most: Some(most) }) => {
            Some((format!("shorten to {most} characters"), shortened(value, *most)))
        }
        (Code::TooLong, FieldKind::Words { most, longest }) => short_list(value, *most, *longest),
        (Code::NoTimezone, FieldKind::Moment) => Some(("append Z (UTC)".into(), zoned(value))),
        (Code::BadTimestamp, FieldKind::Moment) => Some(moment(value, &field.value)),
        (Code::MissingField, FieldKind::Moment) => {
            Some(("set the current time".into(), context.now.to_millis()))
        }
        (Code::OutOfRange | Code::MissingField, FieldKind::Word { words, .. }) => {
            let near = nearest(value, words)?;
            Some((format!("set {near}"), near.to_owned()))
        }
        (Code::OutOfRange | Code::WrongType, FieldKind::Number { range, is_whole }) => {
            number(value, *range, *is_whole, &field.value)
        }
        (Code::WrongType, FieldKind::Flag) => Some(("set false".into(), "false".into())),
        (Code::DanglingReference, FieldKind::References) => present(value, &finding.message),
        (Code::OutOfRange, FieldKind::Words { longest, .. }) => Some(words(value, *longest)),
        (Code::OutOfRange | Code::WrongType | Code::MissingField, _) if !field.value.is_empty() => {
            Some(("restore the old value".into(), field.value.clone()))
        }
        _ => None,
    }
}

/// Returns the text without the last `surplus` bytes, cut between characters.
fn most_length(text: &str, surplus: usize) -> String {
    let mut end = text.len().saturating_sub(surplus);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text[..end].trim_end().to_owned(),
        None => text.to_owned(),
    }
}

/// Shortens a list to its limits. Duplicates go first.
fn short_list(value: &str, most: usize, longest: usize) -> Option<(String, String)> {
    let own = items(value);
    let mut kept: Vec<String> = Vec::new();
    for item in own.iter().map(|item| shortened(item, longest)) {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    let title = match (kept.len() < own.len(), most > 0 && kept.len() > most) {
        (_, true) => format!("keep the first {most}"),
        (true, _) => "drop duplicates".to_owned(),
        _ => format!("shorten to {longest} characters"),
    };
    if most > 0 {
        kept.truncate(most);
    }
    Some((title, joined(&kept)))
}

/// Replaces everything but letters, digits and `-._` in tags.
fn words(value: &str, longest: usize) -> (String, String) {
    let plain = |item: String| {
        let fits = |c: char| if c.is_alphanumeric() || "-._".contains(c) { c } else { '-' };
        let item: String = item.chars().map(fits).collect();
        shortened(item.trim_matches('-'), longest)
    };
    let own = items(value);
    let kept: Vec<String> = own.iter().cloned().map(plain).filter(|item| !item.is_empty()).collect();
    let is_short = own.iter().zip(&kept).all(|(own, kept)| own == kept || own.starts_with(kept.as_str()));
    let title = if is_short {
        format!("shorten to {longest} characters")
    } else {
        "letters, digits, - . _ only".into()
    };
    (title, joined(&kept))
}

fn zoned(value: &str) -> String {
    let value = value.trim();
    match value.len() {
        10 => format!("{value}T00:00:00Z"),
        _ => format!("{value}Z"),
    }
}

/// Returns the same time in the usual spelling, or the stored value.
fn moment(value: &str, stored: &str) -> (String, String) {
    let digits = value.trim().replace(['/', '.'], "-").replace(' ', "T");
    for tried in
        [digits.clone(), format!("{digits}Z"), format!("{digits}:00Z"), format!("{digits}T00:00:00Z")]
    {
        if let Some(Timestamp { when, zone, spelling }) = Timestamp::read(&tried) {
            let is_usual = zone == Zone::Given && spelling == TimeSpelling::Usual;
            let spelled = if is_usual { tried } else { when.to_millis() };
            return (format!("set {spelled}"), spelled);
        }
    }
    ("restore the old value".into(), stored.to_owned())
}

fn number(value: &str, range: Option<(f64, f64)>, is_whole: bool, stored: &str) -> Option<(String, String)> {
    let Ok(typed) = value.trim().replace(',', ".").parse::<f64>() else {
        return (!stored.is_empty()).then(|| ("restore the old value".into(), stored.to_owned()));
    };
    let (least, most) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let whole = if is_whole { typed.round() } else { typed };
    let near = whole.clamp(least, most);
    near.is_finite().then(|| (format!("set {near}"), near.to_string()))
}

fn present(value: &str, message: &str) -> Option<(String, String)> {
    let own = items(value);
    let gone = own.iter().find(|id| message.contains(&format!("{id:?}")))?;
    let kept: Vec<String> = own.iter().filter(|id| *id != gone).cloned().collect();
    Some((format!("drop {gone}"), joined(&kept)))
}

/// Returns the word with the smallest edit distance to the typed one.
pub(in crate::ops) fn nearest<'w>(typed: &str, words: &'w [String]) -> Option<&'w str> {
    let typed: String = fold(typed).chars().take(64).collect();
    words.iter().min_by_key(|word| osa_distance(&typed, &fold(word))).map(String::as_str)
}
