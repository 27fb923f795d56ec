//! The clean-up, step by step: what, scope, preview, proof; its areas and its lines. The question is a sheet over the
//! preview.

use std::collections::BTreeMap;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::detectors::mask;
use crate::model::plan::count_with_noun;
use crate::model::{ChangeKind, Code, PathText};
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::action::{Hint, hint};
use crate::tui::layout;
use crate::tui::pane_titles::{margins, part, whole};
use crate::tui::panes::search::first_shown;
use crate::tui::state::app::App;
use crate::tui::state::clean_up::{CleanUp, CleanUpField, CleanUpReason, CleanUpRow, CleanUpStep};
use crate::tui::state::list_view::ListedProblem;
use crate::tui::theme::{self, column, fit, put};
use crate::usecase::clean_up::{CleanUpAction, NearCopy, NearKind};
use crate::usecase::{memory_count, not_reached_lines};

const LABEL: usize = 9;
const STEPS: [&str; 5] = ["what", "scope", "preview", "confirm", "proof"];

pub fn title(app: &App, width: u16) -> String {
    let step = app.clean_up.as_ref().map_or(CleanUpStep::What, |own| own.step);
    let at = match step {
        CleanUpStep::What => 0,
        CleanUpStep::Scope => 1,
        CleanUpStep::Preview => 2 + usize::from(app.confirm.is_some()),
        CleanUpStep::Proof => 4,
    };
    if width < 100 {
        return format!("clean-up  {} of 5: {}", at + 1, STEPS[at]);
    }
    let one = |(number, name): (usize, &&str)| match number == at {
        true => format!("▶{} {name}", number + 1),
        false => format!(" {} {name}", number + 1),
    };
    format!("clean-up  {}", STEPS.iter().enumerate().map(one).collect::<Vec<_>>().join(" "))
}

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(own) = &app.clean_up else { return };
    let body = layout::frame(app).body;
    match own.step {
        CleanUpStep::What => draw_what(app, own, frame, body),
        CleanUpStep::Scope => draw_scope(app, own, frame, body),
        CleanUpStep::Preview => {
            let areas = areas(app);
            draw_rule(app, own, frame, areas.rule);
            draw_rows(app, own, frame, areas.list);
            draw_text(app, frame, ("Where copies are", &copies(own)), areas.copies);
            draw_text(app, frame, ("After this, and not reached", &after(own)), areas.after);
        }
        CleanUpStep::Proof => {
            let (lines, rows) = proof(app);
            let top = own.top.min(lines.len().saturating_sub(rows));
            let right = super::confirm::place(top, rows, lines.len());
            let inner = margins(whole(app, frame, "Proof", right.trim_end_matches(" · "), body));
            put(frame, lines.into_iter().skip(top).take(rows), inner);
        }
    }
}

fn draw_what(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let inner = margins(whole(app, frame, "What is to be forgotten", "all that is given must fit", area));
    if inner.height == 0 || inner.width < 20 {
        return;
    }
    let room = usize::from(inner.width) - LABEL - 1;
    let mut lines = Vec::new();
    for (number, (field, label, about)) in CleanUpField::ALL.into_iter().enumerate() {
        let is_own = number == own.field;
        let line = &own.lines[number];
        let before = line.before_cursor();
        let from = first_shown(&before, before.len(), room);
        let shown = match field {
            CleanUpField::Value => "•".repeat(line.text().chars().count().min(room)),
            _ => sanitize(&line.text()[from..]).into_owned(),
        };
        if is_own {
            let left = match field {
                CleanUpField::Value => line.column().min(room),
                _ => display_width(&sanitize(&before[from..])),
            };
            let x = (inner.x + LABEL as u16 + left as u16).min(inner.right() - 1);
            let y = inner.y + lines.len() as u16;
            if y < inner.bottom() && !layout::has_dialog(app) {
                frame.set_cursor_position(Position { x, y });
            }
        }
        let (sign, style) = if is_own { ("▶", app.palette.strong()) } else { (" ", Style::new()) };
        let label = Span::styled(column(&format!("{sign}{label}"), LABEL), style);
        lines.push(Line::from(vec![label, Span::raw(fit(&shown, room))]));
        if is_own {
            let about = format!("{}{}", " ".repeat(LABEL), fit(about, room));
            lines.push(Line::styled(about, app.palette.dim()));
        }
    }
    lines.push(Line::default());
    lines.extend(failure(app, own, usize::from(inner.width)));
    lines.extend(saved_rules(app, own, usize::from(inner.width)));
    lines.push(Line::default());
    let steps = [
        "2 scope: in which stores it is erased.",
        "3 preview: every memory that goes, where its copies are, and what else on this machine has it.",
        "4 confirm: nothing is changed before you have typed it.",
        "5 proof: every byte of these stores and of palimp's own data is searched again.",
    ];
    let (width, dim) = (usize::from(inner.width), app.palette.dim());
    lines.extend(steps.iter().flat_map(|line| theme::styled_lines(line, width, dim)));
    put(frame, lines, inner);
}

fn failure(app: &App, own: &CleanUp, width: usize) -> Vec<Line<'static>> {
    let wrong = app.palette.wrong();
    let failure = own.failure.iter().map(|why| theme::safe(app, &mask(why)));
    failure.flat_map(|why| theme::styled_lines(&why, width.max(1), wrong)).collect()
}

fn saved_rules(app: &App, own: &CleanUp, width: usize) -> Vec<Line<'static>> {
    let Some(Ok(rules)) = &own.rules else { return Vec::new() };
    let lines: Vec<String> = rules.all().map(|(name, rule)| format!("  {name}: {}", rule.told())).collect();
    let head = (!lines.is_empty()).then(|| "Saved rules:".to_owned());
    let lines = head.into_iter().chain(lines);
    lines.map(|line| Line::styled(fit(&theme::safe(app, &line), width), app.palette.dim())).collect()
}

fn draw_scope(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let chosen = own.chosen.iter().filter(|chosen| **chosen).count();
    let right = format!("{chosen} of {} stores", own.chosen.len());
    let inner = margins(whole(app, frame, "Where it is searched and erased", &right, area));
    let beside = "Beside them it is searched and counted, never changed: transcripts and databases of agents, \
        histories of shells, files of editors, the trash, and git.";
    let beside: Vec<String> = theme::wrap(beside, usize::from(inner.width).max(1));
    let below = failure(app, own, usize::from(inner.width));
    let rows = usize::from(inner.height).saturating_sub(beside.len() + below.len() + 1).max(1);
    let top = own.store.at.saturating_sub(rows.saturating_sub(1));
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (number, store) in own.listed.stores.iter().enumerate().skip(top).take(rows) {
        let sign = if own.chosen.get(number) == Some(&true) { "[x]" } else { "[ ]" };
        let path = theme::safe(app, &store.root.to_text());
        let name = theme::safe(app, own.names.get(number).map_or("", String::as_str));
        let count = app.tallies.get(number).map_or(store.entries.len(), |tally| tally.listed);
        let text = format!("{sign} {} {count:>6}  {path}", column(&name, 14));
        let line = Line::raw(fit(&text, usize::from(inner.width)));
        lines.push(if number == own.store.at { app.palette.under_cursor(line) } else { line });
    }
    lines.push(Line::default());
    lines.extend(beside.into_iter().map(|line| Line::styled(line, app.palette.dim())));
    lines.extend(below);
    put(frame, lines, inner);
}

fn draw_rule(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let lines = rule(own);
    if area.height < 4 {
        let parts = lines.iter().map(|(name, text)| format!("{name} {text}"));
        let text = mask(&parts.collect::<Vec<_>>().join(" · ")).into_owned();
        let lines = theme::wrap(&theme::safe(app, &text), usize::from(area.width.saturating_sub(2)).max(1));
        return put(frame, lines, margins(area));
    }
    let inner = margins(part(app, frame, ["Rule", ""], false, false, area));
    let room = usize::from(inner.width).saturating_sub(LABEL).max(1);
    let mut shown: Vec<Line<'static>> = Vec::new();
    for (name, text) in lines {
        let text = theme::safe(app, &mask(&text));
        shown.extend(theme::hanging(&column(name, LABEL), app.palette.dim(), &text, room));
    }
    put(frame, shown, inner);
}

fn draw_rows(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let copies = own.rows.iter().filter(|row| row.reason == CleanUpReason::Copy).count();
    let go = match (own.action, own.count()) {
        (CleanUpAction::TakeOut, 1) => "loses the value",
        (CleanUpAction::TakeOut, _) => "lose the value",
        (_, 1) => "goes",
        _ => "go",
    };
    let all = count_with_noun(own.rows.len() as u64, "memory");
    let copies = match copies {
        0 => String::new(),
        1 => ", with a copy".into(),
        _ => format!(", with {copies} copies"),
    };
    let title = format!("Preview  {} of {all} {go}{copies}", own.count());
    let near = own.rows.iter().filter(|row| matches!(row.reason, CleanUpReason::Near(_))).count();
    let right = match near {
        0 => String::new(),
        1 => "1 near-copy, below".into(),
        _ => format!("{near} near-copies, below"),
    };
    let inner = part(app, frame, [&title, &right], app.confirm.is_none(), false, area);
    if own.rows.is_empty() {
        let why = match own.plan {
            Some(_) => "No memory fits. What backups and undo data have is named below.",
            None => "Looking for it …",
        };
        return put(frame, [Line::styled(why, app.palette.dim())], margins(inner));
    }
    let width = usize::from(inner.width);
    let shown = own.rows.iter().enumerate().skip(own.row.top).take(usize::from(inner.height));
    let line = |(number, row)| {
        let [sign, kind, store, date, text, why] = parts_of_row(own, row).map(|own| theme::safe(app, &own));
        let is_wide = width >= 70;
        let head = match is_wide {
            true => format!(" {sign} {} {}{date:>11} ", column(&kind, 10), column(&store, 10)),
            false => format!(" {sign} {} ", column(&kind, 8)),
        };
        let why = if why.is_empty() { why } else { format!("  {why}") };
        let room = width.saturating_sub(theme::width(&head) + theme::width(&why));
        let style = if row.goes { Style::new() } else { app.palette.dim() };
        let text = column(&fit(&text, room), room);
        let line = Line::from(vec![
            Span::styled(head, style),
            Span::styled(text, style),
            Span::styled(why, app.palette.dim()),
        ]);
        if number == own.row.at && app.confirm.is_none() { app.palette.under_cursor(line) } else { line }
    };
    put(frame, shown.map(line), inner);
}

fn draw_text(app: &App, frame: &mut Frame<'_>, (title, lines): (&str, &[String]), area: Rect) {
    if area.height < 2 {
        return;
    }
    let inner = margins(part(app, frame, [title, ""], false, area.x == 0, area));
    let width = usize::from(inner.width).max(1);
    let rows = usize::from(inner.height);
    let wrapped: Vec<String> =
        lines.iter().flat_map(|line| theme::wrap(&theme::safe(app, &mask(line)), width)).collect();
    let more = wrapped.len().saturating_sub(rows);
    let shown = wrapped.into_iter().take(if more > 0 { rows.saturating_sub(1) } else { rows });
    let mut shown: Vec<Line<'static>> = shown.map(Line::raw).collect();
    if more > 0 {
        let told = format!("… {} more lines: the question shows all", more + 1);
        shown.push(Line::styled(told, app.palette.dim()));
    }
    put(frame, shown, inner);
}

pub fn hints(app: &App, own: &CleanUp) -> Vec<Hint> {
    let open = || (!app.changes.places.is_empty()).then(|| hint("o", "open place"));
    match own.step {
        CleanUpStep::What => {
            vec![hint("Enter", "go on"), hint("Tab", "next field"), hint("Esc", "leave, nothing is done")]
        }
        CleanUpStep::Scope => {
            // At first all are in.
            let all = own.chosen.contains(&false).then(|| hint("*", "all"));
            let mut hints = vec![hint("Enter", "look for it"), hint("Space", "in, out")];
            hints.extend(all.into_iter().chain([hint("Esc", "back")]));
            hints
        }
        CleanUpStep::Preview => {
            let action = match own.next_action() {
                CleanUpAction::TakeOut => hint("t", "take out instead"),
                CleanUpAction::Erase => hint("t", "erase instead"),
                CleanUpAction::Delete => hint("t", "delete instead"),
            };
            let is_any = |is_of: fn(CleanUpReason) -> bool| own.rows.iter().any(|row| is_of(row.reason));
            let near = is_any(|own| matches!(own, CleanUpReason::Near(_)));
            let pinned = is_any(|own| own == CleanUpReason::Pinned);
            let mut hints = vec![hint("Enter", "confirm…"), action];
            hints.extend(open());
            hints.push(hint("Space", "in, out"));
            hints.extend(near.then(|| hint("N", "near-copies")));
            hints.extend(pinned.then(|| hint("P", "pinned")));
            hints.extend((!own.typed(CleanUpField::Kind).is_empty()).then(|| hint("f", "false alarm")));
            hints.extend([hint("R", "look again"), hint("Esc", "back")]);
            hints
        }
        CleanUpStep::Proof => {
            let check = hint("V", "check it later: journal");
            [hint("Enter", "done"), check].into_iter().chain(open()).chain([hint("jk", "scroll")]).collect()
        }
    }
}

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

pub fn rows_on_screen(app: &App) -> usize {
    usize::from(areas(app).list.height.saturating_sub(1)).max(1)
}

/// Returns the rule as the user typed it, a name and a text on each line. A value is not shown.
pub fn rule(own: &CleanUp) -> Vec<(&'static str, String)> {
    let typed = |(field, label, _)| {
        let text = own.typed(field);
        let text = match field {
            CleanUpField::Value if !text.is_empty() => format!("{} bytes, not shown", text.len()),
            _ => text,
        };
        (!text.is_empty()).then_some((label, text))
    };
    let mut lines: Vec<(&str, String)> = CleanUpField::ALL.into_iter().filter_map(typed).collect();
    let chosen = own.chosen.iter().filter(|chosen| **chosen).count();
    lines.push(("stores", format!("{chosen} of {}", own.chosen.len())));
    let action = match own.action {
        CleanUpAction::TakeOut => "take the value out everywhere; the memories stay",
        CleanUpAction::Erase => "erase everywhere, for good",
        CleanUpAction::Delete => "delete: undo for 30 days",
    };
    lines.push(("action", action.to_owned()));
    lines
}

/// Returns the parts of a row of the preview: in or out, type, store, date, title, and why it is listed. Untrusted
/// text.
fn parts_of_row(own: &CleanUp, row: &CleanUpRow) -> [String; 6] {
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

/// Untrusted text.
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
        let mut files: BTreeMap<ChangeKind, Vec<String>> = BTreeMap::new();
        for change in changes.all().filter(|change| !change.is_empty()) {
            files.entry(change.kind()).or_default().push(change.path.to_text().into_owned());
        }
        lines.extend(files.iter().map(|(kind, files)| {
            let count = count_with_noun(files.len() as u64, "file");
            let more = if files.len() > NAMED { ", …" } else { "" };
            format!("  {kind} {count}: {}{more}", files[..files.len().min(NAMED)].join(", "))
        }));
        // The memories themselves are in the list.
        let is_memory = |line: &&String| line.starts_with("erase ") && line.contains("  ");
        lines.extend(changes.lines.iter().filter(|line| !is_memory(line)).map(|line| format!("  {line}")));
    }
    lines.extend(plan.planned.left_out());
    lines
}

/// Untrusted text.
pub fn after(own: &CleanUp) -> Vec<String> {
    let Some(plan) = &own.plan else { return Vec::new() };
    let undo = match own.action {
        CleanUpAction::TakeOut => {
            "It can't be undone. The memories stay, without the value. t erases them instead."
        }
        CleanUpAction::Erase => "It can't be undone. t deletes instead, with undo for 30 days.",
        CleanUpAction::Delete => {
            "It can be undone for 30 days. The text stays on disk; only an erasure removes it for sure."
        }
    };
    let mut lines = vec![undo.to_owned()];
    lines.extend(plan.planned.notes.iter().cloned());
    lines.extend(not_reached_lines(&plan.planned.not_reached));
    lines
}

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
