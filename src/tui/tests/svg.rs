//! A frame as a picture.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::text::safe_text::display_width;

/// The size of a cell, and the margin around the frame, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
const RIM: f64 = 14.0;
const FONT: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
const GROUND: &str = "#14171f";
const TEXT: &str = "#d5d9e2";

/// Returns the frame as SVG. Each run of cells with one style is one text that is stretched to its columns,
/// so that it lines up in any font.
pub fn picture(buffer: &Buffer) -> String {
    let (width, height) = (f64::from(buffer.area.width), f64::from(buffer.area.height));
    let (x, y) = (width * CELL.0 + 2.0 * RIM, height * CELL.1 + 2.0 * RIM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {x:.0} {y:.0}\" width=\"{x:.0}\" height=\"{y:.0}\" \
         font-family=\"{FONT}\" font-size=\"14\" xml:space=\"preserve\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{GROUND}\"/>\n"
    );
    let columns = usize::from(buffer.area.width.max(1));
    for (row, cells) in buffer.content().chunks(columns).enumerate() {
        for run in runs(cells) {
            write_run(&mut svg, row, &run);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Adjacent cells with the same style.
struct Run<'a> {
    column: usize,
    width: usize,
    text: String,
    look: &'a Cell,
}

fn runs(cells: &[Cell]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut covered = 0;
    for (column, cell) in cells.iter().enumerate() {
        if covered > 0 {
            covered -= 1;
            continue;
        }
        let width = display_width(cell.symbol()).max(1);
        covered = width - 1;
        let same =
            |run: &&mut Run<'_>| run.look.fg == cell.fg && run.look.modifier == cell.modifier && width == 1;
        match runs.last_mut().filter(same).filter(|run| run.text.is_ascii() == cell.symbol().is_ascii()) {
            Some(run) => {
                run.text.push_str(cell.symbol());
                run.width += width;
            }
            None => runs.push(Run { column, width, text: cell.symbol().to_owned(), look: cell }),
        }
    }
    runs
}

fn write_run(svg: &mut String, row: usize, run: &Run<'_>) {
    let reversed = run.look.modifier.contains(Modifier::REVERSED);
    if run.text.trim().is_empty() && !reversed {
        return;
    }
    let (x, y) = (RIM + run.column as f64 * CELL.0, RIM + row as f64 * CELL.1);
    let width = run.width as f64 * CELL.0;
    let colour = hex(run.look.fg);
    let (ground, text) = if reversed { (colour, GROUND) } else { (GROUND, colour) };
    if reversed {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{ground}\"/>",
            CELL.1
        );
    }
    let mut style = String::new();
    if run.look.modifier.contains(Modifier::BOLD) {
        style.push_str(" font-weight=\"bold\"");
    }
    if run.look.modifier.contains(Modifier::DIM) {
        style.push_str(" opacity=\"0.6\"");
    }
    if run.look.modifier.contains(Modifier::UNDERLINED) {
        style.push_str(" text-decoration=\"underline\"");
    }
    if run.look.modifier.contains(Modifier::CROSSED_OUT) {
        style.push_str(" text-decoration=\"line-through\"");
    }
    let base = y + CELL.1 * 0.76;
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{base:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{text}\"{style}>{}</text>",
        escape(&run.text)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn hex(colour: Color) -> &'static str {
    match colour {
        Color::Red | Color::LightRed => "#ff6b6b",
        Color::Green | Color::LightGreen => "#7ec98f",
        Color::Yellow | Color::LightYellow => "#e8c268",
        Color::Blue | Color::LightBlue => "#7aa7f0",
        Color::Magenta | Color::LightMagenta => "#c79bea",
        Color::Cyan | Color::LightCyan => "#6cc7d1",
        _ => TEXT,
    }
}
