//! Archived memories, as rows of upkeep.

use super::RowDetails;
use super::list_cell::ListCell;
use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, PathText};
use crate::text::columns::human_size;
use crate::tui::list_view::details_text::text_lines;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::Theme;
use crate::tui::type_letters;
use crate::usecase::ChangeCommand;

/// Returns the archived memories, below the file or folder of each.
pub fn rows(app: &App) -> Vec<ListRow> {
    let mut archived = Vec::new();
    for (number, batch) in app.list_view.batches.iter().enumerate() {
        archived.push(ListRow::Batch(number));
        let at = |&entry: &u32| ListRow::Archived(EntryRef { store: batch.store as u32, entry });
        archived.extend(batch.entries.iter().map(at));
    }
    archived
}

/// Calls `tell` with an entry that was read with the archive.
pub fn entry<T>(
    app: &App,
    at: EntryRef,
    tell: impl FnOnce(&crate::model::Store, &crate::model::Entry) -> T,
) -> Option<T> {
    let store = app.list_view.read_snapshot.as_ref()?.stores.get(at.store as usize)?;
    Some(tell(store, store.entries.get(at.entry as usize)?))
}

pub fn key(app: &App, at: EntryRef) -> String {
    let key = entry(app, at, |store, entry| store.key(entry));
    format!("{} {}", at.store, key.unwrap_or_default())
}

pub fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let theme = Theme::of(app);
    match row {
        ListRow::Batch(number) => {
            let Some(batch) = app.list_view.batches.get(number) else { return Vec::new() };
            let path = batch.path.strip_prefix("archive").unwrap_or(&batch.path);
            let told = count_with_noun(batch.entries.len() as u64, "memory");
            vec![
                ListCell::rest(format!("  {}", path.to_text())).styled(theme.dim()),
                ListCell::right(told, 12).styled(theme.dim()).from(40),
                ListCell::right(human_size(batch.bytes), 7).styled(theme.dim()).from(50),
                ListCell::store(app, batch.store),
            ]
        }
        ListRow::Archived(at) => {
            let told = entry(app, at, |store, entry| {
                let memory = store.memory(entry);
                let used = memory.and_then(|memory| memory.accessed.or(memory.created));
                let kind = memory.map_or("", |memory| memory.kind()).to_owned();
                (format::title(store, entry), kind, used)
            });
            let Some((title, kind, used)) = told else { return Vec::new() };
            let used = used.map_or(String::new(), |used| used.age_at(app.now));
            vec![
                ListCell::left(type_letters::letter(app, &kind), 1)
                    .styled(theme.kind(&kind))
                    .from(30)
                    .close(),
                ListCell::rest(title),
                ListCell::right(used, 5).styled(theme.dim()),
                ListCell::store(app, at.store as usize),
            ]
        }
        _ => Vec::new(),
    }
}

pub fn text(app: &App, at: EntryRef) -> Option<String> {
    entry(app, at, |store, entry| format::text_of(store, entry).text)
}

/// Returns why an archived memory can't be brought back; `None` if it can.
pub fn why_not_restorable(app: &App, at: EntryRef) -> Option<String> {
    let may = entry(app, at, |store, own| ChangeCommand::Unarchive.check_allowed(store, own))?;
    may.err().map(|refusal| refusal.message)
}

pub fn about(app: &App, at: EntryRef, width: usize) -> RowDetails {
    let title = entry(app, at, |store, entry| {
        let memory = store.memory(entry);
        let kind = memory.map_or("", |memory| memory.kind()).to_owned();
        let used = memory.and_then(|memory| memory.accessed.or(memory.created));
        kind + &used.map_or(String::new(), |at| format!(" · last used {}", at.ago_at(app.now)))
    });
    let right = app.store_name(at.store as usize).to_owned();
    RowDetails { title: title.unwrap_or_default(), right, lines: text_lines(app, width) }
}
