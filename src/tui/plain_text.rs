//! A frame as plain text.

use ratatui::buffer::Buffer;

use crate::text::safe_text::display_width;

/// Returns a frame as plain text. Spaces at the ends of lines are removed.
pub fn plain(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width.max(1));
    let mut text = String::new();
    for row in buffer.content().chunks(width) {
        let mut line = String::new();
        let mut covered = 0;
        for cell in row {
            // A wide character covers the cell behind it.
            if covered == 0 {
                line.push_str(cell.symbol());
                covered = display_width(cell.symbol()).max(1);
            }
            covered -= 1;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
