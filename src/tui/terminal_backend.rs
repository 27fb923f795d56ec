//! Sends a frame to the terminal. Terminals don't agree on the number of columns of a cluster of several
//! characters. So its cells are cleared before it is written, and the text after it gets its own position. A
//! row with such a cluster is written whole if anything in it changes. Otherwise old text would stay if the
//! terminal uses fewer columns, and new text would be shifted if it uses more.

use std::collections::HashMap;
use std::iter::once;
use std::num::NonZeroU16;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Frame, Terminal};

use crate::text::safe_text::is_width_certain;

/// A terminal, and its rows whose columns are not certain.
pub struct TerminalScreen<B: Backend> {
    terminal: Terminal<ClusterBackend<B>>,
    rows: HashMap<usize, DrawnRow>,
    area: Rect,
}

struct DrawnRow {
    cells: Vec<Cell>,
    /// True in every second frame that changes the row. Then all cells are marked, so that each differs.
    is_marked: bool,
}

impl<B: Backend> TerminalScreen<B> {
    pub fn on(terminal: Terminal<ClusterBackend<B>>) -> Self {
        TerminalScreen { terminal, rows: HashMap::new(), area: Rect::default() }
    }

    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> Result<(), B::Error> {
        let (rows, area) = (&mut self.rows, &mut self.area);
        let frame = self.terminal.draw(|frame| {
            view(frame);
            if std::mem::replace(area, frame.area()) != frame.area() {
                rows.clear();
            }
            mark(rows, frame.buffer_mut());
        });
        frame.map(drop)
    }

    pub fn size(&self) -> Result<Size, B::Error> {
        self.terminal.size()
    }

    /// Clears the screen, so that the next frame is drawn completely.
    pub fn clear(&mut self, area: Rect) -> Result<(), B::Error> {
        self.rows.clear();
        self.terminal.resize(area)
    }
}

/// Makes each cell of a row differ from its former state, if the row changed and has, or had, text whose
/// columns are not certain.
fn mark(rows: &mut HashMap<usize, DrawnRow>, buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width.max(1));
    for (number, row) in buffer.content.chunks_mut(width).enumerate() {
        let is_uncertain = row.iter().any(|cell| !is_width_certain(cell.symbol()));
        let known = rows.get(&number);
        if !is_uncertain && known.is_none() {
            continue;
        }
        let is_marked = known.is_none_or(|own| own.is_marked != (own.cells != row));
        if is_uncertain || is_marked {
            rows.insert(number, DrawnRow { cells: row.to_vec(), is_marked });
        } else {
            rows.remove(&number);
        }
        for cell in row.iter_mut().filter(|_| is_marked) {
            let wide = NonZeroU16::new(cell.cell_width());
            cell.set_diff_option(CellDiffOption::ForcedWidth(wide.unwrap_or(NonZeroU16::MIN)));
        }
    }
}

/// Clears cells before it writes text whose columns are not certain.
pub struct ClusterBackend<B>(pub B);

impl<B: Backend> Backend for ClusterBackend<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), B::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut certain = Vec::new();
        for (x, y, cell) in content {
            if is_width_certain(cell.symbol()) {
                certain.push((x, y, cell));
                continue;
            }
            self.0.draw(std::mem::take(&mut certain).into_iter())?;
            let mut blank = cell.clone();
            blank.set_symbol(" ");
            self.0.draw((x..x.saturating_add(cell.cell_width().max(1))).map(|x| (x, y, &blank)))?;
            // Each cell begins with its own cursor move, so that the text after it is at the right place.
            self.0.draw(once((x, y, cell)))?;
        }
        self.0.draw(certain.into_iter())
    }

    fn hide_cursor(&mut self) -> Result<(), B::Error> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), B::Error> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, B::Error> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), B::Error> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), B::Error> {
        self.0.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> Result<(), B::Error> {
        self.0.clear_region(clear_type)
    }

    fn size(&self) -> Result<Size, B::Error> {
        self.0.size()
    }

    fn window_size(&mut self) -> Result<WindowSize, B::Error> {
        self.0.window_size()
    }

    fn flush(&mut self) -> Result<(), B::Error> {
        self.0.flush()
    }
}
