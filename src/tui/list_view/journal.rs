//! Every step of the stores, the changes by other programs in between, and the details of a step.

use ratatui::text::{Line, Span};

use crate::model::plan::count_with_noun;
use crate::model::{Moment, PathText, UndoRedo, Verb};
use crate::text::columns::human_size;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind, RowDetails};
use crate::tui::state::app::App;
use crate::tui::state::list_view::JournalScreen;
use crate::tui::state::row_list::ListRow;
use crate::tui::theme;
use crate::usecase::{JournalRow as Step, JournalView, StepOutcome};
use crate::work::{StepDetail, StepFile};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["newest first", "by store"],
    none: "Nothing was changed with palimp yet. What it changes is listed here, and can be undone for 30 days.",
    is_beside: false,
    rows,
    key,
    cells,
    about,
    hints,
    is_read: |app| app.list_view.journal.accounts.is_some(),
};

impl JournalScreen {
    pub fn step(&self, store: usize, at: usize) -> Option<&Step> {
        self.account(store)?.rows.get(at)
    }

    fn account(&self, store: usize) -> Option<&JournalView> {
        self.accounts.as_ref()?.get(store)
    }

    pub fn shown(&self, store: usize, step: u64) -> Option<&StepDetail> {
        self.shown.iter().find(|own| (own.store, own.step) == (store, step))
    }

    pub fn receipt(&self, store: usize, step: u64) -> Option<&[String]> {
        self.shown(store, step)?.receipt.as_deref()
    }
}

/// Returns the step of the row under the cursor, with the number of its store.
pub fn step(app: &App) -> Option<(usize, &Step)> {
    match app.list_view.row()? {
        ListRow::Step(store, at) | ListRow::Others(store, at) => {
            Some((store, app.list_view.journal.step(store, at)?))
        }
        _ => None,
    }
}

fn rows(app: &App) -> Vec<ListRow> {
    let mut rows = Vec::new();
    let mut steps: Vec<(usize, usize)> = Vec::new();
    for (store, account) in app.list_view.journal.accounts.iter().flatten().enumerate() {
        rows.extend((0..account.faults.len()).map(|at| ListRow::Fault(store, at)));
        rows.extend((0..account.changed_files.len()).map(|at| ListRow::Moved(store, at)));
        steps.extend((0..account.rows.len()).map(|at| (store, at)));
    }
    let step = |&(store, at): &(usize, usize)| app.list_view.journal.step(store, at);
    let when = |own: &(usize, usize)| {
        let step = step(own);
        std::cmp::Reverse((step.and_then(|step| step.at), own.0, step.map(|step| step.line.step)))
    };
    steps.sort_by_key(when);
    if app.list_view.list.is_other_order {
        steps.sort_by_key(|(store, _)| *store);
    }
    for own in steps {
        if step(&own).is_some_and(|step| !step.foreign.is_none()) {
            rows.push(ListRow::Others(own.0, own.1));
        }
        rows.push(ListRow::Step(own.0, own.1));
    }
    rows
}

fn key(app: &App, row: ListRow) -> String {
    let number = |store, at| app.list_view.journal.step(store, at).map_or(0, |own| own.line.step);
    match row {
        ListRow::Step(store, at) => format!("step {store} {}", number(store, at)),
        ListRow::Others(store, at) => format!("others {store} {}", number(store, at)),
        ListRow::Moved(store, at) => format!("moved {store} {at}"),
        ListRow::Fault(store, at) => format!("fault {store} {at}"),
        _ => String::new(),
    }
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let (ListRow::Step(store, at)
    | ListRow::Others(store, at)
    | ListRow::Moved(store, at)
    | ListRow::Fault(store, at)) = row
    else {
        return Vec::new();
    };
    let journal = &app.list_view.journal;
    if let (ListRow::Step(..), Some(step)) = (row, journal.step(store, at)) {
        return step_cells(app, store, step);
    }
    let (who, what) = match row {
        ListRow::Others(..) => ("others", journal.step(store, at).map(others).unwrap_or_default()),
        ListRow::Moved(..) => ("others", moved(journal, store, at)),
        _ => ("palimp", fault(journal, store, at)),
    };
    let (sign, style) =
        if let ListRow::Fault(..) = row { ("✖", app.palette.wrong()) } else { (" ", app.palette.dim()) };
    vec![
        ListCell::left(sign, 14).styled(style),
        ListCell::left(who, 6).styled(style).from(90),
        ListCell::store(app, store).close(),
        ListCell::left("", NUMBER).from(70),
        ListCell::rest(what).styled(style),
    ]
}

fn moved(journal: &JournalScreen, store: usize, at: usize) -> String {
    let own = journal.account(store).and_then(|own| own.changed_files.get(at));
    let Some((path, before, now)) = own else { return String::new() };
    let now = now.map_or_else(|| "is gone".to_owned(), |now| format!("has {} now", human_size(now)));
    format!("changed {} outside palimp: had {}, {now}", path.to_text(), human_size(*before))
}

fn fault(journal: &JournalScreen, store: usize, at: usize) -> String {
    journal.account(store).and_then(|own| own.faults.get(at)).cloned().unwrap_or_default()
}

/// Says what other programs did after a step. The words promise no more than is known.
fn others(step: &Step) -> String {
    let (others, number) = (&step.foreign, step.line.step);
    let mut parts = Vec::new();
    if others.written > 0 {
        parts.push(format!("wrote {} since step {number}", count_with_noun(others.written as u64, "memory")));
    }
    if others.used > 0 {
        parts.push(format!("used {}", count_with_noun(others.used as u64, "memory")));
    }
    parts.join(", ")
}

fn step_cells(app: &App, store: usize, own: &Step) -> Vec<ListCell> {
    let at = own.at.map_or_else(|| own.line.at.clone(), |at| at.short_date_at(app.now));
    let style = if own.is_undone() { app.palette.dim() } else { ratatui::style::Style::new() };
    let many = (own.line.records > 1).then(|| count_with_noun(own.line.records, "memory"));
    let state = match own.outcome {
        StepOutcome::UndoneBy(by) => Some(format!("undone by step {by}")),
        _ if own.line.is_half => Some("neither finished nor undone".to_owned()),
        _ => own.why_not.map(|_| "no undo".to_owned()),
    };
    let told = [many, state].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let sign = match own.outcome {
        StepOutcome::Applied if own.line.is_half => "✖",
        StepOutcome::Applied | StepOutcome::Reverses(_) => "✓",
        StepOutcome::UndoneBy(_) => "↶",
        StepOutcome::Erasing => "✖",
    };
    let mut cells = vec![
        ListCell::left(format!("{sign} {at}"), 14).styled(style),
        ListCell::left("palimp", 6).styled(app.palette.dim()).from(90),
        // Each store has its own step numbers, so the store is named before the number.
        ListCell::store(app, store).close(),
        ListCell::left(format!("step {}", own.line.step), NUMBER).styled(app.palette.dim()).from(70),
        ListCell::rest(what(app, store, own)).styled(style),
    ];
    // A step without these details leaves the columns to its title.
    let width = theme::width(&told);
    cells.extend((width > 0).then(|| ListCell::right(told, width).styled(app.palette.dim()).from(60)));
    cells
}

const NUMBER: usize = 8;

/// Says what a step did, with the title of its first memory if that is known.
fn what(app: &App, store: usize, own: &Step) -> String {
    let shown = app.list_view.journal.shown(store, own.line.step);
    let did = match own.outcome {
        StepOutcome::Reverses(UndoRedo::Undo(step)) => format!("undid step {step}:"),
        StepOutcome::Reverses(UndoRedo::Redo(step)) => format!("redid step {step}:"),
        StepOutcome::Erasing => "is still erasing".to_owned(),
        _ => shown.and_then(|own_shown| tagged(own, own_shown)).unwrap_or_else(|| did(&own.line.verb).into()),
    };
    let titles = shown.map(titles).unwrap_or_default();
    let title =
        titles.first().map_or_else(|| count_with_noun(own.line.records, "memory"), |own| own.1.to_owned());
    format!("{did} {title}")
}

/// The list of tags has at most this many columns before the title.
const TAGS: usize = 24;

/// Describes a step that changed only tags; `None` for any other step.
fn tagged(own: &Step, shown: &StepDetail) -> Option<String> {
    let mut tags: Vec<(bool, &str)> = Vec::new();
    for (came, tag) in shown.files.iter().flatten().flat_map(|own: &StepFile| &own.tags) {
        if !tags.contains(&(*came, tag)) {
            tags.push((*came, tag));
        }
    }
    let signed = |(came, tag): &(bool, &str)| format!("{}{tag}", if *came { "+" } else { "−" });
    match tags.as_slice() {
        _ if own.line.verb != Verb::Tag => None,
        [] => None,
        [(true, "pinned")] => Some("pinned".into()),
        [(false, "pinned")] => Some("unpinned".into()),
        tags => {
            let all = tags.iter().map(signed).collect::<Vec<_>>().join(" ");
            Some(format!("tagged {}:", theme::fit(&all, TAGS)))
        }
    }
}

fn did(verb: &Verb) -> &str {
    match verb {
        Verb::Archive => "archived",
        Verb::BackupCreate => "backed up",
        Verb::BackupRestore => "restored",
        Verb::Compact => "compacted",
        Verb::Delete => "deleted",
        Verb::Edit => "changed",
        Verb::Erase => "erased",
        Verb::Purge => "purged",
        Verb::Redact => "redacted",
        Verb::Rename => "renamed",
        Verb::Repair => "repaired",
        Verb::Tag => "tagged",
        Verb::Unarchive | Verb::Undelete => "brought back",
        verb => verb.as_str(),
    }
}

/// Returns the titles of a step's memories, each once, with a sign: added, removed or changed.
fn titles(shown: &StepDetail) -> Vec<(&'static str, &str)> {
    let mut titles: Vec<(&'static str, &str)> = Vec::new();
    for (came, title) in shown.files.iter().flatten().flat_map(|own: &StepFile| &own.titles) {
        let sign = if *came { "+" } else { "−" };
        match titles.iter_mut().find(|(_, own)| own == title) {
            Some(own) if own.0 != sign => own.0 = "~",
            Some(_) => {}
            None => titles.push((sign, title)),
        }
    }
    titles
}

fn about(app: &App, width: usize) -> RowDetails {
    let mut told = StepText { app, lines: Vec::new(), width };
    match app.list_view.row() {
        Some(ListRow::Fault(store, at)) => told.put(&fault(&app.list_view.journal, store, at)),
        Some(ListRow::Moved(store, at)) => told.put(&moved(&app.list_view.journal, store, at)),
        _ => {}
    }
    let Some((store, own)) = step(app) else {
        return RowDetails { lines: told.lines, ..RowDetails::default() };
    };
    told.step(store, own);
    let of =
        if app.snapshot.stores.len() > 1 { format!(" of {}", app.store_name(store)) } else { String::new() };
    let title = format!("Step {}{of}", own.line.step);
    RowDetails { title, right: String::new(), lines: told.lines }
}

struct StepText<'a> {
    app: &'a App,
    lines: Vec<Line<'static>>,
    width: usize,
}

impl StepText<'_> {
    fn put(&mut self, text: &str) {
        let wrapped = theme::wrap(&theme::safe(self.app, text), self.width);
        self.lines.extend(wrapped.into_iter().map(Line::raw));
    }

    fn step(&mut self, store: usize, own: &Step) {
        let until = |at: Moment| at.long_date_at(self.app.now);
        let turn = if own.comes_again() { "U redoes it" } else { "u undoes it" };
        let says = match (own.until, own.why_not) {
            (Some(at), _) => format!("{turn}, until {}.", until(at)),
            (None, why) => {
                let turn = if own.comes_again() { "redone" } else { "undone" };
                format!("It can't be {turn}: {}.", why.unwrap_or("its time can't be read"))
            }
        };
        self.put(&says);
        let journal = &self.app.list_view.journal;
        if let Some(receipt) = journal.receipt(store, own.line.step) {
            // The result of the last search for what the step erased comes before the receipt.
            let is_of_step =
                |check: &&(usize, u64, Vec<String>)| (check.0, check.1) == (store, own.line.step);
            if let Some((.., found)) = journal.checks.iter().find(is_of_step) {
                found.iter().for_each(|line| self.put(line));
                self.lines.push(Line::default());
            }
            return receipt.iter().for_each(|line| self.put(line));
        }
        match self.app.list_view.journal.shown(store, own.line.step).map(|own| &own.files) {
            None => {
                let hint = "Enter shows its memories, as far as that is still kept.";
                self.lines.push(Line::styled(hint, self.app.palette.dim()));
            }
            Some(Err(why)) => self.put(&format!("{why}.")),
            Some(Ok(_)) => self.memories(store, own.line.step),
        }
        self.put(&match others(own) {
            told if told.is_empty() => "Nobody else changed anything after this step.".to_owned(),
            told => format!("After it others {told}."),
        });
        for file in &own.line.files {
            let (before, after) = (human_size(file.bytes_before), human_size(file.bytes_after));
            self.put(&format!("{}  {}, {before} → {after}", file.path.to_text(), file.change));
        }
    }

    /// Adds the titles of memories, and for files without memories the changed lines.
    fn memories(&mut self, store: usize, step: u64) {
        let Some(shown) = self.app.list_view.journal.shown(store, step) else { return };
        for (sign, title) in titles(shown) {
            let title = theme::fit(&theme::safe(self.app, title), self.width.saturating_sub(2));
            let sign = Span::styled(format!("{sign} "), self.app.palette.strong());
            self.lines.push(Line::from(vec![sign, Span::raw(title)]));
        }
        for file in shown.files.iter().flatten().filter(|own| own.titles.is_empty()) {
            let head = format!("{}: −{} +{} lines", file.path, file.gone, file.come);
            let head = theme::fit(&theme::safe(self.app, &head), self.width);
            self.lines.push(Line::styled(head, self.app.palette.strong()));
            for run in file.lines.chunk_by(|one, next| one.0 == next.0) {
                let sign = if run[0].0 { "+ " } else { "− " };
                // The lines are masked together, because a secret can continue on the next line.
                let starts: Vec<_> = run.iter().map(|(_, own)| &own[..own.len().min(LONGEST)]).collect();
                let text = String::from_utf8_lossy(&starts.join(&b'\n')).into_owned();
                for text in theme::masked(self.app, &text).split('\n') {
                    let text = theme::safe(self.app, text);
                    let text = theme::fit(&text, self.width.saturating_sub(2));
                    let sign = Span::styled(sign, self.app.palette.strong());
                    self.lines.push(Line::from(vec![sign, Span::raw(text)]));
                }
            }
        }
    }
}

/// At most this many bytes of a line are shown.
const LONGEST: usize = 2_000;

fn hints(app: &App) -> Vec<Hint> {
    let Some((_, step)) = step(app) else { return Vec::new() };
    let turn = match step.comes_again() {
        true => act(Action::Redo, "redo…"),
        false => act(Action::Undo, "undo…"),
    };
    let turn = (step.why_not.is_none() && !app.is_readonly()).then_some(turn);
    let is_erasure = step.line.verb.is_erasure();
    let content = if is_erasure { "its receipt" } else { "its memories" };
    let open = match (app.list_view.in_details, is_erasure) {
        (false, _) => Some(hint("Enter", content)),
        (true, true) => Some(hint("Enter", "search again")),
        (true, false) => None,
    };
    open.into_iter().chain(turn).collect()
}
