//! The effects of saving: bytes, limits, rank, decay, references, copies.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::part;
use crate::model::plan::count_with_noun;
use crate::model::{Code, State};
use crate::text::columns::human_size;
use crate::tui::state::app::App;
use crate::tui::state::editor::{Editor, TheirVersion};
use crate::tui::theme::{Theme, fit};

/// Draws the effects: a pane, or one line.
pub fn draw(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let theme = Theme::of(app);
    if area.height == 1 {
        let line: Vec<String> = short(editor);
        let line = fit(&format!(" {}", line.join(" · ")), usize::from(area.width));
        frame.render_widget(Paragraph::new(Line::styled(line, theme.dim())), area);
        return;
    }
    let inner = part(app, frame, "Effect", "", area);
    let width = usize::from(inner.width);
    let lines: Vec<Line<'static>> = long(editor)
        .into_iter()
        .map(|(name, said)| Line::raw(fit(&format!("{name:15}{said}"), width)))
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
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

fn short(editor: &Editor) -> Vec<String> {
    let effects = editor.effects.as_ref();
    let mut said = vec![bytes(editor)];
    said.extend(effects.and_then(|own| arrow(own.rank)).map(|rank| format!("rank {rank}")));
    if dangling(editor) > 0 {
        said.push(format!("{} lead nowhere", dangling(editor)));
    }
    said.push("backup first".into());
    said.push(format!("disk {}", disk(editor)));
    said
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
