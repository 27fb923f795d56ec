//! New memories: the keys of their view, and the notice that announces them.

use crate::model::{EntryRef, Moment, PathText};
use crate::tui::action::Action;
use crate::tui::list_view::new::field;
use crate::tui::message::Effect;
use crate::tui::state::app::{App, DEMO_NOTICE};
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::{fit, safe, width};
use crate::tui::update::list_view::seen;
use crate::tui::update::reference_go_back;

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.list_view.row()) {
        (Action::Seen, _) => seen::seen(app),
        (Action::AllSeen, _) => seen::all_seen(app),
        (Action::Undo, _) => seen::undo(app),
        (Action::Open, Some(ListRow::New(at))) if !app.list_view.in_details => {
            reference_go_back::open_memory(app, at)
        }
        _ => return false,
    }
    true
}

/// Begins the first visit of new stores. Announces the newest memory if it came since `before`.
pub fn arrived(app: &mut App, before: Option<Moment>) {
    let roots: Vec<_> = app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    let known = app.visits.clone();
    app.visits.see(&roots, app.now, true);
    if app.visits != known {
        seen::write(app);
    }
    let newest = newest(app);
    let (Some(before), Some((created, at))) = (before, newest) else { return };
    if created <= before || created > app.now {
        return;
    }
    let store = &app.snapshot.stores[at.store as usize];
    let entry = &store.entries[at.entry as usize];
    let agent = store.view(entry).and_then(|view| field(&view, "agent"));
    let who = agent.unwrap_or("An agent").to_owned();
    let title = crate::format::title(store, entry);
    let file = store.document(entry).path.to_text().into_owned();
    let place = format!("{} {file}", app.store_name(at.store as usize));
    if app
        .notice
        .as_deref()
        .is_none_or(|notice| notice == DEMO_NOTICE || app.brief_notice.as_deref() == Some(notice))
    {
        let said = told(app, &who, &title, &place);
        app.brief_notice = Some(said.clone());
        app.say(said);
        if !app.reduced_motion {
            app.push_effect(Effect::HideNoticeSoon);
        }
    }
}

/// Returns the notice about a new memory, in one row, so that nothing else moves. It always says
/// who wrote and where; the title gets the rest.
fn told(app: &App, who: &str, title: &str, place: &str) -> String {
    let [who, title, place] = [who, title, place].map(|text| safe(app, text));
    let room = usize::from(app.size.0.saturating_sub(2));
    let others = width(&who) + width(&place) + "+  wrote:   ".len();
    match room.saturating_sub(others) {
        left if left < 8 => fit(&format!("+ {who} in {place}"), room),
        left => format!("+ {who} wrote: {}  {place}", fit(&title, left)),
    }
}

/// Removes the notice about a new memory after its time.
pub fn was_told(app: &mut App) {
    let brief = app.brief_notice.take();
    if brief.is_some() && app.notice == brief {
        app.notice = None;
    }
}

/// Returns the memory that was written last, but not in the future.
pub fn newest(app: &App) -> Option<(Moment, EntryRef)> {
    let stores = app.tallies.iter().enumerate();
    let each = stores.filter_map(|(number, tally)| {
        let (created, entry) = *tally.newest.iter().find(|(created, _)| *created <= app.now)?;
        Some((created, EntryRef { store: number as u32, entry }))
    });
    each.max_by_key(|(created, _)| *created)
}
