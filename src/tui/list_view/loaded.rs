//! What a model gets when an agent starts: the files of each store, with the place where each is cut, and the files of
//! instructions of its projects.

use std::collections::HashSet;
use std::path::Path;

use ratatui::style::Style;
use ratatui::text::Line;

use crate::model::{
    EntryRef, InstructionContent, InstructionFile, LoadedExtent, LoadedFile, PathText, ProjectInstructions,
    Record, Store,
};
use crate::text::columns::human_size;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind, RowDetails, focused_memory, text_lines};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::theme;
use crate::usecase::{
    instruction_lines, instruction_text, is_long_index, limit_lines, listed_lines, loaded_size,
};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["in loading order", "by size"],
    none: "No program loads memories of these stores by itself.",
    is_beside: true,
    rows,
    key,
    cells,
    about,
    hints,
    is_read: |_| true,
};

fn rows(app: &App) -> Vec<ListRow> {
    let budgets = &app.list_view.budgets;
    let files = |(number, own): (usize, &crate::usecase::StoreBudget)| {
        (0..own.files.len()).map(move |file| (number, file)).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, usize)> = budgets.iter().enumerate().flat_map(files).collect();
    if app.list_view.list.is_other_order {
        all.sort_by_key(|(number, file)| std::cmp::Reverse(budgets[*number].files[*file].bytes()));
        let all = all.into_iter().map(|(number, file)| ListRow::Loaded(number, file));
        return all.chain(instruction_rows(app)).collect();
    }
    let mut rows = Vec::with_capacity(all.len() + budgets.len());
    for (number, file) in all {
        if file == 0 {
            rows.push(ListRow::LoadedStore(number));
        }
        rows.push(ListRow::Loaded(number, file));
    }
    rows.extend(instruction_rows(app));
    rows
}

fn loaded(app: &App, number: usize, file: usize) -> Option<&LoadedFile> {
    app.list_view.budgets.get(number)?.files.get(file)
}

fn key(app: &App, row: ListRow) -> String {
    match row {
        ListRow::Loaded(number, file) => {
            let path = loaded(app, number, file).map(|own| own.path.to_text().into_owned());
            format!("{number} {}", path.unwrap_or_default())
        }
        ListRow::LoadedLine(at) => line_key(app, at),
        ListRow::Instruction(number, file) => instruction_at(app, number, file)
            .map_or(String::new(), |(project, file)| {
                format!("{} {} {}", project.folder.to_text(), file.reader, file.path.to_text())
            }),
        _ => String::new(),
    }
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    match row {
        ListRow::LoadedStore(number) => {
            let Some(own) = app.list_view.budgets.get(number) else { return Vec::new() };
            let told = format!("{}  {}", app.store_name(own.store), own.size());
            vec![ListCell::rest(told).styled(app.palette.strong())]
        }
        ListRow::Loaded(number, file) => {
            let Some(own) = loaded(app, number, file) else { return Vec::new() };
            let (sign, how, style) = match own.extent {
                LoadedExtent::Whole => (" ", "whole".to_owned(), Style::new()),
                LoadedExtent::UpTo(line) => {
                    ("✖", format!("up to line {}", line.saturating_sub(1)), app.palette.wrong())
                }
                LoadedExtent::Ends(first, last) => ("✖", format!("not {first}-{last}"), app.palette.wrong()),
                LoadedExtent::Unknown => ("?", "unknown".to_owned(), app.palette.dim()),
                LoadedExtent::Name => (" ", "name".to_owned(), app.palette.dim()),
                LoadedExtent::Nothing => (" ", "not loaded".to_owned(), app.palette.dim()),
            };
            let size = if own.bytes() == 0 { String::new() } else { human_size(own.bytes() as u64) };
            vec![
                ListCell::left(sign, 1).styled(style).close(),
                ListCell::rest(own.path.to_text()).styled(style),
                ListCell::left(how, 16).styled(style),
                ListCell::right(size, 7).styled(app.palette.dim()),
            ]
        }
        ListRow::LoadedLine(at) => {
            let Some(line) = app.list_view.loaded_lines.get(at) else { return Vec::new() };
            let (sign, style) = if line.is_seen { (" ", Style::new()) } else { ("✖", app.palette.wrong()) };
            vec![
                ListCell::left(sign, 1).styled(style).close(),
                ListCell::right(line.number.to_string(), 5).styled(app.palette.dim()).close(),
                ListCell::rest(line.text.clone()).styled(style),
                ListCell::right(human_size(line.place.len() as u64), 7).styled(app.palette.dim()),
            ]
        }
        ListRow::InstructedProject(number) => {
            let Some(own) = app.list_view.instructions.get(number) else { return Vec::new() };
            let more = if own.has_more { ", not all of them" } else { "" };
            let name = own.folder.file_name().unwrap_or(own.folder.as_os_str());
            vec![
                ListCell::rest(format!("{}  instructions, as context{more}", name.to_text()))
                    .styled(app.palette.strong()),
            ]
        }
        ListRow::Instruction(number, file) => {
            let Some((own, file)) = instruction_at(app, number, file) else { return Vec::new() };
            let size = if file.bytes() == 0 { String::new() } else { human_size(file.bytes()) };
            let sign = match file.content {
                InstructionContent::Read { .. } => " ",
                _ => "–",
            };
            vec![
                ListCell::left(sign, 1).styled(app.palette.dim()).close(),
                ListCell::rest(format!("{}{}", "  ".repeat(file.depth), own.name(file))),
                ListCell::left(file.reader, 16).styled(app.palette.dim()),
                ListCell::right(size, 7).styled(app.palette.dim()),
            ]
        }
        _ => Vec::new(),
    }
}

pub fn list_lines(app: &mut App) {
    app.list_view.loaded_lines.clear();
    let Some(ListRow::Loaded(number, file)) = app.list_view.row() else { return };
    let Some((store, file)) = file_at(app, number, file) else { return };
    let listed = listed_lines(store, file).into_iter().filter(|line| !line.text.is_empty()).collect();
    app.list_view.loaded_lines = listed;
    let keys: HashSet<String> = (0..app.list_view.loaded_lines.len()).map(|at| line_key(app, at)).collect();
    app.list_view.details.keep_marks(|key| keys.contains(key));
}

pub fn file_at(app: &App, number: usize, file: usize) -> Option<(&Store, &LoadedFile)> {
    let store = app.snapshot.stores.get(app.list_view.budgets.get(number)?.store)?;
    Some((store, loaded(app, number, file)?))
}

pub fn line_key(app: &App, at: usize) -> String {
    app.list_view.loaded_lines.get(at).map_or(String::new(), |own| format!("{} {}", own.number, own.text))
}

/// Returns the only memory of a file. An index is a list of others.
pub fn memory(app: &App, number: usize, file: usize) -> Option<EntryRef> {
    let (store, file) = file_at(app, number, file).filter(|(_, file)| file.leads.is_empty())?;
    let document = document_number(store, &file.path)?;
    let entry = store.entry_number(document, 0).filter(|_| store.entry_number(document, 1).is_none())?;
    Some(EntryRef { store: app.list_view.budgets[number].store as u32, entry })
}

/// Returns the memory that a line leads to, or else the one that it is a part of.
pub fn memory_of_line(app: &App, at: usize) -> Option<EntryRef> {
    let Some(ListRow::Loaded(number, file)) = app.list_view.row() else { return None };
    let (store, file) = file_at(app, number, file)?;
    let start = app.list_view.loaded_lines.get(at)?.place.start;
    let lead = file.leads.iter().find(|(place, _)| place.contains(&start));
    let led = lead.and_then(|(_, path)| store.entry_number(document_number(store, path)?, 0));
    let within = || {
        let own = document_number(store, &file.path)?;
        let is_it = |record: &Record| record.span.range().contains(&start);
        let record = store.documents.get(own as usize)?.records.iter().position(is_it)?;
        store.entry_number(own, record as u32)
    };
    Some(EntryRef { store: app.list_view.budgets[number].store as u32, entry: led.or_else(within)? })
}

fn document_number(store: &Store, path: &Path) -> Option<u32> {
    let number = store.documents.binary_search_by(|document| (*document.path).cmp(path)).ok()?;
    Some(number as u32)
}

fn hints(app: &App) -> Vec<Hint> {
    let Some(ListRow::Loaded(number, file)) = app.list_view.row() else {
        return if app.list_view.in_details { Vec::new() } else { vec![hint("Enter", "its text")] };
    };
    let has_memory = focused_memory(app).is_some();
    let opens = has_memory || !app.list_view.in_details;
    let open = opens.then(|| hint("Enter", if has_memory { "open" } else { "its lines" }));
    let is_long = file_at(app, number, file).is_some_and(|(store, file)| is_long_index(store, file));
    let moves = (is_long && !app.is_readonly()).then(|| act(Action::Fix, "move lines…"));
    open.into_iter().chain(moves).collect()
}

/// Untrusted text.
pub fn text(app: &App, number: usize, file: usize) -> Option<String> {
    let (store, file) = file_at(app, number, file)?;
    let [fix, mark] = [Action::Fix, Action::Toggle].map(Action::call);
    let repair = format!("{fix} moves lines into a topic file: those marked with {mark}, or the last.");
    let mut lines = vec![loaded_size(file)];
    lines.extend(limit_lines(store, file, &repair));
    Some(lines.join("\n"))
}

fn about(app: &App, width: usize) -> RowDetails {
    if let Some(ListRow::Instruction(number, file)) = app.list_view.row() {
        let name = instruction_at(app, number, file).map(|(own, file)| own.name(file)).unwrap_or_default();
        let lines = text_lines(app, width);
        return RowDetails { title: theme::safe(app, &name), lines, ..RowDetails::default() };
    }
    let Some(ListRow::Loaded(number, file)) = app.list_view.row() else { return RowDetails::default() };
    let Some(own) = loaded(app, number, file) else { return RowDetails::default() };
    let store = app.list_view.budgets.get(number).map_or("", |own| app.store_name(own.store));
    let lines: Vec<Line<'static>> = text_lines(app, width);
    RowDetails { title: theme::safe(app, &own.path.to_text()), right: store.to_owned(), lines }
}

fn instruction_rows(app: &App) -> impl Iterator<Item = ListRow> {
    app.list_view.instructions.iter().enumerate().flat_map(|(number, own)| {
        let files = (0..own.files.len()).map(move |file| ListRow::Instruction(number, file));
        std::iter::once(ListRow::InstructedProject(number)).chain(files)
    })
}

fn instruction_at(app: &App, number: usize, file: usize) -> Option<(&ProjectInstructions, &InstructionFile)> {
    let own = app.list_view.instructions.get(number)?;
    Some((own, own.files.get(file)?))
}

/// Returns the text about a file of instructions, and all files of its project. Untrusted text.
pub fn instruction_details(app: &App, number: usize, file: usize) -> Option<String> {
    let (own, file) = instruction_at(app, number, file)?;
    let mut lines = vec![format!("{}, for {}", instruction_text(file), file.reader), String::new()];
    lines.extend(instruction_lines(own));
    Some(lines.join("\n"))
}
