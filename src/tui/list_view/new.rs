//! The memories that agents wrote since the last visit, store by store.

use std::collections::{BTreeSet, HashSet};

use crate::format;
use crate::model::{Entry, EntryRef, EntryTime, Moment, RecordText, Store, UntrustedText};
use crate::text::columns::column;
use crate::text::safe_text::display_width;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind, RowDetails, text_lines};
use crate::tui::panes::{secret_beside, sign_of};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::value_prompt::field;

pub static KIND: ListViewKind = ListViewKind {
    orders: ["by store", "newest first"],
    none: "Nothing is new. What agents write while you are away is listed here; in the list `/since:1d` finds what is of \
           the last day.",
    is_beside: true,
    rows,
    key: |app, row| if let ListRow::New(at) = row { key(app, at) } else { String::new() },
    cells,
    about,
    hints,
    is_read: |app| app.is_whole(),
};

/// More new memories are not counted exactly.
pub const MOST: usize = 1_000;

/// True if a memory was written after the last visit to its store, is not in the future, and is not
/// marked as seen.
pub fn is_unseen(app: &App, store: &Store, entry: u32) -> bool {
    let seen = app.visits.seen(&store.root);
    let time = store.entries.get(entry as usize).and_then(|entry| store.time_of(entry));
    let (Some(seen), Some(time)) = (seen, time) else { return false };
    time.at > seen && time.at <= app.now && !app.visits.is_seen(&store.root, || name_of(store, entry))
}

pub fn is_new(app: &App, at: EntryRef) -> bool {
    is_unseen(app, app.listed_snapshot.get(at).0, at.entry)
}

/// This much of a key names a memory in its file, and is too little to check a guess at an erased text.
const SHORT_KEY: usize = 13;

/// Returns the name of a memory in its store: its id with its session, or its key. One with the time of its file has the
/// start of its key: with another text it is new again.
pub fn name_of(store: &Store, entry: u32) -> String {
    let Some(entry) = store.entries.get(entry as usize) else { return String::new() };
    match (store.id(entry), store.session(entry)) {
        _ if is_by_file(store, entry) => store.key(entry).chars().take(SHORT_KEY).collect(),
        (Some(id), Some(session)) => format!("{}/{id}", session.name),
        (Some(id), None) => id.to_owned(),
        (None, _) => store.key(entry),
    }
}

/// True if only the time of a memory's file is known.
pub fn is_by_file(store: &Store, entry: &Entry) -> bool {
    store.time_of(entry).is_some_and(EntryTime::is_of_file)
}

/// Returns the names of the memories that have the time of a file together with others, or may soon.
pub fn shared_names(store: &Store) -> BTreeSet<String> {
    let is_part = |(_, entry): &(u32, &Entry)| {
        let is_alone = store.document(entry).records.len() == 1;
        let is_file = is_alone && store.memory(entry).is_some_and(|memory| memory.id().is_some());
        !is_file && is_by_file(store, entry)
    };
    (0..).zip(&store.entries).filter(is_part).map(|(number, _)| name_of(store, number)).collect()
}

pub fn unseen_names(app: &App) -> HashSet<String> {
    let stores = app.snapshot.stores.iter().enumerate().filter(|(_, store)| store.has_file_times);
    let new = stores.flat_map(|(number, store)| of_store(app, number).map(move |(_, at)| (store, at.entry)));
    new.map(|(store, entry)| name_of(store, entry)).collect()
}

fn of_store(app: &App, number: usize) -> impl Iterator<Item = (Moment, EntryRef)> + '_ {
    let store = app.snapshot.stores.get(number);
    let seen = store.and_then(|store| app.visits.seen(&store.root));
    let newest = app.tallies.get(number).map_or(&[][..], |tally| &tally.newest);
    // The newest come first, so none after these is new.
    let since = newest.iter().take_while(move |(created, _)| seen.is_some_and(|seen| *created > seen));
    let own = since.filter(move |(_, entry)| store.is_some_and(|store| is_unseen(app, store, *entry)));
    own.map(move |&(created, entry)| (created, EntryRef { store: number as u32, entry }))
}

pub fn count(app: &App) -> usize {
    (0..app.snapshot.stores.len()).map(|number| of_store(app, number).count()).sum()
}

/// Returns the time up to which all memories were seen: the earliest last visit of a store.
pub fn since(app: &App) -> Option<Moment> {
    app.snapshot.stores.iter().filter_map(|store| app.visits.seen(&store.root)).min()
}

fn rows(app: &App) -> Vec<ListRow> {
    let mut rows = Vec::new();
    let mut all: Vec<(Moment, EntryRef)> = Vec::new();
    for number in 0..app.snapshot.stores.len() {
        let own: Vec<(Moment, EntryRef)> = of_store(app, number).collect();
        if !own.is_empty() {
            rows.push(ListRow::Store(number, own.len()));
        }
        rows.extend(own.iter().map(|(_, at)| ListRow::New(*at)));
        all.extend(own);
    }
    if app.list_view.list.is_other_order {
        all.sort_by_key(|(created, _)| std::cmp::Reverse(*created));
        return all.into_iter().map(|(_, at)| ListRow::New(at)).collect();
    }
    rows
}

fn key(app: &App, at: EntryRef) -> String {
    let store = app.snapshot.stores.get(at.store as usize);
    store.map(|store| format!("{} {}", at.store, name_of(store, at.entry))).unwrap_or_default()
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    match row {
        ListRow::Store(number, count) => {
            let told = format!("{}  {count} new", app.store_name(number));
            vec![ListCell::rest(told).styled(app.palette.strong())]
        }
        ListRow::New(at) => {
            let (store, entry) = app.snapshot.get(at);
            let memory = store.memory(entry);
            let kind = memory.as_ref().map_or("", |memory| memory.kind());
            let who = memory.as_ref().and_then(|view| field(view, "agent")).unwrap_or("unknown");
            let age = store.time_of(entry).map(|time| time.age_at(app.now));
            let is_turned = app.list_view.list.is_other_order;
            let (sign, style) = sign_of(app, store, entry, true);
            let (secret, secret_style) = secret_beside(app, sign, store, entry);
            let mut cells = vec![
                ListCell::left(sign, 1).styled(style).tight(),
                ListCell::left(secret, 1).styled(secret_style).tight(),
                ListCell::kind(app, kind),
                ListCell::rest(format::title(store, entry).into_raw()),
            ];
            cells.extend(is_turned.then(|| ListCell::store(app, at.store as usize)));
            cells.push(ListCell::left(who, 10).styled(app.palette.dim()).from(50));
            cells.push(ListCell::right(age.unwrap_or_default(), 5).styled(app.palette.dim()));
            cells
        }
        _ => Vec::new(),
    }
}

/// Returns the text of a memory, and its fields below. Fields of several words come first.
pub fn text(app: &App, at: EntryRef) -> String {
    let (store, entry) = app.snapshot.get(at);
    let RecordText { text, mut fields, .. } = format::text_of(store, entry);
    fields.retain(|(_, value)| !value.raw().is_empty());
    fields.sort_by_key(|(_, value)| !value.raw().trim().contains(char::is_whitespace));
    let own = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let widest = fields.iter().map(|(name, _)| display_width(&own(name))).max().unwrap_or(0).min(NAMES);
    let told = |(name, value): &(String, UntrustedText)| {
        format!("\n{}  {}", column(&own(name), widest), value.raw())
    };
    let fields: String = fields.iter().map(told).collect();
    let text = text.into_raw();
    if fields.is_empty() { text } else { format!("{}\n{fields}", text.trim_end()) }
}

/// The names of fields have at most this many columns.
const NAMES: usize = 14;

pub fn about(app: &App, width: usize) -> RowDetails {
    let Some(ListRow::New(at)) = app.list_view.row() else { return RowDetails::default() };
    let (store, entry) = app.snapshot.get(at);
    let memory = store.memory(entry);
    let session = store.session(entry).map(|session| session.name.clone());
    let parts = [
        memory.as_ref().map(|memory| memory.kind().to_owned()),
        Some(app.store_name(at.store as usize).to_owned()),
        session,
        store.time_of(entry).map(|time| time.ago_at(app.now)),
    ];
    let right = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    RowDetails { title: "Detail".into(), right, lines: text_lines(app, width) }
}

fn hints(app: &App) -> Vec<Hint> {
    let mut hints = Vec::new();
    if !app.list_view.list.is_empty() {
        hints.extend([hint("Enter", "open"), act(Action::Seen, "seen"), act(Action::MarkAll, "mark all")]);
        hints.extend((!app.is_readonly()).then(|| act(Action::Delete, "remove…")));
    }
    hints.extend((!app.list_view.seen_before.is_empty()).then(|| act(Action::Undo, "undo seen")));
    hints
}
