//! A plan that is shown and waits for its yes: every line that it has, and which are on screen.

use ratatui::layout::Rect;

use super::action::Action;
use super::app::App;
use super::layout;
use super::pane_titles::sheet_area;
use super::theme;
use crate::model::{Change, EntryRef, PathText};
use crate::store::commit::undo_until;
use crate::text::safe_text::sanitize;
use crate::text::secrets::mask;
use crate::usecase::{ChangeCommand, ConcurrentChange, PlannedChange, memory_count};

/// Of a title so many columns come before an id.
const TITLE: usize = 60;
/// The most rows that it takes below its title.
const ROWS: usize = 14;

/// A change that was planned and is shown, to be carried out as it is or not at all.
pub struct Confirmation {
    pub planned: Box<PlannedChange>,
    /// What is asked. Untrusted text.
    pub question: String,
    /// What has to be typed for it, and what was.
    pub typed_word: Option<TypedWord>,
    /// So many of its memories are not as they are shown any more.
    pub changed_count: usize,
    /// The first line on screen.
    pub top: usize,
    rows: Vec<ConfirmationRow>,
    /// What stays above them: the question.
    head: Vec<String>,
    /// The width that they were made for, how many of them the question may have, and how many memories
    /// others had changed then.
    laid: (usize, usize, usize),
}

/// A word that is typed before something goes for good.
pub struct TypedWord {
    pub required: String,
    pub so_far: String,
}

/// A line of what is shown.
enum ConfirmationRow {
    /// A memory that changes. There may be very many: its text is made when it is drawn.
    Memory(EntryRef),
    /// A memory that is left out.
    Left(EntryRef),
    /// A line that is safe to show.
    Text(String),
}

/// Where it is, and what of it.
pub struct ConfirmationAreas {
    pub area: Rect,
    /// The question.
    pub head: Vec<String>,
    /// So many lines are shown below it.
    pub rows: usize,
}

impl Confirmation {
    pub fn new(planned: Box<PlannedChange>, question: String, typed: Option<TypedWord>) -> Confirmation {
        Confirmation {
            planned,
            question,
            typed_word: typed,
            changed_count: 0,
            top: 0,
            rows: Vec::new(),
            head: Vec::new(),
            laid: (0, 0, 0),
        }
    }

    /// How many lines it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// A line of it. Untrusted text.
    pub fn line(&self, at: usize) -> String {
        match self.rows.get(at) {
            Some(ConfirmationRow::Memory(at)) => self.memory(*at),
            Some(ConfirmationRow::Left(at)) => {
                let name = App::quoted_title(&self.planned.request.snapshot, *at);
                format!("  {name}{}", self.hidden(*at))
            }
            Some(ConfirmationRow::Text(text)) => text.clone(),
            None => String::new(),
        }
    }

    /// The title of a memory, what becomes of it, and its id where there is room for all of that.
    fn memory(&self, at: EntryRef) -> String {
        let [title, told, name] = self.planned.named(at);
        let told = [self.hidden(at).trim(), &told].map(str::to_owned);
        let told: String = told.iter().filter(|own| !own.is_empty()).map(|own| format!("  {own}")).collect();
        let title = sanitize(&mask(&title)).into_owned();
        let room = self.laid.0.saturating_sub(2 + theme::width(&told));
        let name = format!("  {name}");
        let left = room.saturating_sub(theme::width(&name));
        match left >= theme::width(&title).min(TITLE) {
            true => format!("  {}{told}{name}", theme::fit(&title, left)),
            false => format!("  {}{told}", theme::fit(&title, room.max(8))),
        }
    }

    fn hidden(&self, at: EntryRef) -> &'static str {
        if self.planned.request.is_hidden(at) { " (hidden)" } else { "" }
    }

    /// Makes its lines for a width, where they were made for another. The question stays above them, unless
    /// it has more lines than so many: then it is the first of them, so that all of it can be read.
    pub fn lay(&mut self, width: usize, most: usize) {
        let laid = (width, most, self.changed_count);
        if laid == self.laid {
            return;
        }
        self.laid = laid;
        let rows = match &self.planned.concurrent {
            Some(difference) => {
                let head = difference.head() + "; all else is as it was shown:";
                let moved =
                    difference.changes.iter().map(ConcurrentChange::line).map(|line| format!("  {line}"));
                std::iter::once(head).chain(moved).flat_map(|line| wrapped(&line, width)).collect()
            }
            None => rows(&self.planned, width),
        };
        let head: Vec<String> = self.asked().iter().flat_map(|line| safe(line, width)).collect();
        let (stays, goes) = if head.len() > most { (Vec::new(), head) } else { (head, Vec::new()) };
        self.head = stays;
        self.rows = goes.into_iter().map(ConfirmationRow::Text).chain(rows).collect();
    }

    /// The question, and how many of its memories others changed.
    fn asked(&self) -> Vec<String> {
        let moved = self.changed_count;
        let moved =
            (moved > 0).then(|| format!("Others changed {moved} of them since: the yes shows that first."));
        [Some(theme::sentence(&self.question, &[])), moved].into_iter().flatten().collect()
    }

    /// Scrolls by so many lines.
    pub fn scroll(&mut self, by: isize, shown: usize) {
        self.top = self.top.saturating_add_signed(by).min(self.len().saturating_sub(shown));
    }
}

/// What changes, and what does not: what is left out and why, every memory, and file by file.
fn rows(planned: &PlannedChange, width: usize) -> Vec<ConfirmationRow> {
    let mut rows = Vec::new();
    rows.extend(happens(planned).into_iter().flat_map(|said| wrapped(&said, width)));
    for own in &planned.skipped {
        let head = format!("Left out: {}: {}", memory_count(own.which.len()), own.reason);
        rows.extend(wrapped(&head, width));
        rows.extend(own.which.iter().copied().map(ConfirmationRow::Left));
    }
    rows.extend(planned.changing.iter().copied().map(ConfirmationRow::Memory));
    if !planned.erasures.is_empty() {
        rows.extend(wrapped("Undo steps, drafts and backups that hold them go too.", width));
    }
    let plans = planned.plans.iter().map(|(_, plan)| plan);
    for plan in plans.chain(planned.erasures.iter().map(|own| &own.plan)) {
        rows.extend(plan.lines.iter().flat_map(|line| wrapped(line, width)));
        let changes: Vec<&Change> = plan.all().filter(|change| !change.is_empty()).collect();
        if !changes.is_empty() {
            rows.extend(wrapped(&format!("in {}:", plan.root.to_text()), width));
        }
        for change in changes {
            let (before, after) = (change.len_before(), change.len_after());
            let line = format!("{:8} {}  {before} → {after} B", change.word(), change.path.to_text());
            rows.extend(wrapped(&line, width));
        }
    }
    rows
}

/// Of memories that go, until when that is undone, and where their text stays.
fn happens(planned: &PlannedChange) -> Option<String> {
    let now = planned.request.now;
    let until = undo_until(now).long_date_at(now);
    let undo = Action::Undo.key();
    match planned.request.command {
        ChangeCommand::Delete(_) => {
            Some(format!("{undo} undoes it until {until}. The text stays in backups and undo data."))
        }
        ChangeCommand::Archive => {
            Some(format!("{undo} undoes it until {until}. The text stays in the archive."))
        }
        _ => None,
    }
}

/// A line of what may come from a store, masked and safe, in as many as it takes.
fn wrapped(line: &str, width: usize) -> Vec<ConfirmationRow> {
    safe(line, width).into_iter().map(ConfirmationRow::Text).collect()
}

fn safe(line: &str, width: usize) -> Vec<String> {
    let lines = theme::wrap(&sanitize(&mask(line)), width.max(1));
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// The widest that a line of it can be.
pub fn width(app: &App) -> usize {
    usize::from(layout::frame(app).body.width.saturating_sub(2))
}

/// Where it is over the foot of the panes, where there is one.
pub fn parts(app: &App) -> Option<ConfirmationAreas> {
    let confirm = app.confirm.as_ref()?;
    let head = confirm.head.clone();
    let own = head.len() + usize::from(confirm.typed_word.is_some());
    let area = sheet_area(app, (own + confirm.len()).min(ROWS));
    Some(ConfirmationAreas {
        area,
        head,
        rows: usize::from(area.height.saturating_sub(1)).saturating_sub(own),
    })
}

/// How many lines the question may have above the others: it leaves room for what it is about.
pub fn most(app: &App) -> usize {
    let types = app.confirm.as_ref().is_some_and(|own| own.typed_word.is_some());
    let inner = usize::from(sheet_area(app, ROWS).height.saturating_sub(1));
    inner.saturating_sub(usize::from(types)) / 2
}
