//! What a model gets of each store when an agent starts: file by file, with the place where it is cut.

use ratatui::text::Line;

use super::instructions;
use super::kind::{ListViewKind, RowDetails};
use super::list_cell::ListCell;
use crate::model::{LoadedExtent, LoadedFile, PathText};
use crate::text::columns::human_size;
use crate::tui::list_view::details_text::text_lines;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::{self, Theme};
use crate::usecase::{loaded_lines, loaded_size};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["in loading order", "by size"],
    none: "No program loads memories of these stores by itself.",
    is_beside: true,
    rows,
    about,
    hints: |_| Vec::new(),
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
        return all.chain(instructions::rows(app)).collect();
    }
    let mut rows = Vec::with_capacity(all.len() + budgets.len());
    for (number, file) in all {
        if file == 0 {
            rows.push(ListRow::LoadedStore(number));
        }
        rows.push(ListRow::Loaded(number, file));
    }
    rows.extend(instructions::rows(app));
    rows
}

fn loaded(app: &App, number: usize, file: usize) -> Option<&LoadedFile> {
    app.list_view.budgets.get(number)?.files.get(file)
}

pub fn key(app: &App, number: usize, file: usize) -> String {
    let path = loaded(app, number, file).map(|own| own.path.to_text().into_owned());
    format!("{number} {}", path.unwrap_or_default())
}

pub fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let theme = Theme::of(app);
    match row {
        ListRow::LoadedStore(number) => {
            let Some(own) = app.list_view.budgets.get(number) else { return Vec::new() };
            let told = format!("{}  {}", app.store_name(own.store), own.size());
            vec![ListCell::rest(told).styled(theme.strong())]
        }
        ListRow::Loaded(number, file) => {
            let Some(own) = loaded(app, number, file) else { return Vec::new() };
            let (sign, how, style) = match own.extent {
                LoadedExtent::Whole => (" ", "whole".to_owned(), ratatui::style::Style::new()),
                LoadedExtent::UpTo(line) => {
                    ("✖", format!("up to line {}", line.saturating_sub(1)), theme.wrong())
                }
                LoadedExtent::Ends(first, last) => ("✖", format!("not {first}-{last}"), theme.wrong()),
                LoadedExtent::Unknown => ("?", "unknown".to_owned(), theme.dim()),
                LoadedExtent::Name => (" ", "name".to_owned(), theme.dim()),
                LoadedExtent::Nothing => (" ", "not loaded".to_owned(), theme.dim()),
            };
            let size = if own.bytes() == 0 { String::new() } else { human_size(own.bytes() as u64) };
            vec![
                ListCell::left(sign, 1).styled(style).close(),
                ListCell::rest(own.path.to_text()).styled(style),
                ListCell::left(how, 16).styled(style),
                ListCell::right(size, 7).styled(theme.dim()),
            ]
        }
        _ => Vec::new(),
    }
}

/// Returns the text about a file. Untrusted text.
pub fn text(app: &App, number: usize, file: usize) -> Option<String> {
    let own = loaded(app, number, file)?;
    let store = app.snapshot.stores.get(app.list_view.budgets.get(number)?.store)?;
    let mut lines = vec![loaded_size(own), String::new()];
    lines.extend(loaded_lines(store, own));
    Some(lines.join("\n"))
}

fn about(app: &App, width: usize) -> RowDetails {
    if let Some(ListRow::Instruction(number, file)) = app.list_view.row() {
        let name = instructions::at(app, number, file).map(|(own, file)| own.name(file)).unwrap_or_default();
        let lines = text_lines(app, width);
        return RowDetails { title: theme::safe(app, &name), lines, ..RowDetails::default() };
    }
    let Some(ListRow::Loaded(number, file)) = app.list_view.row() else { return RowDetails::default() };
    let Some(own) = loaded(app, number, file) else { return RowDetails::default() };
    let store = app.list_view.budgets.get(number).map_or("", |own| app.store_name(own.store));
    let lines: Vec<Line<'static>> = text_lines(app, width);
    RowDetails { title: theme::safe(app, &own.path.to_text()), right: store.to_owned(), lines }
}
