//! Backups, and the memories of the open backup, compared with the store.

use std::collections::HashSet;
use std::path::Path;

use ratatui::text::{Line, Span};

use crate::detectors::cut;
use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{BackupReason, Moment, PathText, RecordText, UntrustedText, Verb};
use crate::ops::backup_restore::comparison::{BackupComparison, DifferenceKind, RecordDifference};
use crate::text::columns::human_size;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind as View, RowDetails};
use crate::tui::state::app::App;
use crate::tui::state::list_view::BackupsView;
use crate::tui::state::row_list::{ListRow, RowList};
use crate::tui::theme;
use crate::work::{BackupRow, BackupSummary};

pub static KIND: View = View {
    orders: ["newest first", "by store"],
    none: "There is no backup yet. Every change is backed up first, where the format keeps backups. \
           `palimp backup create` copies every file now.",
    is_beside: false,
    rows,
    key,
    cells,
    about,
    hints,
    is_read: |app| app.list_view.backups.list.is_some(),
};

impl BackupsView {
    pub fn items(&self) -> &[RecordDifference] {
        self.opened.as_ref().map_or(&[], |opened| &opened.compared.items)
    }

    pub fn of(&self, row: Option<ListRow>) -> Option<&BackupRow> {
        let Some(ListRow::Backup(at)) = row else { return None };
        self.list.as_ref()?.get(at)
    }

    pub fn item(&self, row: Option<ListRow>) -> Option<&RecordDifference> {
        let Some(ListRow::Item(at)) = row else { return None };
        self.items().get(at)
    }
}

/// Returns where the marked memories start in the backup.
pub fn chosen(within: &RowList) -> HashSet<u64> {
    within.marks.iter().filter_map(|key| key.parse().ok()).collect()
}

/// Returns the key of a memory. A memory that can't be restored never has the key of another one.
pub fn item_key(item: &RecordDifference) -> String {
    if item.can_come { item.at.to_string() } else { format!("{} {}", item.kind.as_str(), item.at) }
}

fn key(app: &App, row: ListRow) -> String {
    let backups = &app.list_view.backups;
    let item = backups.item(Some(row)).map(|item| item.at.to_string());
    let of_backup = |own: &BackupRow| format!("{} {}", own.store, own.copy.path.to_text());
    item.or_else(|| backups.of(Some(row)).map(of_backup)).unwrap_or_default()
}

fn rows(app: &App) -> Vec<ListRow> {
    let list = app.list_view.backups.list.as_deref().unwrap_or_default();
    let mut rows: Vec<usize> = (0..list.len()).collect();
    if app.list_view.list.is_other_order {
        rows.sort_by_key(|at| list[*at].store);
    }
    rows.into_iter().map(ListRow::Backup).collect()
}

fn why(reason: &BackupReason) -> String {
    match reason {
        BackupReason::Before(verb, _) => match verb {
            Verb::Tag => "before a tag".into(),
            Verb::Edit => "before an edit".into(),
            Verb::Rename => "before a new name".into(),
            Verb::Delete => "before a deletion".into(),
            Verb::BackupRestore => "before a restore".into(),
            Verb::Compact => "before a compaction".into(),
            verb => format!("before {verb}"),
        },
        BackupReason::ByHand => "by hand".into(),
        BackupReason::Format => "by its agents".into(),
    }
}

/// Returns a short name of a file: its session, or its path.
fn file_name(path: &Path) -> String {
    let told = path.to_text().into_owned();
    let short = told.strip_suffix(".jsonl").unwrap_or(&told);
    short.strip_prefix("sessions/").unwrap_or(short).to_owned()
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let backups = &app.list_view.backups;
    if let Some(item) = backups.item(Some(row)) {
        return item_cells(app, item);
    }
    let Some(own) = backups.of(Some(row)) else { return Vec::new() };
    let state = match &own.verified {
        None => ListCell::left("  unknown", 9).styled(app.palette.dim()),
        Some(own) if own.is_whole => ListCell::left("  intact", 9),
        Some(_) => ListCell::left("✖ damaged", 9).styled(app.palette.wrong()),
    };
    let at = own.copy.at.map_or("some time".into(), |at| at.short_date_at(app.now));
    vec![
        state,
        ListCell::left(at, 12),
        ListCell::left(why(&own.copy.reason), 18).from(74),
        ListCell::store(app, own.store),
        ListCell::rest(file_name(&own.copy.file)),
        ListCell::right(human_size(own.copy.bytes), 7).styled(app.palette.dim()).from(52),
    ]
}

fn item_cells(app: &App, own: &RecordDifference) -> Vec<ListCell> {
    let told = match own.kind {
        DifferenceKind::Newer => "newer, is kept".to_owned(),
        // The backup lacks it although it was written before the backup.
        DifferenceKind::Absent => {
            let ends_early = app.list_view.backups.opened.as_ref().is_some_and(|own| own.compared.ends_early);
            let why = if ends_early { "the backup ends early" } else { "not in the backup" };
            own.written.map_or_else(|| why.to_owned(), |at| format!("{}, {why}", at.short_date_at(app.now)))
        }
        DifferenceKind::Changed => changes(app, own).into_iter().next().unwrap_or_else(|| own.told.clone()),
        _ => match own.told.strip_prefix("written ").and_then(Moment::parse) {
            Some((at, _)) => format!("written {}", at.short_date_at(app.now)),
            None => own.told.clone(),
        },
    };
    let title = if own.title.is_empty() { "erased" } else { &own.title };
    vec![
        ListCell::left(format!(" {}", own.kind.sign()), 2).styled(app.palette.strong()).close(),
        ListCell::rest(title),
        ListCell::fitting(told, 44).styled(app.palette.dim()).from(70),
    ]
}

/// Reads bytes as a memory of the backup's file; `None` if that is impossible.
fn read(app: &App, bytes: &[u8]) -> Option<RecordText> {
    let opened = app.list_view.backups.opened.as_ref()?;
    let format = opened.snapshot.stores.get(opened.store)?.format;
    format::text_of_raw(format, &opened.copy.file, bytes)
}

/// Returns how fields and text differ, from now to the backup. Empty if one side can't be read.
fn changes(app: &App, item: &RecordDifference) -> Vec<String> {
    let (Some(was), Some(is)) = (read(app, &item.was), read(app, &item.is)) else { return Vec::new() };
    let of = |fields: &[(String, UntrustedText)], name: &str| -> Option<String> {
        fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.raw().to_owned())
    };
    let mut told = Vec::new();
    for (name, then) in &was.fields {
        let then = then.raw();
        match of(&is.fields, name) {
            Some(now) if now == then => {}
            Some(now) => told.push(format!("{name} {now} → {then}")),
            None => told.push(format!("{name} (none) → {then}")),
        }
    }
    let gone = is.fields.iter().filter(|(name, _)| of(&was.fields, name).is_none());
    told.extend(gone.map(|(name, now)| format!("{name} {} → (none)", now.raw())));
    told.extend((was.text != is.text).then(|| "another text".to_owned()));
    told
}

fn about(app: &App, width: usize) -> RowDetails {
    let backups = &app.list_view.backups;
    let Some(own) = backups.of(app.list_view.row()) else { return RowDetails::default() };
    let at = own.copy.at.map_or("some time".into(), |at| at.long_date_at(app.now));
    let file = own.copy.file.file_stem().unwrap_or_default().to_text().into_owned();
    let mut letters = file.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let name = format!("{first}{} of {at}", letters.as_str());
    let Some(opened) = &backups.opened else {
        return RowDetails { title: name, right: String::new(), lines: description(app, own, width) };
    };
    let compared = &opened.compared;
    if backups.difference {
        let title = DIFFERENCE.to_owned();
        return RowDetails { title, right: String::new(), lines: difference(app, width) };
    }
    let right = figures(&BackupSummary::of(compared));
    let says = match (&compared.whole_only, compared.is_alike) {
        (_, true) => "The file is as the backup has it.".to_owned(),
        (Some(why), _) if opened.verified.is_whole => format!("{why}. W replaces the whole file."),
        (Some(why), _) => format!("{why}."),
        (None, _) if compared.items.is_empty() => {
            "Every memory is as the backup has it; only spaces or order differ.".into()
        }
        (None, _) => String::new(),
    };
    let says = match opened.verified.is_whole {
        true => says,
        false => format!("The backup is damaged: {}.{} {says}", opened.verified.found, ends_early(compared)),
    };
    let lines = if says.is_empty() { Vec::new() } else { dim(app, &says, width) };
    let title = if width < 96 { name } else { format!("{name}, compared with now") };
    RowDetails { title, right, lines }
}

/// Describes the memories that are missing because the backup ends early.
fn ends_early(compared: &BackupComparison) -> String {
    match compared.count(DifferenceKind::Absent) {
        0 => String::new(),
        _ if !compared.ends_early => String::new(),
        count => {
            let own = count_with_noun(count as u64, "memory");
            format!(" It ends early: {own} written before it are missing from it, and stay.")
        }
    }
}

fn dim(app: &App, text: &str, width: usize) -> Vec<Line<'static>> {
    theme::styled_lines(&theme::safe(app, text), width, app.palette.dim()).collect()
}

pub const DIFFERENCE: &str = "Difference   − now   + in the backup";

pub fn difference(app: &App, width: usize) -> Vec<Line<'static>> {
    let Some(item) = app.list_view.backups.item(app.list_view.details.selected()) else { return Vec::new() };
    let mut lines = Vec::new();
    let mut put = |sign: &str, text: &str| {
        let (head, text) = (format!("{sign} "), theme::safe(app, text));
        lines.extend(theme::hanging(&head, app.palette.strong(), &text, width.saturating_sub(2)));
    };
    put("·", &item.told);
    changes(app, item).iter().for_each(|change| put("~", change));
    if let Some(same) = same(app, item) {
        same.iter().for_each(|line| put(" ", line));
        return lines;
    }
    let both = [("−", &item.is), ("+", &item.was)].into_iter();
    for (sign, bytes) in both.filter(|(_, bytes)| !bytes.is_empty()) {
        for (number, line) in said(app, item, bytes).iter().enumerate() {
            put(if number == 0 { sign } else { " " }, line);
        }
    }
    lines
}

/// Returns the text and the equal fields of a memory, if both sides have the same text.
fn same(app: &App, item: &RecordDifference) -> Option<Vec<String>> {
    let (was, is) = (read(app, &item.was)?, read(app, &item.is)?);
    let fields = was.fields.into_iter().filter(|own| is.fields.contains(own)).collect();
    (was.text == is.text).then(|| told(app, item, RecordText { fields, ..is }))
}

/// Returns a memory as lines, or its bytes if it can't be read.
fn said(app: &App, item: &RecordDifference, bytes: &[u8]) -> Vec<String> {
    match read(app, bytes) {
        Some(own) => told(app, item, own),
        None => vec![String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]).into_owned()],
    }
}

fn told(app: &App, item: &RecordDifference, own: RecordText) -> Vec<String> {
    let start = |text: &str| text[..cut(text, LONGEST)].to_owned();
    // A deletion has no text. The title is of the memory that it deletes.
    let deletes = app.list_view.backups.opened.as_ref().is_some_and(|own| own.compared.deletes);
    let text = if deletes { &item.title } else { own.text.raw() };
    // The lines are masked together, because a secret can continue on the next line.
    let text = theme::masked(app, &start(text)).into_owned();
    let fields = own.fields.iter().map(|(name, value)| format!("{name}  {}", start(value.raw())));
    text.lines().map(str::to_owned).chain(fields).collect()
}

/// A difference shows at most this many bytes of a memory.
const LONGEST: usize = 64 * 1024;

fn hints(app: &App) -> Vec<Hint> {
    let backups = &app.list_view.backups;
    if backups.difference {
        return vec![hint("jk", "scroll")];
    }
    let mut hints = Vec::new();
    if backups.of(app.list_view.row()).is_none() {
        return hints;
    }
    if !app.list_view.in_details {
        hints.push(hint("Enter", if backups.opened.is_some() { "its memories" } else { "open" }));
    }
    if let Some(opened) = &backups.opened {
        let compared = &opened.compared;
        let marked = app.list_view.details.marks.len();
        hints.extend((marked > 0).then(|| act(Action::BringBack, &format!("bring back {marked}…"))));
        let can_replace = !compared.is_alike && opened.verified.is_whole;
        hints.extend(can_replace.then(|| act(Action::ReplaceFile, "replace file…")));
        hints.extend((!compared.items.is_empty()).then(|| act(Action::Difference, "difference")));
    }
    hints.push(act(Action::Verify, "verify"));
    hints
}

pub fn why_not_restorable(item: &RecordDifference) -> String {
    match item.kind {
        DifferenceKind::Newer => {
            "It was written later and is kept. Only replacing the whole file loses it.".into()
        }
        DifferenceKind::Absent => {
            format!("{}. It is kept: only replacing the whole file loses it.", item.told)
        }
        DifferenceKind::Tombstoned => format!("{}. Undelete it first: d r in the list.", item.told),
        _ => item.told.clone(),
    }
}

const INDENT: usize = 8;

/// Lists what to do with the backup, then what it is, then what differs if it was verified.
pub fn description(app: &App, own: &BackupRow, width: usize) -> Vec<Line<'static>> {
    if app.list_view.backups.opening.is_some() {
        return dim(app, "reading …", width);
    }
    let (found, state) = match &own.verified {
        None => (format!("It was not verified yet: {} does.", Action::Verify.call()), "not verified"),
        Some(own) if own.is_whole => (format!("It is intact: {}.", own.found), "verified, intact"),
        Some(own) => (format!("It is damaged: {}.", own.found), "verified, damaged"),
    };
    let opens = || format!("{found} Enter compares it with the store as it is now, and changes nothing.");
    let says = app.list_view.backups.failed.clone().unwrap_or_else(opens);
    let mut lines = dim(app, &says, width);
    lines.push(Line::default());
    let named = [
        ("made", own.copy.at.map_or("at some time".into(), |at| at.short_date_at(app.now))),
        ("why", why(&own.copy.reason)),
        ("of", format!("{} in {}", own.copy.file.to_text(), app.store_name(own.store))),
        ("is", own.copy.path.to_text().into_owned()),
        ("size", human_size(own.copy.bytes)),
        ("state", state.to_owned()),
    ];
    for (name, value) in named {
        lines.extend(described(app, name, &value, width));
    }
    lines.extend(own.differs.iter().flat_map(|differs| differing(app, differs, width)));
    lines
}

fn described(app: &App, name: &str, value: &str, width: usize) -> Vec<Line<'static>> {
    let (head, value) = (format!("{name:INDENT$}"), theme::safe(app, value));
    theme::hanging(&head, app.palette.dim(), &value, width.saturating_sub(INDENT))
}

/// Says how many memories differ, and lists the first ones that can be restored.
fn differing(app: &App, differs: &BackupSummary, width: usize) -> Vec<Line<'static>> {
    let strong = app.palette.strong();
    let figures = figures(differs);
    let told = if figures.is_empty() { "no memory differs from now".into() } else { figures };
    let mut lines = described(app, "differs", &told, width);
    lines.push(Line::default());
    for (kind, title) in &differs.first {
        let title = theme::fit(&theme::safe(app, title), width.saturating_sub(2));
        lines.push(Line::from(vec![Span::styled(format!("{} ", kind.sign()), strong), Span::raw(title)]));
    }
    let more = differs.coming().saturating_sub(differs.first.len());
    lines.extend(
        (more > 0).then(|| Line::raw(format!("  and {} more", count_with_noun(more as u64, "memory")))),
    );
    lines
}

pub fn figures(differs: &BackupSummary) -> String {
    let count = |kinds: &[DifferenceKind]| -> usize {
        let own = differs.counts.iter().filter(|(kind, _)| kinds.contains(kind));
        own.map(|(_, count)| count).sum()
    };
    let parts = [
        (count(&[DifferenceKind::Missing]), "back"),
        (count(&[DifferenceKind::Deleted]), "deleted since"),
        (count(&[DifferenceKind::Newer]), "newer"),
        (count(&[DifferenceKind::Absent]), "not in it"),
        (count(&[DifferenceKind::Changed]), "changed"),
        (count(&[DifferenceKind::Tombstoned, DifferenceKind::Erased]), "can't come back"),
    ];
    let told = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    told.collect::<Vec<_>>().join(", ")
}
