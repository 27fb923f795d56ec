//! Backups, and what would come back of the one that is open.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{draw_text, one_line, part, say, size};
use crate::model::Tell;
use crate::model::plan::counted;
use crate::ops::restore::{Item, Kind};
use crate::store::commit::NOT_VERIFIED;
use crate::tui::app::App;
use crate::tui::layout;
use crate::tui::panes::draw_lines;
use crate::tui::theme::{self, Theme, column};
use crate::work::{Backup, Opened};

/// Draws the view.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let parts = layout::back(app);
    if parts.list.height > 0 {
        list(app, frame, parts.list);
    }
    if parts.within.height == 0 {
        return;
    }
    let restore = &app.back.restore;
    match (&restore.opened, restore.difference) {
        (None, _) => closed(app, frame, parts.within),
        (Some(_), Some(top)) => {
            let title = "The whole difference   − as it is now   + as the backup has it";
            let inner = part(app, frame, title, "= or Esc closes it", true, parts.within);
            draw_text(frame, difference(app, usize::from(inner.width.saturating_sub(1))), top, inner);
        }
        (Some(opened), None) => items(app, frame, opened, parts.within),
    }
    if parts.below.height > 0 {
        below(app, frame, parts.below);
    }
}

fn list(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let restore = &app.back.restore;
    let list = restore.list.as_deref().unwrap_or_default();
    let title = format!("Backups  {}", list.len());
    let foot = format!("✓ intact  ✖ damaged  · {NOT_VERIFIED}: V");
    let inner = part(app, frame, &title, &foot, !app.back.inside, area);
    match &restore.list {
        None => return say(app, frame, "reading …", inner),
        Some(list) if list.is_empty() => {
            let text = "No backups yet. Every change is backed up first where the format keeps backups; `palimp backup create` copies every file now.";
            return say(app, frame, text, inner);
        }
        Some(_) => {}
    }
    let (theme, width) = (Theme::of(app), usize::from(inner.width.saturating_sub(1)));
    let row = |at: usize| list.get(at).map(|own| backup(app, own, width)).unwrap_or_default();
    draw_lines(frame, &theme, inner, app.back.at, list.len(), !app.back.inside, row);
}

fn backup(app: &App, own: &Backup, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    // Words where there is room for them; the foot says what the signs mean.
    let state = match (&own.verified, width >= ROOMY) {
        (None, true) => column(&format!("· {NOT_VERIFIED}"), STATE),
        (Some(own), true) if own.is_whole => column("✓ intact", STATE),
        (Some(_), true) => column("✖ damaged", STATE),
        (None, false) => "·".into(),
        (Some(own), false) => if own.is_whole { "✓" } else { "✖" }.into(),
    };
    let at = own.copy.at.map(|at| at.to_minute()).unwrap_or_else(|| "at an unknown time".into());
    let file = own.copy.file.told().into_owned();
    let short = file.strip_suffix(".jsonl").unwrap_or(&file);
    let used = theme::width(&state) + 1 + 16 + 1 + 9;
    let reason = theme::fit(&own.copy.reason.to_string(), 20);
    let left = width.saturating_sub(used + theme::width(&reason) + 1);
    Line::from(vec![
        Span::raw(format!("{state} ")),
        Span::raw(column(&at, 16) + " "),
        Span::styled(format!("{:>8} ", size(own.copy.bytes)), theme.dim()),
        Span::raw(reason + " "),
        Span::styled(one_line(app, short, left), theme.dim()),
    ])
}

/// A list of this width has words for what is known of a backup.
const ROOMY: usize = 60;
/// So many columns they take.
const STATE: usize = 18;

fn closed(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let restore = &app.back.restore;
    let inner = part(app, frame, "What restoring would change", "", app.back.inside, area);
    let text = match (&restore.failed, &restore.opening, app.back.backup()) {
        (Some(why), ..) => why.clone(),
        (None, Some(_), _) => "reading …".into(),
        (None, None, Some(own)) => {
            let found = match &own.verified {
                None => format!(" It is {NOT_VERIFIED}."),
                Some(own) if own.is_whole => format!(" It is intact: {}.", own.found),
                Some(own) => format!(" It is damaged: {}.", own.found),
            };
            let path = own.copy.path.told();
            format!(
                "{path}, a copy of {}, {}.{found} Enter opens it: nothing is changed by that.",
                own.copy.file.told(),
                own.copy.reason
            )
        }
        (None, None, None) => String::new(),
    };
    say(app, frame, &text, inner);
}

fn items(app: &App, frame: &mut Frame<'_>, opened: &Opened, area: Rect) {
    let restore = &app.back.restore;
    let compared = &opened.compared;
    let count = |kind: Kind| compared.count(kind);
    let blocked = count(Kind::Tombstoned) + count(Kind::Erased);
    let blocked = if blocked > 0 { format!("  ⊘{blocked} can't come back") } else { String::new() };
    let foot = format!(
        "+{} back  −{} newer (kept)  ~{} changed{blocked}",
        count(Kind::Missing),
        count(Kind::Newer),
        count(Kind::Changed)
    );
    let title = match &compared.whole_only {
        Some(_) => "The whole file alone (W)".to_owned(),
        None => format!("{} chosen", restore.chosen.len()),
    };
    let inner = part(app, frame, &title, &foot, app.back.inside, area);
    let [head, rest] = ratatui::layout::Layout::vertical([
        ratatui::layout::Constraint::Length(1),
        ratatui::layout::Constraint::Min(0),
    ])
    .areas(inner);
    let at = opened.copy.at.map(|at| at.to_minute()).unwrap_or_default();
    let sign = if opened.verified.is_whole { "✓" } else { "✖" };
    let about = format!("{} {at} → now · {sign} {}", compared.file.told(), opened.verified.found);
    say(app, frame, &theme::fit(&about, usize::from(head.width)), head);
    if compared.items.is_empty() {
        let text = if compared.is_alike {
            "The file is as the backup has it."
        } else {
            "Every memory is as the backup has it; only spaces or order differ."
        };
        return say(app, frame, text, rest);
    }
    let (theme, width) = (Theme::of(app), usize::from(rest.width));
    let row = |at: usize| compared.items.get(at).map(|own| item(app, own, width)).unwrap_or_default();
    draw_lines(frame, &theme, rest, app.back.within, compared.items.len(), app.back.inside, row);
}

fn item(app: &App, own: &Item, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let chosen = match (own.can_come, app.back.restore.chosen.contains(&own.at)) {
        (true, true) => "[x]",
        (true, false) => "[ ]",
        (false, _) => "   ",
    };
    let id = own.id.as_deref().unwrap_or("(no id)");
    let told = match own.kind {
        Kind::Newer => format!("{} → kept", day(&own.told)),
        Kind::Changed => changes(own).first().cloned().unwrap_or_else(|| own.told.clone()),
        Kind::Missing => day(&own.told).to_owned(),
        _ => own.told.clone(),
    };
    let told = one_line(app, &told, width * 2 / 5);
    let id = column(&one_line(app, id, ID), ID);
    let used = 3 + 1 + 2 + ID + 1 + theme::width(&told) + 2;
    let title = column(&one_line(app, &own.title, width.saturating_sub(used)), width.saturating_sub(used));
    Line::from(vec![
        Span::raw(format!("{chosen} ")),
        Span::styled(format!("{} ", own.kind.sign()), theme.strong()),
        Span::raw(format!("{id} ")),
        Span::styled(title + "  ", theme.dim()),
        Span::raw(told),
    ])
}

/// So many columns an id has in a list.
const ID: usize = 12;

/// What tells of a time, without the time of the day.
fn day(told: &str) -> &str {
    told.rsplit_once(' ').filter(|(_, end)| end.contains(':')).map_or(told, |(day, _)| day)
}

/// What differs member by member, where both are JSON objects: from now to what it was.
fn changes(item: &Item) -> Vec<String> {
    let read =
        |bytes: &[u8]| serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(bytes).ok();
    let (Some(was), Some(is)) = (read(&item.was), read(&item.is)) else { return Vec::new() };
    let mut told = Vec::new();
    for (name, then) in &was {
        match is.get(name) {
            Some(now) if now == then => {}
            Some(now) => told.push(format!("{name}  {now} → {then}")),
            None => told.push(format!("{name}  (none) → {then}")),
        }
    }
    let gone = is.iter().filter(|(name, _)| !was.contains_key(*name));
    told.extend(gone.map(|(name, now)| format!("{name}  {now} → (none)")));
    told
}

fn below(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let title = app.back.item().map_or_else(
        || "Effect".to_owned(),
        |own| format!("{} {}", own.kind.sign(), theme::safe(app, own.id.as_deref().unwrap_or("(no id)"))),
    );
    let inner = part(app, frame, &title, "current file backed up first · u undoes it", false, area);
    let mut lines = vec![Line::raw(one_line(app, &effect(app), usize::from(inner.width.saturating_sub(1))))];
    lines.extend(difference(app, usize::from(inner.width.saturating_sub(1))));
    draw_text(frame, lines, 0, inner);
}

/// What restoring the chosen records comes to, in a line.
fn effect(app: &App) -> String {
    let restore = &app.back.restore;
    let Some(opened) = &restore.opened else { return String::new() };
    let items = &opened.compared.items;
    let chosen =
        |kind| items.iter().filter(|own| own.kind == kind && restore.chosen.contains(&own.at)).count();
    let (back, changed) = (chosen(Kind::Missing), chosen(Kind::Changed));
    let now = opened.compared.records;
    let put = if changed > 0 { format!(", {changed} put back to what they were") } else { String::new() };
    format!("{now} → {}{put}", counted((now + back) as u64, "record"))
}

/// The difference of the record under the cursor: as it is now, and as the backup has it.
/// Of what was erased nothing is there to show.
pub fn difference(app: &App, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let Some(item) = app.back.item() else { return Vec::new() };
    let mut lines = Vec::new();
    let mut put = |sign: &str, text: &str| {
        let wrapped = theme::wrap(&theme::safe(app, text), width.saturating_sub(2));
        for (number, line) in wrapped.into_iter().enumerate() {
            let sign = if number == 0 { sign } else { " " };
            lines.push(Line::from(vec![Span::styled(format!("{sign} "), theme.strong()), Span::raw(line)]));
        }
    };
    put("·", &item.told);
    changes(item).iter().for_each(|change| put("~", change));
    for (sign, bytes) in [("−", &item.is), ("+", &item.was)] {
        if !bytes.is_empty() {
            put(sign, &String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]));
        }
    }
    lines
}

/// So many bytes of a record are shown of a difference.
const LONGEST: usize = 64 * 1024;
