//! The editor: the form of a memory, what it changes on disk, and the effects of that.

mod compare_conflict;
mod diff;
mod form;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::plan::count_with_noun;
use crate::model::{Code, Severity, State};
use crate::ops::form::FormFinding;
use crate::text::columns::human_size;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::editor::{DraftState, Editor, TheirVersion, choices, form_layout};
use crate::tui::layout;
use crate::tui::pane_titles::{self, margins};
use crate::tui::state::app::App;
use crate::tui::theme::{self, fit, put, sign, wrap};

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(editor) = &app.editor else { return };
    let areas = form_layout::areas(app);
    if editor.conflict.is_some() {
        let body = areas.form.union(areas.diff).union(areas.effects).union(areas.problems);
        return compare_conflict::draw(app, editor, frame, body);
    }
    form::draw(app, editor, frame, areas.form);
    diff::draw(app, editor, frame, areas.diff);
    draw_effects(app, editor, frame, areas.effects);
    if areas.problems.height > 0 {
        problems(app, editor, frame, areas.problems);
    }
}

/// Draws the title of a part of the editor. Returns the area below it. The first part has the keys.
fn part(app: &App, frame: &mut Frame<'_>, text: &str, right: &str, area: Rect) -> Rect {
    let body = layout::frame(app).body;
    let is_first = (area.x, area.y) == (body.x, body.y);
    let has_keys = is_first && !layout::has_dialog(app);
    margins(pane_titles::part(app, frame, [text, right], has_keys, area.y > body.y, area))
}

/// Untrusted text.
pub fn title(app: &App) -> String {
    let Some(editor) = &app.editor else { return "edit".into() };
    let (store, entry) = editor.snapshot.get(editor.at);
    match store.session(entry) {
        Some(session) => format!("{} › {} › edit", session.name, editor.name),
        None => format!("{} › edit", editor.name),
    }
}

/// Returns whether the draft is saved, and the numbers of problems.
pub fn state(app: &App) -> String {
    let Some(editor) = &app.editor else { return String::new() };
    let kept = match &editor.draft_state {
        _ if editor.saving => "saving …",
        _ if editor.found_draft.is_some() => "draft found",
        DraftState::Unchanged => "as on disk",
        DraftState::Pending => "draft …",
        DraftState::Saved(_) => "draft kept",
        DraftState::Failed(_) => "DRAFT NOT KEPT",
    };
    let disk = if editor.theirs.is_some() { " · disk CHANGED" } else { "" };
    let (errors, warnings) = editor.counts();
    format!("{kept}{disk} · {}{errors} {}{warnings}", sign(Severity::Error), sign(Severity::Warning))
}

pub fn hints(_app: &App, editor: &Editor) -> Vec<Hint> {
    if let Some(conflict) = &editor.conflict {
        let copy = hint("c", "mine as a new memory");
        if conflict.saves_copy {
            return vec![
                act(Action::Save, "save it"),
                hint("c", "choose field by field"),
                hint("Esc", "back"),
            ];
        }
        if conflict.fields.is_empty() {
            let is_kept = !matches!(editor.draft_state, DraftState::Failed(_));
            return is_kept.then_some(copy).into_iter().chain([hint("Esc", "back")]).collect();
        }
        let own = [hint("m", "mine"), hint("t", "theirs"), hint("b", "both"), hint("Enter", "accept")];
        return own.into_iter().chain([copy, hint("jk", "field"), hint("Esc", "back")]).collect();
    }
    if editor.found_draft.is_some() {
        return vec![hint("Enter", "go on with it"), hint("x", "drop it"), hint("Esc", "back")];
    }
    let mut hints = vec![act(Action::Save, "save")];
    if editor.theirs.is_some() {
        hints.push(hint(Action::Difference.editor_key(), "compare"));
    }
    if editor.judged.findings.iter().any(|own| own.fix.is_some()) {
        hints.push(hint(Action::Fix.editor_key(), "fix"));
    }
    if editor.judged.findings.iter().any(|own| own.field.is_some_and(|at| at != editor.field)) {
        hints.push(hint(Action::NextProblem.editor_key(), "next problem"));
    }
    if !choices(&editor.own().kind).is_empty() {
        hints.push(hint("←→", "choose"));
    }
    hints.push(hint("Tab", "field"));
    hints.push(hint("Esc", "back (draft kept)"));
    hints.push(hint(Action::EditText.editor_key(), "$EDITOR"));
    hints.push(hint("F1", "help"));
    hints
}

/// Returns a problem in one or two lines: its sign, message and code, and what the key for its fix does.
fn finding(app: &App, own: &FormFinding, width: usize) -> Vec<Line<'static>> {
    let fix = own
        .fix
        .as_ref()
        .map(|fix| format!("  {} {}", Action::Fix.editor_key(), theme::safe(app, &fix.title)));
    let fix = fix.unwrap_or_default();
    let there = if own.is_new { "" } else { ", existed before your edit" };
    let head = format!("{} ", sign(own.severity));
    let tail = format!(" ({}{there})", own.code.as_str());
    let style = app.palette.severity(own.severity);
    let said = format!("{head}{}{tail}", theme::safe(app, &own.message));
    if theme::width(&said) + theme::width(&fix) <= width {
        return vec![Line::from(vec![Span::styled(said, style), Span::styled(fix, app.palette.key())])];
    }
    // Two lines at most: the message, and what the key does.
    let mut rows = wrap(&said, width);
    if fix.is_empty() {
        if rows.len() > 2 {
            rows[1] = fit(&format!("{}{}", rows[1], rows[2]), width);
        }
        return rows.into_iter().take(2).map(|row| Line::styled(row, style)).collect();
    }
    // The message is more important than its code.
    let said = match theme::width(&said) <= width {
        true => said,
        false => fit(&format!("{head}{}", theme::safe(app, &own.message)), width),
    };
    vec![Line::styled(said, style), Line::styled(fit(&fix, width), app.palette.key())]
}

fn problems(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    let (errors, warnings) = editor.counts();
    let foot = match (errors, warnings) {
        (0, 0) => "",
        (0, _) if editor.judged.warns() => "warnings are shown once more before they are saved",
        (0, _) => "",
        _ => "Fix the errors to save. Your text is kept.",
    };
    let inner = part(app, frame, "Problems of this form", foot, area);
    let shown = usize::from(inner.height);
    let all = &editor.judged.findings;
    let cut = if all.len() > shown { shown.saturating_sub(1) } else { shown };
    let width = usize::from(inner.width);
    let mut lines: Vec<Line<'static>> =
        all.iter().take(cut).flat_map(|own| finding(app, own, width)).collect();
    if all.len() > cut {
        lines.truncate(shown.saturating_sub(1));
        lines.push(Line::raw(format!("  … {} in all", all.len())));
    }
    if all.is_empty() {
        let none = if editor.is_changed() { "none so far" } else { "none: `check` finds this clean" };
        lines.push(Line::styled(none, app.palette.dim()));
    }
    put(frame, lines, inner);
}

fn draw_effects(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    if area.height == 1 {
        let effects = editor.effects.as_ref();
        let mut said = vec![bytes(editor)];
        said.extend(effects.and_then(|own| arrow(own.rank)).map(|rank| format!("rank {rank}")));
        if dangling(editor) > 0 {
            said.push(format!("{} lead nowhere", dangling(editor)));
        }
        said.push("backup first".into());
        said.push(format!("disk {}", disk(editor)));
        let line = fit(&format!(" {}", said.join(" · ")), usize::from(area.width));
        put(frame, [Line::styled(line, app.palette.dim())], area);
        return;
    }
    let inner = part(app, frame, "Effect", "", area);
    let width = usize::from(inner.width);
    let lines = long(editor).into_iter();
    put(frame, lines.map(|(name, said)| fit(&format!("{name:15}{said}"), width)), inner);
}

fn arrow(pair: [Option<f64>; 2]) -> Option<String> {
    let [now, then] = [pair[0]?, pair[1]?].map(|value| format!("{value:.3}"));
    Some(if now == then { now } else { format!("{now} → {then}") })
}

fn bytes(editor: &Editor) -> String {
    let (before, after) = editor.judged.bytes;
    let most =
        editor.form.most_bytes.map(|most| format!(" of {}", human_size(most as u64))).unwrap_or_default();
    if before == after { format!("{after} B{most}") } else { format!("{before} → {after} B{most}") }
}

fn dangling(editor: &Editor) -> usize {
    editor.judged.findings.iter().filter(|own| own.code == Code::DanglingReference).count()
}

fn disk(editor: &Editor) -> &'static str {
    match editor.theirs {
        None => "unchanged",
        Some(TheirVersion::Changed { .. }) => "CHANGED",
        Some(TheirVersion::Gone(_)) => "GONE",
    }
}

fn long(editor: &Editor) -> Vec<(&'static str, String)> {
    let (store, entry) = editor.snapshot.get(editor.at);
    let mut said = vec![("memory", bytes(editor))];
    let Some(effects) = &editor.effects else {
        said.push(("disk", disk(editor).into()));
        return said;
    };
    said.push(("file", format!("{} → {} B", effects.file[0], effects.file[1])));
    if let Some((size, most)) = effects.session {
        said.push(("session", format!("{} of {}", human_size(size), human_size(most))));
    }
    said.extend(arrow(effects.rank).map(|rank| ("rank", rank)));
    let kind = store.memory(entry).map_or("", |memory| memory.kind());
    let half = store.decay(entry).rule(kind).half_life_hours;
    let half = half.map_or("does not fade".to_owned(), |hours| format!("half-life {:.0} d", hours / 24.0));
    let decay = arrow(effects.decay).map(|decay| format!("{decay} · ")).unwrap_or_default();
    said.push(("decay", format!("{decay}{half}")));
    let dangling = dangling(editor);
    let dangling =
        if dangling > 0 { format!(" · {dangling} of its references lead nowhere") } else { String::new() };
    said.push(("referred to by", format!("{}{dangling}", effects.referred)));
    let copies = if effects.copies > 0 { " and in the store" } else { "" };
    let files = count_with_noun(effects.files as u64, "file");
    let files = if effects.files > 0 { format!(" · {files}") } else { String::new() };
    said.push(("backup first", format!("yes, for undo{copies}{files}")));
    let state = if entry.state == State::Live { "" } else { " · not live" };
    said.push(("disk", format!("{}{state}", disk(editor))));
    said
}
