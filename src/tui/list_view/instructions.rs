//! The files of instructions that a model gets beside the memories of a project: rows of the view of what it gets.

use super::list_cell::ListCell;
use crate::model::{InstructionContent, InstructionFile, PathText, ProjectInstructions};
use crate::text::columns::human_size;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::Theme;
use crate::usecase::{instruction_lines, instruction_text};

pub fn rows(app: &App) -> impl Iterator<Item = ListRow> {
    app.list_view.instructions.iter().enumerate().flat_map(|(number, own)| {
        let files = (0..own.files.len()).map(move |file| ListRow::Instruction(number, file));
        std::iter::once(ListRow::InstructedProject(number)).chain(files)
    })
}

pub fn at(app: &App, number: usize, file: usize) -> Option<(&ProjectInstructions, &InstructionFile)> {
    let own = app.list_view.instructions.get(number)?;
    Some((own, own.files.get(file)?))
}

pub fn key(app: &App, number: usize, file: usize) -> String {
    at(app, number, file).map_or(String::new(), |(own, file)| {
        format!("{} {} {}", own.folder.to_text(), file.reader, file.path.to_text())
    })
}

pub fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let theme = Theme::of(app);
    match row {
        ListRow::InstructedProject(number) => {
            let Some(own) = app.list_view.instructions.get(number) else { return Vec::new() };
            let more = if own.has_more { ", not all of them" } else { "" };
            let name = own.folder.file_name().unwrap_or(own.folder.as_os_str());
            vec![
                ListCell::rest(format!("{}  instructions, as context{more}", name.to_text()))
                    .styled(theme.strong()),
            ]
        }
        ListRow::Instruction(number, file) => {
            let Some((own, file)) = at(app, number, file) else { return Vec::new() };
            let size = if file.bytes() == 0 { String::new() } else { human_size(file.bytes()) };
            let sign = match file.content {
                InstructionContent::Read { .. } => " ",
                _ => "–",
            };
            vec![
                ListCell::left(sign, 1).styled(theme.dim()).close(),
                ListCell::rest(format!("{}{}", "  ".repeat(file.depth), own.name(file))),
                ListCell::left(file.reader, 16).styled(theme.dim()),
                ListCell::right(size, 7).styled(theme.dim()),
            ]
        }
        _ => Vec::new(),
    }
}

/// Returns the text about a file, and all files of its project. Untrusted text.
pub fn text(app: &App, number: usize, file: usize) -> Option<String> {
    let (own, file) = at(app, number, file)?;
    let mut lines = vec![format!("{}, for {}", instruction_text(file), file.reader), String::new()];
    lines.extend(instruction_lines(own));
    Some(lines.join("\n"))
}
