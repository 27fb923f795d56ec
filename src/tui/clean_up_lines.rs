//! The areas of the clean-up, and the lines of its preview and its proof.

use ratatui::layout::Rect;

use std::collections::BTreeMap;

use super::{layout, theme};
use crate::detectors::mask;
use crate::model::plan::count_with_noun;
use crate::model::{Code, PathText};
use crate::text::safe_text::sanitize;
use crate::tui::state::app::App;
use crate::tui::state::clean_up::{CleanUp, CleanUpField, CleanUpReason, CleanUpRow};
use crate::tui::state::list_view::ListedProblem;
use crate::usecase::clean_up::{CleanUpAction, NearCopy, NearKind};
use crate::usecase::{memory_count, not_reached_lines};

/// A narrower screen has all parts above one another.
const SIDES: u16 = 100;
/// At most this many files of a store are named.
const NAMED: usize = 2;
const LEFT: u16 = 37;

pub struct PreviewAreas {
    pub rule: Rect,
    pub list: Rect,
    pub copies: Rect,
    pub after: Rect,
}

pub fn areas(app: &App) -> PreviewAreas {
    let body = layout::frame(app).body;
    if body.width >= SIDES {
        let upper = (body.height * 3 / 5).max(4);
        let (top, low) = layout::split_rows(body, upper);
        let half = low.width / 2;
        let left = Rect { width: LEFT, ..top };
        return PreviewAreas {
            rule: left,
            list: Rect { x: top.x + LEFT + 1, width: top.width - LEFT - 1, ..top },
            copies: Rect { width: half, ..low },
            after: Rect { x: low.x + half + 1, width: low.width - half - 1, ..low },
        };
    }
    let rule = if body.height < 16 { 0 } else { 2 };
    let (rule, rest) = layout::split_rows(body, rule);
    let (list, low) = layout::split_rows(rest, (rest.height / 2).max(3));
    let (copies, after) = layout::split_rows(low, low.height / 2);
    PreviewAreas { rule, list, copies, after }
}

/// Returns the number of memories that the preview shows at once.
pub fn rows_on_screen(app: &App) -> usize {
    usize::from(areas(app).list.height.saturating_sub(1)).max(1)
}

/// Returns the rule as the user typed it, a name and a text on each line. A value is not shown.
pub fn rule(own: &CleanUp) -> Vec<(&'static str, String)> {
    let typed = |field: &CleanUpField| {
        let text = own.typed(*field);
        let text = match field {
            CleanUpField::Value if !text.is_empty() => format!("{} bytes, not shown", text.len()),
            _ => text,
        };
        (!text.is_empty()).then_some((field.label(), text))
    };
    let mut lines: Vec<(&str, String)> = CleanUpField::ALL.iter().filter_map(typed).collect();
    let chosen = own.chosen.iter().filter(|chosen| **chosen).count();
    lines.push(("stores", format!("{chosen} of {}", own.chosen.len())));
    let action = match own.action {
        CleanUpAction::Erase => "erase everywhere, for good",
        CleanUpAction::Delete => "delete: undo for 30 days",
    };
    lines.push(("action", action.to_owned()));
    lines
}

/// Returns the parts of a row of the preview: in or out, type, store, date, title, and why it is listed. Untrusted
/// text.
pub fn row(own: &CleanUp, row: &CleanUpRow) -> [String; 6] {
    let (Some(snapshot), Some(plan)) = (&own.snapshot, &own.plan) else { return Default::default() };
    let (store, entry) = snapshot.get(row.at);
    let memory = store.memory(entry);
    let kind = memory.map_or("broken", |memory| memory.kind()).to_owned();
    let date =
        store.time_of(entry).map(|time| format!("{}{}", time.mark(), time.at.date())).unwrap_or_default();
    let of = own.store_name(row.at.store as usize).to_owned();
    // A part of a value is a secret as well.
    let title = match row.reason {
        CleanUpReason::Near(NearCopy { kind: NearKind::Part, .. }) => plan.planned.shown_name(row.at),
        _ => plan.shown_title(row.at),
    };
    let why = match row.reason {
        CleanUpReason::Fits if row.goes => String::new(),
        CleanUpReason::Fits => "stays".into(),
        CleanUpReason::Copy => "goes as a copy".into(),
        CleanUpReason::Lost => "can't be restored then".into(),
        CleanUpReason::Kept => format!("stays: {}", plan.why_left(row.at)),
        CleanUpReason::Near(near) => near.told(),
        CleanUpReason::Pinned => "pinned".into(),
        CleanUpReason::Holds => "holds the value".into(),
    };
    [if row.goes { "[x]" } else { "[ ]" }.to_owned(), kind, of, date, title, why]
}

/// Returns the lines about where copies are. Untrusted text.
pub fn copies(own: &CleanUp) -> Vec<String> {
    let (Some(plan), Some(snapshot)) = (&own.plan, &own.snapshot) else { return Vec::new() };
    if own.is_stale {
        return vec!["You chose other memories: Enter looks again.".into()];
    }
    let mut lines = Vec::new();
    for (store, changes) in plan.planned.all() {
        let number = snapshot.stores.iter().position(|other| other.root == store.root).unwrap_or_default();
        let name = own.store_name(number);
        lines.push(format!("{name}: {}", memory_count(changes.records)));
        let mut words: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for change in changes.all().filter(|change| !change.is_empty()) {
            words.entry(change.word()).or_default().push(change.path.to_text().into_owned());
        }
        lines.extend(words.iter().map(|(word, files)| format!("  {word} {}", named_files(files))));
        // The memories themselves are in the list.
        let is_memory = |line: &&String| line.starts_with("erase ") && line.contains("  ");
        lines.extend(changes.lines.iter().filter(|line| !is_memory(line)).map(|line| format!("  {line}")));
    }
    lines.extend(plan.planned.left_out());
    lines
}

/// Returns the number of files, and the first of them.
fn named_files(files: &[String]) -> String {
    let count = count_with_noun(files.len() as u64, "file");
    let more = if files.len() > NAMED { ", …" } else { "" };
    format!("{count}: {}{more}", files[..files.len().min(NAMED)].join(", "))
}

/// Returns the lines about what happens, and what is not reached. Untrusted text.
pub fn after(own: &CleanUp) -> Vec<String> {
    let Some(plan) = &own.plan else { return Vec::new() };
    let mut lines = Vec::new();
    match own.action {
        CleanUpAction::Erase => {
            lines.push("It can't be undone. t deletes instead, with undo for 30 days.".into())
        }
        CleanUpAction::Delete => lines.push(
            "It can be undone for 30 days. The text stays on disk; only an erasure removes it for sure."
                .into(),
        ),
    }
    lines.extend(plan.planned.notes.iter().cloned());
    lines.extend(not_reached_lines(&plan.planned.not_reached));
    lines
}

/// Returns the number of memories that hold again what was erased at any time.
pub fn erased_again(app: &App) -> usize {
    let is_it = |listed: &&ListedProblem| {
        let store = app.snapshot.stores.get(listed.store);
        store.and_then(|store| store.problems.get(listed.at)).is_some_and(|own| own.code == Code::ErasedAnew)
    };
    app.problem_list.iter().filter(is_it).count()
}

/// Returns the lines of the proof, wrapped, and how many of them fit.
pub fn proof(app: &App) -> (Vec<String>, usize) {
    let body = layout::frame(app).body;
    let Some(own) = &app.clean_up else { return (Vec::new(), 0) };
    let width = usize::from(body.width.saturating_sub(2)).max(1);
    let told = match erased_again(app).saturating_sub(own.erased_again) {
        0 => None,
        1 => Some(
            "Since then, 1 memory holds again what was erased: g p names it and who wrote it.".to_owned(),
        ),
        several => Some(format!(
            "Since then, {several} memories hold again what was erased: g p names them and who wrote it."
        )),
    };
    let lines = told.iter().chain(&own.proof);
    let lines = lines.flat_map(|line| theme::wrap(&sanitize(&mask(line)), width)).collect();
    (lines, usize::from(body.height.saturating_sub(1)))
}
