//! Two sessions side by side: what was written in each, ordered by time.

use super::list_cell::ListCell;
use super::{ListViewKind, new};
use crate::format;
use crate::model::{EntryRef, Moment, State, Store};
use crate::text::safe_text::display_width;
use crate::tui::hint::{Hint, hint};
use crate::tui::panes::{secret_beside, sign_of};
use crate::tui::state::app::{App, MemoryIdentity};
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::Theme;
use crate::tui::type_letters;

pub static KIND: ListViewKind = ListViewKind {
    orders: ["oldest first", "newest first"],
    none: "These sessions have no memories any more.",
    is_beside: false,
    rows,
    about: new::about,
    hints: |app| if app.list_view.list.is_empty() { Vec::<Hint>::new() } else { vec![hint("Enter", "open")] },
    is_read: |app| app.is_whole(),
};

/// On fewer columns both sessions share one column, and only a letter tells them apart.
const BESIDE: usize = 70;

pub const SIDES: [&str; 2] = ["A", "B"];

/// Finds the store and the session of one side in the present stores.
fn of(app: &App, own: &MemoryIdentity) -> Option<(usize, u32)> {
    let number = app.snapshot.stores.iter().position(|store| store.root == own.root)?;
    let name = own.session.as_deref()?;
    let session = app.snapshot.stores[number].sessions.iter().position(|own| own.name == name)?;
    Some((number, session as u32))
}

/// Returns the title: the two sessions, with their stores if there is room. Untrusted text.
pub fn title(app: &App, room: usize) -> String {
    let name = |side: usize, has_store: bool| {
        let own = app.list_view.session_pair.as_ref().and_then(|pair| of(app, &pair[side]));
        own.map_or(String::new(), |(store, session)| {
            let name = &app.snapshot.stores[store].sessions[session as usize].name;
            let store = if has_store { format!(" · {}", app.store_name(store)) } else { String::new() };
            format!("{}  {name}{store}", SIDES[side])
        })
    };
    let both = |has_store| format!("{}   {}", name(0, has_store), name(1, has_store));
    let long = both(true);
    if display_width(&long) <= room { long } else { both(false) }
}

/// Returns the memories of a session. A memory without a time gets the last known time before it.
fn of_session(store: &Store, session: u32) -> impl Iterator<Item = (Moment, u32)> + '_ {
    let own = store.entries.iter().enumerate().filter(move |(_, own)| own.session == Some(session));
    let shown = own.filter(|(_, own)| matches!(own.state, State::Live | State::Broken));
    let mut last = Moment(i64::MIN);
    shown.map(move |(number, own)| {
        last = store.view(own).and_then(|view| view.created).unwrap_or(last);
        (last, number as u32)
    })
}

fn rows(app: &App) -> Vec<ListRow> {
    let Some(pair) = &app.list_view.session_pair else { return Vec::new() };
    let mut all: Vec<(Moment, usize, EntryRef)> = Vec::new();
    for (side, own) in pair.iter().enumerate() {
        let Some((number, session)) = of(app, own) else { continue };
        let at = |entry| EntryRef { store: number as u32, entry };
        let own = of_session(&app.snapshot.stores[number], session);
        all.extend(own.map(|(created, entry)| (created, side, at(entry))));
    }
    all.sort_by_key(|(created, ..)| *created);
    if app.list_view.list.is_other_order {
        all.reverse();
    }
    all.into_iter().map(|(_, side, at)| ListRow::Side(side, at)).collect()
}

pub fn cells(app: &App, side: usize, at: EntryRef) -> Vec<ListCell> {
    let theme = Theme::of(app);
    let (store, entry) = app.snapshot.get(at);
    let view = store.view(entry);
    let kind = view.as_ref().map_or("", |view| view.kind);
    let created = view.as_ref().and_then(|view| view.created);
    let (sign, style) = sign_of(app, store, entry, false);
    let (secret, secret_style) = secret_beside(app, sign, store, entry);
    let title = format::title(store, entry);
    let mut cells = vec![
        ListCell::left(created.map_or(String::new(), |at| at.short_date_at(app.now)), 12)
            .styled(theme.dim())
            .from(50),
        ListCell::left(SIDES[side], 1).styled(theme.accent()).close(),
        ListCell::left(sign, 1).styled(style).tight(),
        ListCell::left(secret, 1).styled(secret_style).tight(),
        ListCell::left(type_letters::letter(app, kind), 1).styled(theme.kind(kind)).from(30).close(),
    ];
    let other = ListCell::rest("").from(BESIDE);
    match side {
        0 => cells.extend([ListCell::rest(title), other]),
        _ => cells.extend([other, ListCell::rest(title)]),
    }
    cells
}
