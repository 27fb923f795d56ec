//! At every size the list is useful, and every text stays within its columns.

use std::io::Write;
use std::num::NonZeroU16;

use proptest::prelude::*;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;

use crate::text::safe_text::display_width;
use crate::tui::layout;
use crate::tui::panes::memory_row::MemoryColumns;
use crate::tui::tests::*;

/// Returns the list's columns of text at a size, and how many memories it shows.
fn list(desk: &mut Desk, width: u16, height: u16) -> (usize, usize) {
    desk.app.size = (width, height);
    let frame = layout::frame(&desk.app);
    let area = frame.pane(Pane::Memories).expect("the list is there");
    let columns = MemoryColumns::of(&desk.app, usize::from(area.width));
    (columns.text, frame.rows(Pane::Memories))
}

#[test]
fn at_every_size_the_list_shows_memories_and_no_wider_terminal_takes_their_text_away() {
    let mut desk = Desk::small(80, 24);
    for height in (5..=100).step_by(crate::tries::count(5, 1)) {
        let mut before = 0;
        for width in 20..=300 {
            let (text, rows) = list(&mut desk, width, height);
            let least = if width < 40 { 11 } else { 24 };
            assert!(text >= least && rows >= 1, "{text} columns, {rows} memories at {width}x{height}");
            // If a new column or pane appears, the text keeps 45 % of its columns.
            assert!(text * 100 >= before * 45, "{before} columns, then {text} at {width}x{height}");
            before = text;
        }
    }
    assert_eq!(list(&mut desk, 20, 5).1, 3);
}

/// Checks that the panes share the screen, with only separators between them.
fn check_shared(desk: &Desk) {
    let ((width, height), focus) = (desk.app.size, desk.app.focus);
    let frame = layout::frame(&desk.app);
    let panes: Vec<Rect> = frame.panes.iter().map(|(_, area)| *area).collect();
    for (at, own) in panes.iter().enumerate() {
        assert!(panes[at + 1..].iter().all(|other| !own.intersects(*other)), "{width}x{height}");
        assert_eq!(own.intersection(frame.body), *own, "{width}x{height}");
    }
    let held = |x: u16, y: u16| panes.iter().any(|own| own.contains((x, y).into()));
    let parts = |x: u16| panes.iter().any(|own| own.x == x + 1);
    for y in frame.body.y..frame.body.bottom() {
        let (mut left, mut free) = (0, 0);
        for x in (0..width).filter(|x| !held(*x, y) && !parts(*x)) {
            left += u16::from(panes.iter().any(|own| own.x == 0 && own.width > x));
            free += 1;
        }
        // One row between the panes at the left side is free.
        assert_eq!(left, free, "{focus:?}, row {y} of {width}x{height}");
    }
    let is_whole = |(pane, area): &(Pane, Rect)| {
        let is_side = matches!(pane, Pane::Sessions | Pane::Filters | Pane::Health);
        area.height >= 2 && area.width >= if is_side { 16 } else { 20 }
    };
    assert!(panes.len() == 1 || frame.panes.iter().all(is_whole), "{width}x{height}");
    assert!(frame.pane(focus).is_some(), "{focus:?} at {width}x{height}");
}

#[test]
fn at_every_size_panes_share_the_screen_with_nothing_between_them_but_what_parts_them() {
    let mut desk = Desk::new(80, 24);
    let every = crate::tries::count(19, 1);
    for focus in [Pane::Sessions, Pane::Filters, Pane::Health, Pane::Memories, Pane::Detail, Pane::Why] {
        desk.app.focus = focus;
        for (width, height) in
            (20..=300).step_by(7).flat_map(|w| (5..=100).step_by(every).map(move |h| (w, h)))
        {
            desk.app.size = (width, height);
            check_shared(&desk);
        }
    }
}

/// Returns a desk with a store of one memory with this text.
fn desk_of(text: &str, width: u16, height: u16) -> Desk {
    let entry = serde_json::json!({"id": "m", "type": "finding", "timestamp": "2026-01-01T00:00:00Z",
        "tags": [text], "content": {"finding": text, "why": text}});
    Desk::of_files(&[("sessions/s/memory.jsonl", &format!("{entry}\n"))], (width, height))
}

/// Returns the bytes that draw a frame on an empty screen.
fn bytes(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = Vec::new();
    let empty = Buffer::empty(buffer.area);
    let changes = empty.diff(buffer).into_iter();
    ratatui::backend::Backend::draw(&mut CrosstermBackend::new(&mut bytes), changes).unwrap();
    bytes.flush().unwrap();
    bytes
}

/// Checks the places of borders in a terminal that gives each code point its own columns.
fn check_borders(text: &str, width: u16, height: u16, keys: &str) {
    let mut desk = desk_of(text, width, height);
    desk.type_keys(keys);
    let buffer = buffer(&desk.app);
    let size = |count| NonZeroU16::new(count).unwrap();
    let mut emulator = vt100::Parser::new(size(height), size(width), 0);
    emulator.process(&bytes(&buffer));
    for y in 0..height {
        let mut covered = 0;
        for x in 0..width {
            let symbol = buffer[(x, y)].symbol();
            if covered > 0 {
                covered -= 1;
                continue;
            }
            covered = display_width(symbol).max(1) - 1;
            if "│┃┌┐└┘┏┓┗┛".contains(symbol) {
                let drawn = emulator.screen().cell(y, x).map(|cell| cell.contents().to_owned());
                assert_eq!(drawn.as_deref(), Some(symbol), "{text:?} at {x},{y} of {width}x{height}");
            }
        }
    }
}

#[test]
fn borders_hold_beside_emoji_sequences_flags_and_ligatures() {
    for text in ["🏳️‍🌈", "👨‍👩‍👧‍👦 family", "1️⃣2️⃣", "🇩🇪🇫🇷", "👍🏽👩🏽‍💻", "❤️", "لا لا لا", "क्षि हिन्दी", "a\u{fe0f}\u{3164}"]
    {
        for keys in ["", "}"] {
            check_borders(&text.repeat(12), 120, 30, keys);
            check_borders(text, 80, 24, keys);
        }
    }
}

/// Characters that join with their neighbours, and some that don't.
const PIECES: &str =
    "👨👩🏳🌈🇩🇪1#❤接a eلا한क्ष\u{200d}\u{fe0f}\u{fe0e}\u{20e3}\u{1f3fd}\u{301}\u{115f}\u{1160}\u{34f}";

proptest! {
    #![proptest_config(crate::tries::config(6, 2_000))]

    #[test]
    fn borders_hold_beside_any_clusters(pieces in prop::collection::vec(prop::sample::select(PIECES.chars().collect::<Vec<_>>()), 1..60), width in 20_u16..140, keys in "[}]?") {
        check_borders(&pieces.into_iter().collect::<String>(), width, 26, &keys);
    }
}
