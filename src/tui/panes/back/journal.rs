//! Every step of the stores, what others did meanwhile, and what the step under the cursor
//! changed.

use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::{draw_text, one_line, part, say, size};
use crate::model::Tell;
use crate::model::plan::counted;
use crate::store::commit::{Outcome, Row, Turn};
use crate::tui::app::App;
use crate::tui::back;
use crate::tui::layout;
use crate::tui::panes::draw_lines;
use crate::tui::theme::{self, Theme, column};

/// Draws the view.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let parts = layout::back(app);
    let journal = &app.back.journal;
    let steps = journal.accounts.iter().flatten().map(|own| own.rows.len()).sum::<usize>();
    let title = format!("Journal  {}, the newest first", counted(steps as u64, "step"));
    let inner = part(app, frame, &title, "✓ applied  ✗ undone  ↶ ↷ undo, redo", !app.back.inside, parts.list);
    match &journal.accounts {
        None => say(app, frame, "reading …", inner),
        Some(_) if journal.lines.is_empty() => {
            say(
                app,
                frame,
                "Nothing was changed with palimp yet. What it changes is listed here, and can be undone for 30 days.",
                inner,
            );
        }
        Some(_) => {
            let (theme, width) = (Theme::of(app), usize::from(inner.width.saturating_sub(1)));
            let row = |at: usize| journal.lines.get(at).map(|own| line(app, own, width)).unwrap_or_default();
            draw_lines(frame, &theme, inner, app.back.at, journal.lines.len(), !app.back.inside, row);
        }
    }
    let title = app.back.row().map_or_else(String::new, |(_, row)| format!("Step {}", row.line.step));
    let inner = part(app, frame, &title, "", app.back.inside, parts.within);
    draw_text(frame, step(app, usize::from(inner.width.saturating_sub(1))), journal.top, inner);
}

fn line(app: &App, own: &back::Line, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let journal = &app.back.journal;
    let account = |store: usize| journal.accounts.as_ref().and_then(|own| own.get(store));
    let dim = |text: String| Line::styled(one_line(app, &text, width), theme.dim());
    match *own {
        back::Line::Step(store, row) => {
            journal.row_at(store, row).map(|row| step_line(app, row, width)).unwrap_or_default()
        }
        back::Line::Others(store, row) => {
            let Some(row) = journal.row_at(store, row) else { return Line::default() };
            dim(format!("       {}", others(row)))
        }
        back::Line::Moved(store, at) => {
            let Some((path, before, now)) = account(store).and_then(|own| own.moved.get(at)) else {
                return Line::default();
            };
            let now = now.map_or_else(|| "is gone".to_owned(), |now| format!("now {}", size(now)));
            dim(format!(
                "       changed outside palimp: {} was left with {}, {now}",
                path.told(),
                size(*before)
            ))
        }
        back::Line::Fault(store, at) => {
            let fault = account(store).and_then(|own| own.faults.get(at)).cloned().unwrap_or_default();
            Line::styled(one_line(app, &format!("✖ {fault}"), width), theme.wrong())
        }
    }
}

/// What others did after a step, in words that promise no more than is known.
fn others(row: &Row) -> String {
    let mut parts = Vec::new();
    let step = row.line.step;
    if row.others.written > 0 {
        parts.push(format!(
            "written by others since step {step}: {}",
            counted(row.others.written as u64, "record")
        ));
    }
    if row.others.used > 0 {
        parts.push(format!("used by others: {}", row.others.used));
    }
    parts.join(" · ")
}

fn step_line(app: &App, row: &Row, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let own = &row.line;
    let at = row.at.map_or_else(|| own.at.clone(), |at| at.to_minute());
    let (sign, turned) = match row.outcome {
        Outcome::InForce => ("✓", String::new()),
        Outcome::TakenBack(by) => ("✗", format!("undone by {by} · ")),
        Outcome::Turned(Turn::Undo(step)) => ("↶", format!("step {step}: ")),
        Outcome::Turned(Turn::Redo(step)) => ("↷", format!("step {step}: ")),
        Outcome::Erasing => ("✖", "not finished: ".into()),
    };
    let files = counted(own.files.len() as u64, "file");
    let text = format!("{turned}{} {}, {files}", own.verb, counted(own.records, "record"));
    let until = if row.why_not.is_some() { " no undo" } else { "" };
    let room = width.saturating_sub(2 + 5 + 17 + until.len());
    Line::from(vec![
        Span::raw(format!("{sign} ")),
        Span::styled(format!("{:>4} ", own.step), theme.strong()),
        Span::raw(column(&at, 16) + " "),
        Span::raw(column(&one_line(app, &text, room), room)),
        Span::styled(until, theme.dim()),
    ])
}

/// What is known of the step under the cursor, wrapped.
pub fn step(app: &App, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let journal = &app.back.journal;
    let Some((store, row)) = app.back.row() else { return Vec::new() };
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut put = |text: &str| {
        let wrapped = theme::wrap(&theme::safe(app, text), width);
        lines.extend(wrapped.into_iter().map(Line::raw));
    };
    if let Some(own) = app.snapshot.stores.get(store) {
        put(&own.root.told());
    }
    put(&match (row.until, row.why_not) {
        (Some(until), _) if row.comes_again() => {
            format!("U redoes it, until {}", until.to_minute())
        }
        (Some(until), _) => format!("u undoes it, until {}", until.to_minute()),
        (None, why) => {
            let turn = if row.comes_again() { "redone" } else { "undone" };
            format!("can't be {turn}: {}", why.unwrap_or("its time can't be read"))
        }
    });
    for file in &row.line.files {
        put(&format!(
            "{:8} {}  {} → {} B",
            file.change,
            file.path.told(),
            file.bytes_before,
            file.bytes_after
        ));
    }
    put(&match others(row) {
        told if told.is_empty() => "Nobody else changed anything after this step.".to_owned(),
        told => format!("by others, after this step: {told}"),
    });
    let shown = journal.shown.as_ref().filter(|own| (own.store, own.step) == (store, row.line.step));
    let files = match shown.map(|own| &own.files) {
        None => {
            lines
                .push(Line::styled("Enter shows what it changed, as far as that is still kept", theme.dim()));
            return lines;
        }
        Some(Err(why)) => {
            put(why);
            return lines;
        }
        Some(Ok(files)) => files,
    };
    for file in files {
        let wrapped = theme::safe(app, &format!("{}: −{} +{} lines", file.path, file.gone, file.come));
        lines.push(Line::styled(theme::fit(&wrapped, width), theme.strong()));
        for run in file.lines.chunk_by(|one, next| one.0 == next.0) {
            let sign = if run[0].0 { "+ " } else { "− " };
            // Masked together: a value can go on in the next line.
            let starts: Vec<_> = run.iter().map(|(_, own)| &own[..own.len().min(LONGEST)]).collect();
            let text = String::from_utf8_lossy(&starts.join(&b'\n')).into_owned();
            for text in theme::masked(app, &text).split('\n') {
                let text = one_line(app, text, width.saturating_sub(2));
                lines.push(Line::from(vec![Span::styled(sign, theme.strong()), Span::raw(text)]));
            }
        }
    }
    lines
}

/// So many bytes of a line are shown.
const LONGEST: usize = 2_000;
