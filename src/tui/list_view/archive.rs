//! The archive: what is due to be archived, what will be, and every memory that is.

use super::row::{Cell, Row};
use super::{About, Kind, upkeep};
use crate::deed::Wanted;
use crate::format;
use crate::model::plan::counted;
use crate::model::{EntryRef, Tell};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::health::human;
use crate::tui::kinds;
use crate::tui::panes::hints::{Hint, act, hint};
use crate::tui::panes::list_view::text_lines;
use crate::tui::theme::Theme;
use crate::work::Task;

pub static KIND: Kind = Kind {
    orders: ["due first", "archived first"],
    none: "Nothing is archived, and nothing is due within 90 days.",
    is_beside: true,
    rows,
    about,
    hints,
    is_read: |app| app.view.read_of.is_some(),
};

fn rows(app: &App) -> Vec<Row> {
    let chores = app.view.chores.iter().enumerate();
    let due: Vec<Row> =
        chores.filter(|(_, own)| own.task != Task::Compact).map(|(at, _)| Row::Chore(at)).collect();
    let mut archived = Vec::new();
    for (number, batch) in app.view.batches.iter().enumerate() {
        archived.push(Row::Batch(number));
        let at = |&entry: &u32| Row::Archived(EntryRef { store: batch.store as u32, entry });
        archived.extend(batch.entries.iter().map(at));
    }
    match app.view.list.is_turned {
        true => archived.into_iter().chain(due).collect(),
        false => due.into_iter().chain(archived).collect(),
    }
}

/// What is told of a memory that was read with the archive.
fn entry<T>(
    app: &App,
    at: EntryRef,
    tell: impl FnOnce(&crate::model::Store, &crate::model::Entry) -> T,
) -> Option<T> {
    let store = app.view.read_of.as_ref()?.stores.get(at.store as usize)?;
    Some(tell(store, store.entries.get(at.entry as usize)?))
}

pub fn key(app: &App, at: EntryRef) -> String {
    let key = entry(app, at, |store, entry| store.key(entry));
    format!("{} {}", at.store, key.unwrap_or_default())
}

pub fn cells(app: &App, row: Row) -> Vec<Cell> {
    let theme = Theme::of(app);
    match row {
        Row::Batch(number) => {
            let Some(batch) = app.view.batches.get(number) else { return Vec::new() };
            let path = batch.path.strip_prefix("archive").unwrap_or(&batch.path);
            let told = counted(batch.entries.len() as u64, "memory");
            vec![
                Cell::rest(format!("  {}", path.told())).styled(theme.dim()),
                Cell::right(told, 12).styled(theme.dim()).from(40),
                Cell::right(human(batch.bytes), 7).styled(theme.dim()).from(50),
                Cell::store(app, batch.store),
            ]
        }
        Row::Archived(at) => {
            let told = entry(app, at, |store, entry| {
                let view = store.view(entry);
                let used = view.and_then(|view| view.accessed.or(view.created));
                let kind = view.map_or("", |view| view.kind).to_owned();
                (format::title(store, entry), kind, used)
            });
            let Some((title, kind, used)) = told else { return Vec::new() };
            let used = used.map_or(String::new(), |used| used.age_at(app.now));
            vec![
                Cell::left("▪ archived", 10).styled(theme.dim()).from(50),
                Cell::left(kinds::letter(app, &kind), 1).styled(theme.kind(&kind)).from(30).close(),
                Cell::rest(title),
                Cell::right(used, 5).styled(theme.dim()),
                Cell::store(app, at.store as usize),
            ]
        }
        _ => Vec::new(),
    }
}

/// The text of a memory that is archived.
pub fn text(app: &App, at: EntryRef) -> Option<String> {
    entry(app, at, |store, entry| format::text_of(store, entry).text)
}

/// Why an archived memory can't be brought back, where it can't.
pub fn stays(app: &App, at: EntryRef) -> Option<String> {
    let may = entry(app, at, |store, own| Wanted::Unarchive.may(store, own))?;
    may.err().map(|refusal| refusal.message)
}

fn about(app: &App, width: usize) -> About {
    match app.view.row() {
        Some(Row::Archived(at)) => {
            let told = entry(app, at, |store, entry| {
                let view = store.view(entry);
                let kind = view.map_or("", |view| view.kind).to_owned();
                let used = view.and_then(|view| view.accessed.or(view.created));
                let used = used.map_or(String::new(), |at| format!(" · last used {}", at.ago_at(app.now)));
                kind + &used
            });
            let right = app.store_name(at.store as usize).to_owned();
            About { title: told.unwrap_or_default(), right, lines: text_lines(app, width) }
        }
        _ => upkeep::about(app, width),
    }
}

fn hints(app: &App) -> Vec<Hint> {
    let (what, deed) = match app.view.row() {
        Some(Row::Archived(at)) => {
            ("read", stays(app, at).is_none().then(|| act(Action::BringBack, "bring back…")))
        }
        Some(Row::Chore(at)) => {
            let is_due = app.view.chores.get(at).is_some_and(|own| own.plan.is_some());
            ("its memories", is_due.then(|| act(Action::Archive, "do what is due…")))
        }
        _ => return Vec::new(),
    };
    let open = (!app.view.inside).then(|| hint("Enter", what));
    open.into_iter().chain(deed).collect()
}
