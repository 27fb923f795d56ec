//! The action `redact`: a menu of what replaces the values of the chosen findings.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{chosen, holders, memories, name, nothing, values};
use crate::detectors::label;
use crate::model::EntryRef;
use crate::ops::redact::{RecordSpan, RedactedValues, Redaction, RedactionStyle};
use crate::tui::possible_changes::writable;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::pending_changes::{DeleteMenu, DeleteMenuItem};
use crate::usecase::value_holders::SHORTEST_VALUE;
use crate::usecase::{ChangeCommand, ListedFinding, memory_count};

const STYLES: [(char, &str, RedactionStyle); 3] = [
    ('m', "mask", RedactionStyle::Mask),
    ('l', "label", RedactionStyle::Label),
    ('p', "pseudonym", RedactionStyle::Pseudonym),
];

pub fn open(app: &mut App) {
    match menu(app) {
        Ok(Some(menu)) => app.delete_menu = Some(menu),
        Ok(None) => nothing(app),
        Err(why) => app.say(why),
    }
}

/// Makes the menu: small letters for the chosen memories, capital letters for all that have the values.
fn menu(app: &App) -> Result<Option<DeleteMenu>, String> {
    writable(app)?;
    let found = chosen(app);
    let Some(list) = app.list_view.findings.list.as_ref().filter(|_| !found.is_empty()) else {
        return Ok(None);
    };
    let replaced = replaced(app, &found)?;
    let target = |at: Vec<EntryRef>| {
        let name = match at.len() {
            1 => format!("{} in 1 memory", name(&found)),
            several => format!("{} in {}", name(&found), memory_count(several)),
        };
        ChangeTarget { snapshot: Arc::clone(&list.snapshot), at, name, ..ChangeTarget::default() }
    };
    let own = target(memories(found.iter().copied()));
    let mut lines: Vec<DeleteMenuItem> = STYLES.map(|style| line(&found, style, &replaced, None)).into();
    let all = holders(app, &values(&found));
    if all.len() > own.at.len() && matches!(replaced, RedactedValues::Texts(_)) {
        let all = target(all);
        lines.extend(STYLES.map(|(key, name, style)| {
            line(&found, (key.to_ascii_uppercase(), name, style), &replaced, Some(&all))
        }));
    }
    Ok(Some(DeleteMenu { verb: "Redact", aim: own, lines }))
}

/// Returns what is replaced. A short value is in other texts by chance, so it is replaced in its place alone.
fn replaced(app: &App, found: &[&ListedFinding]) -> Result<RedactedValues, String> {
    let values = values(found);
    let is_short = values.iter().any(|own| own.len() < SHORTEST_VALUE);
    match found {
        [one] if is_short => span(app, one),
        _ if is_short => Err(format!(
            "A value under {SHORTEST_VALUE} bytes is redacted alone, in its place: Esc clears the marks."
        )),
        _ => {
            let texts = values.into_iter().map(String::from_utf8).collect::<Result<_, _>>();
            texts.map(RedactedValues::Texts).map_err(|_| "The value is not UTF-8: erase its memory.".into())
        }
    }
}

fn span(app: &App, own: &ListedFinding) -> Result<RedactedValues, String> {
    let moved = || "The stores changed meanwhile. Nothing was changed; try again.".to_owned();
    let list = app.list_view.findings.list.as_ref().ok_or_else(moved)?;
    let (store, entry) = list.snapshot.get(own.at);
    let line = own.finding.line.checked_sub(store.record(entry).line).ok_or_else(moved)?;
    let span = own.finding.span.clone();
    Ok(RedactedValues::Span(RecordSpan { key: store.key(entry), line: Some(line), span }))
}

fn line(
    found: &[&ListedFinding],
    (key, name, style): (char, &'static str, RedactionStyle),
    replaced: &RedactedValues,
    all: Option<&ChangeTarget>,
) -> DeleteMenuItem {
    let first = found.first().map(|own| &own.finding);
    let becomes = match style {
        RedactionStyle::Mask => first.map_or(String::new(), |own| own.masked.clone()),
        RedactionStyle::Label => label(first.map(|own| &*own.rule)),
        RedactionStyle::Pseudonym => "the same name for the same value".to_owned(),
    };
    let about = match all {
        Some(all) => format!("{becomes}  in all {} that have it", memory_count(all.at.len())),
        None => becomes,
    };
    let redaction =
        Redaction { values: replaced.clone(), style, key: Vec::new(), false_alarms: BTreeSet::new() };
    DeleteMenuItem {
        key,
        name,
        about,
        wanted: ChangeCommand::Redact(redaction),
        all_found: all.cloned(),
        refused: None,
    }
}
