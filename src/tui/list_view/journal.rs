//! Every step of the stores, what other programs did meanwhile, and what the step under the cursor
//! changed.

use ratatui::text::{Line, Span};

use super::row::{Cell, Row};
use super::{About, Kind};
use crate::model::plan::counted;
use crate::model::{Moment, Tell};
use crate::store::commit::{Account, Outcome, Row as Step, Turn};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::health::human;
use crate::tui::panes::hints::{Hint, act, hint};
use crate::tui::theme::{self, Theme};
use crate::work::{StepFile, StepShown};

pub static KIND: Kind = Kind {
    orders: ["newest first", "by store"],
    none: "Nothing was changed with palimp yet. What it changes is listed here, and can be undone for 30 days.",
    is_beside: false,
    rows,
    about,
    hints,
    is_read: |app| app.view.journal.accounts.is_some(),
};

/// What is known of the steps.
#[derive(Default)]
pub struct Journal {
    /// A store each; `None` until they are read.
    pub accounts: Option<Vec<Account>>,
    /// What steps changed, of those that were read.
    pub shown: Vec<StepShown>,
}

impl Journal {
    /// A step at its place.
    pub fn step(&self, store: usize, at: usize) -> Option<&Step> {
        self.account(store)?.rows.get(at)
    }

    fn account(&self, store: usize) -> Option<&Account> {
        self.accounts.as_ref()?.get(store)
    }

    /// What a step changed, where that was read.
    pub fn shown(&self, store: usize, step: u64) -> Option<&StepShown> {
        self.shown.iter().find(|own| (own.store, own.step) == (store, step))
    }
}

/// The step of the row under the cursor: its store's number, and what is known of it.
pub fn step(app: &App) -> Option<(usize, &Step)> {
    match app.view.row()? {
        Row::Step(store, at) | Row::Others(store, at) => Some((store, app.view.journal.step(store, at)?)),
        _ => None,
    }
}

fn rows(app: &App) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut steps: Vec<(usize, usize)> = Vec::new();
    for (store, account) in app.view.journal.accounts.iter().flatten().enumerate() {
        rows.extend((0..account.faults.len()).map(|at| Row::Fault(store, at)));
        rows.extend((0..account.moved.len()).map(|at| Row::Moved(store, at)));
        steps.extend((0..account.rows.len()).map(|at| (store, at)));
    }
    let step = |&(store, at): &(usize, usize)| app.view.journal.step(store, at);
    let when = |own: &(usize, usize)| {
        let step = step(own);
        std::cmp::Reverse((step.and_then(|step| step.at), own.0, step.map(|step| step.line.step)))
    };
    steps.sort_by_key(when);
    if app.view.list.is_turned {
        steps.sort_by_key(|(store, _)| *store);
    }
    for own in steps {
        if step(&own).is_some_and(|step| !step.others.is_none()) {
            rows.push(Row::Others(own.0, own.1));
        }
        rows.push(Row::Step(own.0, own.1));
    }
    rows
}

pub fn key(app: &App, row: Row) -> String {
    let number = |store, at| app.view.journal.step(store, at).map_or(0, |own| own.line.step);
    match row {
        Row::Step(store, at) => format!("step {store} {}", number(store, at)),
        Row::Others(store, at) => format!("others {store} {}", number(store, at)),
        Row::Moved(store, at) => format!("moved {store} {at}"),
        Row::Fault(store, at) => format!("fault {store} {at}"),
        _ => String::new(),
    }
}

pub fn cells(app: &App, row: Row) -> Vec<Cell> {
    let theme = Theme::of(app);
    let (Row::Step(store, at) | Row::Others(store, at) | Row::Moved(store, at) | Row::Fault(store, at)) = row
    else {
        return Vec::new();
    };
    let journal = &app.view.journal;
    if let (Row::Step(..), Some(step)) = (row, journal.step(store, at)) {
        return step_cells(app, store, step);
    }
    let (who, what) = match row {
        Row::Others(..) => ("others", journal.step(store, at).map(others).unwrap_or_default()),
        Row::Moved(..) => ("others", moved(journal, store, at)),
        _ => ("palimp", fault(journal, store, at)),
    };
    let (sign, style) = if let Row::Fault(..) = row { ("✖", theme.wrong()) } else { (" ", theme.dim()) };
    vec![
        Cell::left(sign, 14).styled(style),
        Cell::left(who, 6).styled(style).from(90),
        Cell::store(app, store).close(),
        Cell::left("", NUMBER).from(70),
        Cell::rest(what).styled(style),
    ]
}

fn moved(journal: &Journal, store: usize, at: usize) -> String {
    let own = journal.account(store).and_then(|own| own.moved.get(at));
    let Some((path, before, now)) = own else { return String::new() };
    let now = now.map_or_else(|| "is gone".to_owned(), |now| format!("has {} now", human(now)));
    format!("changed {} outside palimp: had {}, {now}", path.told(), human(*before))
}

fn fault(journal: &Journal, store: usize, at: usize) -> String {
    journal.account(store).and_then(|own| own.faults.get(at)).cloned().unwrap_or_default()
}

/// What others did after a step, in words that promise no more than is known.
fn others(step: &Step) -> String {
    let (others, number) = (&step.others, step.line.step);
    let mut parts = Vec::new();
    if others.written > 0 {
        parts.push(format!("wrote {} since step {number}", counted(others.written as u64, "memory")));
    }
    if others.used > 0 {
        parts.push(format!("used {}", counted(others.used as u64, "memory")));
    }
    parts.join(", ")
}

fn step_cells(app: &App, store: usize, own: &Step) -> Vec<Cell> {
    let theme = Theme::of(app);
    let at = own.at.map_or_else(|| own.line.at.clone(), |at| at.said_at(app.now));
    let style = if own.is_undone() { theme.dim() } else { ratatui::style::Style::new() };
    let many = (own.line.records > 1).then(|| counted(own.line.records, "memory"));
    let state = match own.outcome {
        Outcome::TakenBack(by) => Some(format!("undone by step {by}")),
        _ => own.why_not.map(|_| "no undo".to_owned()),
    };
    let told = [many, state].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let mut cells = vec![
        Cell::left(format!("{} {at}", sign(own)), 14).styled(style),
        Cell::left("palimp", 6).styled(theme.dim()).from(90),
        // Each store has its own step numbers, so the store is named before the number.
        Cell::store(app, store).close(),
        Cell::left(format!("step {}", own.line.step), NUMBER).styled(theme.dim()).from(70),
        Cell::rest(what(app, store, own)).styled(style),
    ];
    // A step of which there is nothing to tell leaves all to its title.
    let width = theme::width(&told);
    cells.extend((width > 0).then(|| Cell::right(told, width).styled(theme.dim()).from(60)));
    cells
}

/// Columns of "step" and its number.
const NUMBER: usize = 8;

fn sign(own: &Step) -> &'static str {
    match own.outcome {
        Outcome::InForce | Outcome::Turned(_) => "✓",
        Outcome::TakenBack(_) => "↶",
        Outcome::Erasing => "✖",
    }
}

/// What a step did, by the title of the first memory where that is known.
fn what(app: &App, store: usize, own: &Step) -> String {
    let shown = app.view.journal.shown(store, own.line.step);
    let did = match own.outcome {
        Outcome::Turned(Turn::Undo(step)) => format!("undid step {step}:"),
        Outcome::Turned(Turn::Redo(step)) => format!("redid step {step}:"),
        Outcome::Erasing => "is still erasing".to_owned(),
        _ => shown.and_then(|own_shown| tagged(own, own_shown)).unwrap_or_else(|| did(&own.line.verb).into()),
    };
    let titles = shown.map(titles).unwrap_or_default();
    let title = titles.first().map_or_else(|| counted(own.line.records, "memory"), |own| own.1.to_owned());
    format!("{did} {title}")
}

/// Of a list of tags so many columns are shown before the title.
const TAGS: usize = 24;

/// What a step did to the tags, where it did no more.
fn tagged(own: &Step, shown: &StepShown) -> Option<String> {
    let mut tags: Vec<(bool, &str)> = Vec::new();
    for (came, tag) in shown.files.iter().flatten().flat_map(|own: &StepFile| &own.tags) {
        if !tags.contains(&(*came, tag)) {
            tags.push((*came, tag));
        }
    }
    let signed = |(came, tag): &(bool, &str)| format!("{}{tag}", if *came { "+" } else { "−" });
    match tags.as_slice() {
        _ if own.line.verb != "tag" => None,
        [] => None,
        [(true, "pinned")] => Some("pinned".into()),
        [(false, "pinned")] => Some("unpinned".into()),
        tags => {
            let all = tags.iter().map(signed).collect::<Vec<_>>().join(" ");
            Some(format!("tagged {}:", theme::fit(&all, TAGS)))
        }
    }
}

/// What a verb of the command line did.
fn did(verb: &str) -> &str {
    match verb {
        "archive" => "archived",
        "backup create" => "backed up",
        "backup restore" => "restored",
        "compact" => "compacted",
        "delete" => "deleted",
        "edit" => "changed",
        "erase" => "erased",
        "redact" => "redacted",
        "repair" => "repaired",
        "tag" => "tagged",
        "unarchive" | "undelete" => "brought back",
        verb => verb,
    }
}

/// The titles of the memories that a step concerned, each once, with the sign of what it did to it.
fn titles(shown: &StepShown) -> Vec<(&'static str, &str)> {
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

/// What is known of the row under the cursor.
fn about(app: &App, width: usize) -> About {
    let mut told = Told { app, lines: Vec::new(), width };
    match app.view.row() {
        Some(Row::Fault(store, at)) => told.put(&fault(&app.view.journal, store, at)),
        Some(Row::Moved(store, at)) => told.put(&moved(&app.view.journal, store, at)),
        _ => {}
    }
    let Some((store, own)) = step(app) else {
        return About { lines: told.lines, ..About::default() };
    };
    told.step(store, own);
    let of =
        if app.snapshot.stores.len() > 1 { format!(" of {}", app.store_name(store)) } else { String::new() };
    let title = format!("Step {}{of}", own.line.step);
    About { title, right: String::new(), lines: told.lines }
}

struct Told<'a> {
    app: &'a App,
    lines: Vec<Line<'static>>,
    width: usize,
}

impl Told<'_> {
    fn put(&mut self, text: &str) {
        let wrapped = theme::wrap(&theme::safe(self.app, text), self.width);
        self.lines.extend(wrapped.into_iter().map(Line::raw));
    }

    fn step(&mut self, store: usize, own: &Step) {
        let until = |at: Moment| at.told_at(self.app.now);
        let turn = if own.comes_again() { "U redoes it" } else { "u undoes it" };
        let says = match (own.until, own.why_not) {
            (Some(at), _) => format!("{turn}, until {}.", until(at)),
            (None, why) => {
                let turn = if own.comes_again() { "redone" } else { "undone" };
                format!("It can't be {turn}: {}.", why.unwrap_or("its time can't be read"))
            }
        };
        self.put(&says);
        match self.app.view.journal.shown(store, own.line.step).map(|own| &own.files) {
            None => {
                let hint = "Enter shows its memories, as far as that is still kept.";
                self.lines.push(Line::styled(hint, Theme::of(self.app).dim()));
            }
            Some(Err(why)) => self.put(&format!("{why}.")),
            Some(Ok(_)) => self.memories(store, own.line.step),
        }
        self.put(&match others(own) {
            told if told.is_empty() => "Nobody else changed anything after this step.".to_owned(),
            told => format!("After it others {told}."),
        });
        for file in &own.line.files {
            let (before, after) = (human(file.bytes_before), human(file.bytes_after));
            self.put(&format!("{}  {}, {before} → {after}", file.path.told(), file.change));
        }
    }

    /// The memories by their titles; what is no memory by its lines.
    fn memories(&mut self, store: usize, step: u64) {
        let theme = Theme::of(self.app);
        let Some(shown) = self.app.view.journal.shown(store, step) else { return };
        for (sign, title) in titles(shown) {
            let title = theme::fit(&theme::safe(self.app, title), self.width.saturating_sub(2));
            let sign = Span::styled(format!("{sign} "), theme.strong());
            self.lines.push(Line::from(vec![sign, Span::raw(title)]));
        }
        for file in shown.files.iter().flatten().filter(|own| own.titles.is_empty()) {
            let head = format!("{}: −{} +{} lines", file.path, file.gone, file.come);
            let head = theme::fit(&theme::safe(self.app, &head), self.width);
            self.lines.push(Line::styled(head, theme.strong()));
            for run in file.lines.chunk_by(|one, next| one.0 == next.0) {
                let sign = if run[0].0 { "+ " } else { "− " };
                // Masked together: a value can go on in the next line.
                let starts: Vec<_> = run.iter().map(|(_, own)| &own[..own.len().min(LONGEST)]).collect();
                let text = String::from_utf8_lossy(&starts.join(&b'\n')).into_owned();
                for text in theme::masked(self.app, &text).split('\n') {
                    let text = theme::safe(self.app, text);
                    let text = theme::fit(&text, self.width.saturating_sub(2));
                    let sign = Span::styled(sign, theme.strong());
                    self.lines.push(Line::from(vec![sign, Span::raw(text)]));
                }
            }
        }
    }
}

/// So many bytes of a line are shown.
const LONGEST: usize = 2_000;

fn hints(app: &App) -> Vec<Hint> {
    let Some((_, step)) = step(app) else { return Vec::new() };
    let turn = match step.comes_again() {
        true => act(Action::Redo, "redo…"),
        false => act(Action::Undo, "undo…"),
    };
    let turn = step.why_not.is_none().then_some(turn);
    let open = (!app.view.inside).then(|| hint("Enter", "its memories"));
    open.into_iter().chain(turn).collect()
}
