//! Upkeep: what is due now and next, what a compaction drops, what fades, and what is archived.

use ratatui::style::Style;
use ratatui::text::Line;

use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{Entry, EntryRef, Moment, PathText, Store};
use crate::query::{FadeEnd, FadeForecast};
use crate::text::columns::human_size;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind, RowDetails, text_lines};
use crate::tui::state::app::App;
use crate::tui::state::row_list::{ListRow, UpkeepPart};
use crate::tui::theme;
use crate::usecase::{Command, UnarchiveMemories};
use crate::work::{Chore, ChoreKind};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["due first", "fading first"],
    none: "Nothing is due, fades within 30 days or can be compacted, and nothing is archived. \
           In the list `a` archives a memory, and here it can be brought back.",
    is_beside: true,
    rows,
    key,
    cells,
    about,
    hints,
    is_read: |app| app.list_view.read_snapshot.is_some(),
};

fn rows(app: &App) -> Vec<ListRow> {
    let part = |part: UpkeepPart, below: Vec<ListRow>| {
        std::iter::once(ListRow::UpkeepPart(part, below.len())).chain(below)
    };
    let chores = |is_wanted: fn(&Chore) -> bool| {
        let wanted = app.list_view.chores.iter().enumerate().filter(move |(_, chore)| is_wanted(chore));
        wanted.map(|(at, _)| ListRow::Chore(at)).collect()
    };
    let fades = (0..app.list_view.fading.len()).map(ListRow::Fading).collect();
    let due = part(UpkeepPart::Due, chores(|chore| chore.task == ChoreKind::Due))
        .chain(part(UpkeepPart::Next, chores(|chore| matches!(chore.task, ChoreKind::Soon(_)))))
        // A store without anything to compact is no row.
        .chain(part(
            UpkeepPart::Compact,
            chores(|chore| chore.task == ChoreKind::Compact && chore.plan.is_some()),
        ))
        .chain(part(UpkeepPart::Archived, archived_rows(app)));
    let fades = part(UpkeepPart::Fades, fades);
    match app.list_view.list.is_other_order {
        true => fades.chain(due).collect(),
        false => due.chain(fades).collect(),
    }
}

impl UpkeepPart {
    fn title(self) -> &'static str {
        match self {
            UpkeepPart::Due => "Due now",
            UpkeepPart::Next => "Due next",
            UpkeepPart::Compact => "A compaction drops",
            UpkeepPart::Fades => "Fades fully within 30 days",
            UpkeepPart::Archived => "Archived",
        }
    }
}

pub fn chore(app: &App) -> Option<&Chore> {
    let Some(ListRow::Chore(at)) = app.list_view.row() else { return None };
    app.list_view.chores.get(at)
}

fn key(app: &App, row: ListRow) -> String {
    let key = match row {
        ListRow::Chore(at) => {
            let chore = app.list_view.chores.get(at);
            chore.map(|chore| format!("{} {:?} {}", chore.store, chore.task, chore.what))
        }
        ListRow::Touched(at) => Some(at.to_string()),
        ListRow::Archived(at) => Some(archived_key(app, at)),
        ListRow::Fading(at) => fading_memory(app, at).map(|at| format!("fades {}", archived_key(app, at))),
        _ => None,
    };
    key.unwrap_or_default()
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    match row {
        ListRow::UpkeepPart(part, count) => {
            vec![ListCell::rest(format!("{}  {count}", part.title())).styled(app.palette.strong())]
        }
        ListRow::Touched(at) => {
            let Some(touched) = chore(app).and_then(|chore| chore.touched.get(at)) else { return Vec::new() };
            vec![
                ListCell::rest(format!("  {}", touched.title.raw())),
                ListCell::fitting(touched.measure.clone(), 22).styled(app.palette.dim()).from(60),
                ListCell::fitting(touched.told(), 40).styled(app.palette.dim()).from(110),
            ]
        }
        ListRow::Chore(at) => app.list_view.chores.get(at).map(|chore| task(app, chore)).unwrap_or_default(),
        ListRow::Fading(at) => {
            app.list_view.fading.get(at).map(|fading| fading_cells(app, fading)).unwrap_or_default()
        }
        ListRow::Batch(number) => {
            let Some(batch) = app.list_view.batches.get(number) else { return Vec::new() };
            let path = batch.path.strip_prefix("archive").unwrap_or(&batch.path);
            let told = count_with_noun(batch.entries.len() as u64, "memory");
            vec![
                ListCell::rest(format!("  {}", path.to_text())).styled(app.palette.dim()),
                ListCell::right(told, 12).styled(app.palette.dim()).from(40),
                ListCell::right(human_size(batch.bytes), 7).styled(app.palette.dim()).from(50),
                ListCell::store(app, batch.store),
            ]
        }
        ListRow::Archived(at) => archived_cells(app, at),
        _ => Vec::new(),
    }
}

fn task(app: &App, chore: &Chore) -> Vec<ListCell> {
    let when = match chore.task {
        ChoreKind::Soon(days) => format!("in {days} d"),
        _ if chore.plan.is_none() => "not now".to_owned(),
        _ => String::new(),
    };
    let (what, verb) =
        if chore.task == ChoreKind::Compact { ("compact", "removes ") } else { (&*chore.what, "") };
    let many = match chore.touched.len() {
        0 => String::new(),
        count => format!("{verb}{}", count_with_noun(count as u64, "memory")),
    };
    let style = if chore.plan.is_some() { Style::new() } else { app.palette.dim() };
    vec![
        ListCell::rest(format!("  {what}")).styled(style),
        ListCell::fitting(many, 19).styled(style).from(60),
        ListCell::fitting(when, 8).styled(style),
        ListCell::store(app, chore.store),
    ]
}

/// Shows the rule of a task, with the memories that it affects below; or the memory of the row.
fn about(app: &App, width: usize) -> RowDetails {
    match app.list_view.row() {
        Some(ListRow::Archived(at)) => archived_about(app, at, width),
        Some(ListRow::Fading(at)) => fading_about(app, at, width),
        _ => chore(app).map(|chore| rule(app, chore, width)).unwrap_or_default(),
    }
}

fn rule(app: &App, chore: &Chore, width: usize) -> RowDetails {
    let why = match (&chore.refused, chore.rule.is_empty()) {
        (Some(why), true) => format!("Not now: {why}"),
        (Some(why), false) => format!("Not now: {why}. The rule: {}.", chore.rule),
        (None, _) => format!("The rule: {}.", chore.rule),
    };
    let lines = theme::styled_lines(&theme::safe(app, &why), width, app.palette.dim()).collect();
    let title = count_with_noun(chore.touched.len() as u64, "memory");
    RowDetails { title, right: app.store_name(chore.store).to_owned(), lines }
}

fn hints(app: &App) -> Vec<Hint> {
    let is_list = !app.list_view.in_details;
    let remove = (!app.is_readonly()).then(|| act(Action::Delete, "remove…"));
    let enter = |what| is_list.then(|| hint("Enter", what));
    match app.list_view.row() {
        Some(ListRow::Archived(at)) => {
            let can = !app.is_readonly() && why_not_restorable(app, at).is_none();
            let back = can.then(|| act(Action::BringBack, "bring back…"));
            [enter("read"), back, remove].into_iter().flatten().collect()
        }
        Some(ListRow::Fading(_)) => [enter("open"), remove].into_iter().flatten().collect(),
        Some(_) => {
            let can = chore(app).is_some_and(|chore| chore.plan.is_some());
            let can = can || !app.list_view.list.marks.is_empty();
            (can && !app.is_readonly()).then(|| hint("Enter", "do it…")).into_iter().collect()
        }
        None => Vec::new(),
    }
}

pub fn not_now(chore: &Chore) -> String {
    match (&chore.refused, chore.task) {
        (Some(why), _) => why.clone(),
        (None, ChoreKind::Soon(days)) => {
            format!("It is not due yet: within {days} days, if nobody uses them until then.")
        }
        _ => "There is nothing to do.".into(),
    }
}

fn archived_rows(app: &App) -> Vec<ListRow> {
    let mut archived = Vec::new();
    for (number, batch) in app.list_view.batches.iter().enumerate() {
        archived.push(ListRow::Batch(number));
        let at = |&entry: &u32| ListRow::Archived(EntryRef { store: batch.store as u32, entry });
        archived.extend(batch.entries.iter().map(at));
    }
    archived
}

fn read_entry(app: &App, at: EntryRef) -> Option<(&Store, &Entry)> {
    let store = app.list_view.read_snapshot.as_ref()?.stores.get(at.store as usize)?;
    Some((store, store.entries.get(at.entry as usize)?))
}

fn archived_key(app: &App, at: EntryRef) -> String {
    let key = read_entry(app, at).map(|(store, entry)| store.key(entry));
    format!("{} {}", at.store, key.unwrap_or_default())
}

/// Returns the type of an entry, and when it was used last.
fn kind_and_use<'a>(store: &'a Store, entry: &Entry) -> (&'a str, Option<Moment>) {
    let memory = store.memory(entry);
    (memory.map_or("", |memory| memory.kind()), memory.and_then(|memory| memory.accessed.or(memory.created)))
}

fn archived_cells(app: &App, at: EntryRef) -> Vec<ListCell> {
    let Some((store, entry)) = read_entry(app, at) else { return Vec::new() };
    let (kind, used) = kind_and_use(store, entry);
    let used = used.map_or(String::new(), |used| used.age_at(app.now));
    vec![
        ListCell::kind(app, kind),
        ListCell::rest(format::title(store, entry).into_raw()),
        ListCell::right(used, 5).styled(app.palette.dim()),
        ListCell::store(app, at.store as usize),
    ]
}

pub fn archived_text(app: &App, at: EntryRef) -> Option<String> {
    read_entry(app, at).map(|(store, entry)| format::text_of(store, entry).text.into_raw())
}

pub fn why_not_restorable(app: &App, at: EntryRef) -> Option<String> {
    let (store, entry) = read_entry(app, at)?;
    UnarchiveMemories.check_allowed(store, entry).err().map(|refusal| refusal.message)
}

fn archived_about(app: &App, at: EntryRef, width: usize) -> RowDetails {
    let title = read_entry(app, at).map(|(store, entry)| {
        let (kind, used) = kind_and_use(store, entry);
        kind.to_owned() + &used.map_or(String::new(), |at| format!(" · last used {}", at.ago_at(app.now)))
    });
    let right = app.store_name(at.store as usize).to_owned();
    RowDetails { title: title.unwrap_or_default(), right, lines: text_lines(app, width) }
}

pub fn fading_memory(app: &App, at: usize) -> Option<EntryRef> {
    app.list_view.fading.get(at).map(|own| own.at)
}

fn days(fading: &FadeForecast) -> String {
    if fading.days < 1.0 { "<1 d".to_owned() } else { format!("{:.0} d", fading.days) }
}

fn fading_cells(app: &App, fading: &FadeForecast) -> Vec<ListCell> {
    let Some((store, entry)) = read_entry(app, fading.at) else { return Vec::new() };
    let dim = app.palette.dim();
    let end = match fading.end {
        FadeEnd::Kept => "kept".to_owned(),
        FadeEnd::Ranked(rank) => format!("rank {rank:.2}"),
        FadeEnd::Goes => "then goes".into(),
    };
    vec![
        ListCell::right(days(fading), 6).styled(dim).close(),
        ListCell::kind(app, kind_and_use(store, entry).0),
        ListCell::rest(format::title(store, entry).into_raw()),
        ListCell::right(end, 9).styled(dim).from(50),
        ListCell::store(app, fading.at.store as usize),
    ]
}

fn fading_about(app: &App, at: usize, width: usize) -> RowDetails {
    let Some(fading) = app.list_view.fading.get(at) else { return RowDetails::default() };
    let [open, pin, raise] = [Action::Open, Action::Pin, Action::Importance].map(Action::call);
    let keeps = format!("{open} opens it: there {pin} pins it, and {raise} raises its importance.");
    let said = match fading.end {
        FadeEnd::Kept => "It is kept: it does not fade.".to_owned(),
        FadeEnd::Ranked(rank) => {
            format!("In {} it has faded fully. It stays, ranked {rank:.2}. {keeps}", days(fading))
        }
        FadeEnd::Goes => {
            format!("In {} it has faded fully, and a compaction removes it. {keeps}", days(fading))
        }
    };
    let head = theme::styled_lines(&said, width, app.palette.dim());
    let lines = head.chain([Line::default()]).chain(text_lines(app, width)).collect();
    RowDetails { title: "Detail".into(), right: app.store_name(fading.at.store as usize).to_owned(), lines }
}
