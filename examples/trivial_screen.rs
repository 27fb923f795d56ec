//! A minimal ratatui program: it draws one paragraph, and the first key ends it.
//! `benches/screens.rs` measures palimp's first screen against it.

use std::io;

use crossterm::event::{Event, read};
use ratatui::widgets::Paragraph;

fn main() -> io::Result<()> {
    let mut terminal = ratatui::init();
    terminal.draw(|frame| frame.render_widget(Paragraph::new("the first screen is there"), frame.area()))?;
    while !matches!(read()?, Event::Key(_)) {}
    ratatui::restore();
    Ok(())
}
