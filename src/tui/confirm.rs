//! A plan that waits for the user's yes: all its lines, and which of them are on screen.

use ratatui::layout::Rect;

use crate::detectors::mask;
use crate::model::plan::change::undo_until;
use crate::model::{Change, EntryRef, PathText};
use crate::ops::merge::MergeChoice;
use crate::ops::redact::Redaction;
use crate::text::safe_text::sanitize;
use crate::tui::action::Action;
use crate::tui::pane_titles::sheet_area;
use crate::tui::state::app::App;
use crate::tui::state::confirmation::{Confirmation, ConfirmationRow};
use crate::tui::update::confirm;
use crate::tui::{layout, theme};
use crate::usecase::{
    ArchiveMemories, ConcurrentChange, DeleteOptions, PlannedChange, memory_count, name_of, not_reached_lines,
};

/// An id is shown only if at least this many columns of the title, or all of them, stay visible.
const TITLE: usize = 60;
/// The maximum number of rows below the title.
const ROWS: usize = 14;

/// The place of the plan, and what is shown of it.
pub struct ConfirmationAreas {
    pub area: Rect,
    pub head: Vec<String>,
    /// The number of lines that are shown below the question.
    pub rows: usize,
}

impl Confirmation {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns a line. Untrusted text.
    pub fn line(&self, at: usize) -> String {
        match self.rows.get(at) {
            Some(ConfirmationRow::Memory(at)) => self.memory(*at),
            Some(ConfirmationRow::Left(at)) => {
                format!("  {}{}", self.left_name(*at), self.hidden(*at))
            }
            Some(ConfirmationRow::Text(text)) => text.clone(),
            None => String::new(),
        }
    }

    /// Returns the title of a memory, its change, and its id if there is room for all.
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

    /// Returns the name of a memory that is left out. Its title may have the value that is replaced or erased.
    fn left_name(&self, at: EntryRef) -> String {
        let request = &self.planned.request;
        let (store, entry) = request.snapshot.get(at);
        match request.command.is::<Redaction>() {
            true => name_of(store, entry),
            false if !request.hidden_values.is_empty() => self.planned.shown_name(at),
            false => App::quoted_title(&request.snapshot, at),
        }
    }

    fn hidden(&self, at: EntryRef) -> &'static str {
        if self.planned.request.is_hidden(at) { " (hidden)" } else { "" }
    }

    /// Makes the lines again if the width changed. The question stays above them. If it has more than `most`
    /// lines, it scrolls with them, so that all of it can be read.
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

    /// Returns the question, and how many of its memories other programs changed.
    fn asked(&self) -> Vec<String> {
        let moved = self.changed_count;
        let moved =
            (moved > 0).then(|| format!("Others changed {moved} of them since: the yes shows that first."));
        [Some(theme::sentence(&self.question, &[])), moved].into_iter().flatten().collect()
    }

    pub fn scroll(&mut self, by: isize, shown: usize) {
        self.top = self.top.saturating_add_signed(by).min(self.len().saturating_sub(shown));
    }
}

/// Returns the lines: undo and left-out memories with reasons, then every memory, then every file.
fn rows(planned: &PlannedChange, width: usize) -> Vec<ConfirmationRow> {
    let mut rows = Vec::new();
    let told = happens(planned).into_iter().chain(planned.notes.iter().cloned());
    rows.extend(told.flat_map(|said| wrapped(&said, width)));
    for own in &planned.skipped {
        let head = format!("Left out: {}: {}", memory_count(own.which.len()), own.reason);
        rows.extend(wrapped(&head, width));
        rows.extend(own.which.iter().copied().map(ConfirmationRow::Left));
    }
    let memories = planned.changing.iter().copied().map(ConfirmationRow::Memory);
    // Of a value that is erased everywhere, the places come first: the files are more than the memories say.
    let is_merge = planned.request.command.is::<MergeChoice>();
    let are_last = planned.request.erases_values() || is_merge;
    if !are_last {
        rows.extend(memories.clone());
    }
    if planned.erasures.iter().any(|own| !own.keeps_memories) {
        rows.extend(wrapped("Undo steps, drafts and backups that hold them go too.", width));
    }
    let plans = planned.plans.iter().map(|own| &own.plan);
    for plan in plans.chain(planned.erasures.iter().map(|own| &own.plan)) {
        let hidden = &planned.request.hidden_values;
        rows.extend(plan.lines.iter().flat_map(|line| wrapped(&hidden.hide(line.clone()), width)));
        let changes: Vec<&Change> = plan.all().filter(|change| !change.is_empty()).collect();
        if !changes.is_empty() {
            rows.extend(wrapped(&format!("in {}:", plan.root.to_text()), width));
        }
        for change in changes {
            let (before, after) = (change.len_before(), change.len_after());
            // The text itself is above.
            let size = if is_merge { String::new() } else { format!("  {before} → {after} B") };
            let line = format!("{:8} {}{size}", change.kind(), change.path.to_text());
            rows.extend(wrapped(&line, width));
        }
    }
    if are_last {
        rows.extend(memories);
    }
    rows.extend(not_reached_lines(&planned.not_reached).iter().flat_map(|line| wrapped(line, width)));
    rows
}

/// Says until when a removal can be undone, and where the text stays, or which text a merged memory has.
fn happens(planned: &PlannedChange) -> Option<String> {
    let now = planned.request.now;
    let until = undo_until(now).long_date_at(now);
    let undo = Action::Undo.key();
    let command = &planned.request.command;
    let stays = match command.get::<MergeChoice>() {
        Some(choice) => return Some(confirm::merge_line(choice)),
        None if command.is::<DeleteOptions>() => "on disk; only an erasure removes it for sure.",
        None if command.is::<ArchiveMemories>() => "in the archive.",
        None => return None,
    };
    Some(format!("{undo} undoes it until {until}. The text stays {stays}"))
}

/// Wraps a line to rows. The line may come from a store, so it is masked and made safe.
fn wrapped(line: &str, width: usize) -> Vec<ConfirmationRow> {
    safe(line, width).into_iter().map(ConfirmationRow::Text).collect()
}

fn safe(line: &str, width: usize) -> Vec<String> {
    let lines = theme::wrap(&sanitize(&mask(line)), width.max(1));
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

pub fn width(app: &App) -> usize {
    usize::from(layout::frame(app).body.width.saturating_sub(2))
}

/// Returns the place of the plan at the foot of the panes, if there is a plan.
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

pub fn most(app: &App) -> usize {
    let types = app.confirm.as_ref().is_some_and(|own| own.typed_word.is_some());
    let inner = usize::from(sheet_area(app, ROWS).height.saturating_sub(1));
    inner.saturating_sub(usize::from(types)) / 2
}
