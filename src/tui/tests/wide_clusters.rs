//! Terminals may give clusters other widths than palimp. Even then, no old text stays on the screen.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{TerminalOptions, Viewport};
use unicode_normalization::char::is_combining_mark;
use unicode_width::UnicodeWidthChar;

use super::every_view::go;
use super::untrusted_text::some_views;
use super::*;
use crate::tui::terminal_backend::{ClusterBackend, TerminalScreen as Painted};

/// Words with combining marks, and others whose width differs between terminals.
const MARKED: &str = "நெகிழ்கா กำลังที่ ខ្មែរ हिन्दी ｶﾞｷﾟ e\u{301}x 🦀⏰";

/// The bytes that were sent to a terminal.
#[derive(Clone, Default)]
struct Sent(Rc<RefCell<Vec<u8>>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A terminal that gives characters its own widths. It does not wrap.
struct Emulated {
    rows: Vec<Vec<String>>,
    at: (usize, usize),
    width: fn(char) -> usize,
}

impl Emulated {
    fn new(size: (u16, u16), width: fn(char) -> usize) -> Emulated {
        let rows = vec![vec![" ".to_owned(); usize::from(size.0)]; usize::from(size.1)];
        Emulated { rows, at: (0, 0), width }
    }

    fn take(&mut self, sent: &str) {
        let mut rest = sent;
        while let Some(c) = rest.chars().next() {
            if let Some(sequence) = rest.strip_prefix("\x1b[") {
                let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                if sequence[end..].starts_with('H') {
                    let (row, column) = sequence[..end].split_once(';').unwrap();
                    self.at = (column.parse::<usize>().unwrap() - 1, row.parse::<usize>().unwrap() - 1);
                }
                rest = &sequence[end + 1..];
                continue;
            }
            self.print(c);
            rest = &rest[c.len_utf8()..];
        }
    }

    fn print(&mut self, c: char) {
        let (wide, row) = ((self.width)(c), &mut self.rows[self.at.1]);
        if wide == 0 {
            row[self.at.0.saturating_sub(1)].push(c);
            return;
        }
        let column = self.at.0.min(row.len() - wide);
        for at in column..column + wide {
            // The other half of a wide character is removed, too.
            if row[at].is_empty() && at > 0 {
                row[at - 1] = " ".into();
            }
            if row.get(at + 1).is_some_and(String::is_empty) {
                row[at + 1] = " ".into();
            }
            row[at] = if at == column { c.to_string() } else { String::new() };
        }
        self.at.0 = column + wide;
    }
}

fn painted(size: (u16, u16)) -> (Painted<CrosstermBackend<Sent>>, Sent) {
    let sent = Sent::default();
    let viewport = Viewport::Fixed(Rect::new(0, 0, size.0, size.1));
    let backend = ClusterBackend(CrosstermBackend::new(sent.clone()));
    (Painted::on(Terminal::with_options(backend, TerminalOptions { viewport }).unwrap()), sent)
}

fn drawn(desk: &mut Desk, screen: &mut Painted<CrosstermBackend<Sent>>, sent: &Sent, on: &mut Emulated) {
    update::ready(&mut desk.app);
    screen.draw(|frame| view(&desk.app, frame)).unwrap();
    on.take(&String::from_utf8(std::mem::take(&mut *sent.0.borrow_mut())).unwrap());
}

#[test]
fn nothing_of_the_view_before_stays_whatever_width_the_terminal_gives_to_marks() {
    let usual = |c: char| c.width().unwrap_or(0);
    let none = |c: char| {
        if is_combining_mark(c) || matches!(c, 'ﾞ' | 'ﾟ' | 'ำ') { 0 } else { c.width().unwrap_or(0) }
    };
    let one = |c: char| if is_combining_mark(c) { 1 } else { c.width().unwrap_or(0) };
    let other = |c: char| {
        if c > '\u{1f000}' || c == '⏰' {
            1
        } else if ('ก'..='๛').contains(&c) {
            2
        } else {
            c.width().unwrap_or(0)
        }
    };
    let widths: [fn(char) -> usize; 4] = [usual, none, one, other];
    let (first, step) = crate::tries::count((1, 2), (0, 1));
    for (number, width) in widths.into_iter().enumerate().skip(first).step_by(step) {
        let size = [(120, 36), (63, 24), (80, 24), (160, 30)][number];
        let mut desk = Desk::with(MARKED, size);
        let (mut screen, sent) = painted(size);
        let mut terminal = Emulated::new(size, width);
        for (name, keys) in some_views() {
            for keys in [keys, "jj"] {
                go(&mut desk, keys);
                drawn(&mut desk, &mut screen, &sent, &mut terminal);
                let (mut redrawn, own) = painted(size);
                let mut expected = Emulated::new(size, width);
                drawn(&mut desk, &mut redrawn, &own, &mut expected);
                for (row, wanted) in terminal.rows.iter().zip(&expected.rows) {
                    assert_eq!(row.concat(), wanted.concat(), "{number} {name}");
                }
            }
            (0..4).for_each(|_| desk.press(KeyCode::Esc));
        }
        // Unchanged text is not sent again.
        drawn(&mut desk, &mut screen, &sent, &mut terminal);
        screen.draw(|frame| view(&desk.app, frame)).unwrap();
        assert!(!String::from_utf8_lossy(&sent.0.borrow()).contains("கி"), "{number}");
    }
}
