//! Rows whose titles begin the same way. Each shows the place where it differs from the others.

use std::collections::HashMap;

use crate::detectors::cut;
use crate::model::{EntryRef, UntrustedText};
use crate::tui::state::app::{App, DistinctTitles};
use crate::tui::theme;
use crate::tui::update::detail::{text_of, title_of};

/// At most this many bytes of a value are compared.
const SHOWN: usize = 4_000;
/// At most this often, rows that still look alike are shortened again.
const TRIES: usize = 4;
/// On fewer columns, a row shows only its title.
const LEAST: usize = 8;

/// Makes the texts of rows that would look alike on this many columns.
pub fn refresh(app: &mut App, visible: &[EntryRef], columns: usize) {
    let made_for = (visible.to_vec(), columns, app.revealed);
    if app.distinct_titles.made_for == made_for {
        return;
    }
    let rows = if columns < LEAST { HashMap::new() } else { told_apart(app, visible, columns) };
    for at in visible.iter().filter(|at| rows.get(at) != app.distinct_titles.rows.get(at)) {
        app.match_lines.remove(at);
    }
    app.distinct_titles = DistinctTitles { rows, made_for };
}

fn told_apart(app: &App, visible: &[EntryRef], columns: usize) -> HashMap<EntryRef, String> {
    let titles: Vec<String> = visible.iter().map(|at| theme::safe(app, title_of(app, *at).raw())).collect();
    let mut shown: Vec<String> = titles.iter().map(|title| theme::fit(title, columns)).collect();
    for group in alike(&shown) {
        let own: Vec<&str> = group.iter().map(|row| titles[*row].as_str()).collect();
        for (row, text) in group.iter().zip(by_title(&own, columns)) {
            shown[*row] = text;
        }
    }
    for group in alike(&shown) {
        let rows: Vec<EntryRef> = group.iter().map(|row| visible[*row]).collect();
        for (row, tail) in group.iter().zip(by_field(app, &rows)) {
            shown[*row] = joined(&titles[*row], &tail, columns);
        }
    }
    let changed =
        visible.iter().zip(&titles).zip(shown).filter(|((_, title), own)| theme::fit(title, columns) != *own);
    changed.map(|((at, _), own)| (*at, own)).collect()
}

/// Returns the names of the stores in at most this many columns. Names that are cut show where they differ.
pub fn store_names(app: &App, columns: usize) -> Vec<String> {
    let names: Vec<String> = app.store_names.iter().map(|name| theme::safe(app, name)).collect();
    by_title(&names.iter().map(String::as_str).collect::<Vec<_>>(), columns)
}

/// Returns the groups of rows that look the same, as indexes. Single rows are left out.
fn alike(shown: &[String]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    shown.iter().enumerate().for_each(|(row, text)| groups.entry(text).or_default().push(row));
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Returns the texts of titles that begin the same way: the beginning, and the part that differs.
fn by_title(titles: &[&str], columns: usize) -> Vec<String> {
    let mut shown: Vec<String> = titles.iter().map(|title| theme::fit(title, columns)).collect();
    for _ in 0..TRIES {
        let mut is_done = true;
        for group in alike(&shown) {
            let own: Vec<&str> = group.iter().map(|row| titles[*row]).collect();
            if own.iter().all(|title| *title == own[0]) {
                continue;
            }
            let from = begins_to_differ(&own);
            for row in group {
                let text = joined(titles[row], &titles[row][from..], columns);
                is_done &= text == shown[row];
                shown[row] = text;
            }
        }
        if is_done {
            break;
        }
    }
    shown
}

/// Returns where texts begin to differ: the start of that word, or the exact place if the word is long.
fn begins_to_differ(texts: &[&str]) -> usize {
    let first = texts.first().copied().unwrap_or_default();
    let common = |other: &&str| {
        let same = first.chars().zip(other.chars()).take_while(|(one, two)| one == two);
        same.map(|(one, _)| one.len_utf8()).sum::<usize>()
    };
    let at = texts.iter().map(common).min().unwrap_or_default();
    let word = first[..at].rfind(' ').map_or(0, |blank| blank + 1);
    if at - word <= LEAST { word } else { at }
}

/// Returns the first field in which memories with the same title differ, with its name.
fn by_field(app: &App, rows: &[EntryRef]) -> Vec<String> {
    let fields: Vec<Vec<(String, String)>> = rows.iter().map(|at| fields(app, *at)).collect();
    let value = |row: usize, name: &str| {
        fields[row].iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str())
    };
    let names = fields.iter().flatten().map(|(name, _)| name.as_str());
    let differs = |name: &&str| (1..rows.len()).any(|row| value(row, name) != value(0, name));
    let Some(name) = names.into_iter().find(differs) else { return vec![String::new(); rows.len()] };
    let values: Vec<&str> = (0..rows.len()).map(|row| value(row, name)).collect();
    let from = begins_to_differ(&values);
    let told = |value: &str| match (name, value.get(from..).unwrap_or_default()) {
        ("", rest) => rest.to_owned(),
        (name, "") => format!("{}: none", theme::safe(app, name)),
        // A short value is shown in full.
        (name, _) if value.len() <= 3 * LEAST => format!("{}: {value}", theme::safe(app, name)),
        (name, rest) => format!("{}: {rest}", theme::safe(app, name)),
    };
    values.into_iter().map(told).collect()
}

/// Returns the fields of a memory, in the order in which people look for a difference. Safe text.
fn fields(app: &App, at: EntryRef) -> Vec<(String, String)> {
    let (store, entry) = app.listed_snapshot.get(at);
    let own = text_of(store, entry);
    let created =
        store.memory(entry).and_then(|memory| memory.created).map_or(String::new(), |own| own.to_rfc3339());
    let session = store.session(entry).map_or(String::new(), |own| own.name.clone());
    let known = [(String::new(), own.text), ("written".into(), created.into())];
    let place =
        [("session".into(), session.into()), ("store".into(), app.store_name(at.store as usize).into())];
    let all = known.into_iter().chain(own.other_texts).chain(own.fields).chain(place);
    let is_told = |(name, _): &(String, UntrustedText)| {
        !matches!(
            name.as_str(),
            "id" | "event_id" | "note_id" | "checksum" | "access_count" | "last_accessed" | "accessed_at"
        )
    };
    all.filter(is_told)
        .map(|(name, value)| {
            (name, theme::safe(app, &value.raw()[..cut(value.raw(), SHOWN)]).replace('\n', " "))
        })
        .collect()
}

/// Joins the beginning of a title, an ellipsis and a tail, which gets more of the room.
fn joined(title: &str, tail: &str, columns: usize) -> String {
    if tail.is_empty() {
        return theme::fit(title, columns);
    }
    let room = columns.saturating_sub(2);
    let tail = theme::fit(tail, (room * 2 / 3).max(room.saturating_sub(theme::width(title))));
    let head = theme::fit(title, room.saturating_sub(theme::width(&tail)).max(1));
    format!("{}… {tail}", head.trim_end_matches(['…', ' ']))
}
