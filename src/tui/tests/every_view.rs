//! Every view at every size, with the meanings of its colours, and in ASCII.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::tui::colours::{ColourPalette, ColourRole};
use crate::tui::tests::*;
use crate::tui::view;

/// Views, and the keys that lead to them: `⏎` is Enter, `⇥` Tab, `⎋` Esc, `…` waits until the next keys are shown.
pub(super) const VIEWS: [(&str, &str); 39] = [
    ("main", ""),
    ("stores", "1…jl"),
    ("filters", "2…j"),
    ("health", "3…j"),
    ("detail", "5+"),
    ("why", "w+"),
    ("raw", "}"),
    ("references", "}}"),
    ("search", "/retry key⏎j"),
    ("completion", "/type:co⇥"),
    ("wrong", "/colour:red"),
    ("nothing", "/pool type:preference⏎"),
    ("range", "vjj"),
    ("marks", " jj "),
    ("go-to", "g…"),
    ("copy", "y…"),
    ("next", "]…"),
    ("remove", "d"),
    ("tag", "t+pay"),
    ("plan", "   dx"),
    ("erase", "   de"),
    ("help", "?mark"),
    ("palette", ":or"),
    ("problems", "gpjj"),
    ("backups", "r⏎"),
    ("upkeep", "gm"),
    ("archive", "gmG"),
    ("journal", "t+seen⏎gu⏎"),
    ("secrets", "gx"),
    ("clean-up", "gcpayments"),
    ("clean-up-scope", "gcpayments⏎"),
    ("clean-up-preview", "gcpayments⏎⏎"),
    ("clean-up-question", "gcpayments⏎⏎⏎"),
    ("loaded", "gl"),
    ("new", "gn"),
    ("duplicates", "="),
    ("statistics", ":statistics⏎"),
    ("compare", "  ="),
    ("editor", "e⇥⇥x"),
];

/// The sizes of a snapshot, with the ending of its name. The short form tries only the first ones.
const SIZES: [(&str, [(u16, u16); 2]); 2] = [("", [(120, 36), (80, 24)]), ("-more", [(200, 50), (40, 12)])];

pub(super) fn go(desk: &mut Desk, keys: &str) {
    for part in keys.split_inclusive(['⏎', '⇥', '⎋', '…']) {
        desk.type_keys(part.trim_end_matches(['⏎', '⇥', '⎋', '…']));
        match part.chars().last() {
            Some('⏎') => desk.press(KeyCode::Enter),
            Some('⇥') => desk.press(KeyCode::Tab),
            Some('⎋') => desk.press(KeyCode::Esc),
            Some('…') => desk.send(Msg::ShowNextKeys),
            _ => {}
        }
    }
}

fn drawn(desk: &mut Desk) -> Buffer {
    desk.app.detail_key = None;
    update::ready(&mut desk.app);
    buffer(&desk.app)
}

/// Returns a letter for the colour of a cell: a capital letter if the cell is bold or reversed.
fn meaning(cell: &Cell, palette: ColourPalette) -> char {
    const LETTERS: [(ColourRole, char); 7] = [
        (ColourRole::Accent, 'a'),
        (ColourRole::Error, 'e'),
        (ColourRole::Warning, 'w'),
        (ColourRole::Good, 'g'),
        (ColourRole::New, 'n'),
        (ColourRole::Secret, 's'),
        (ColourRole::Dim, 'd'),
    ];
    let role = LETTERS.iter().find(|(role, _)| palette.colour(*role) == Some(cell.fg));
    let strong = cell.modifier.intersects(Modifier::BOLD | Modifier::REVERSED);
    match (role, strong) {
        (Some((_, letter)), false) => *letter,
        (Some((_, letter)), true) => letter.to_ascii_uppercase(),
        (None, true) => 'B',
        (None, false) if cell.modifier.contains(Modifier::UNDERLINED) => '_',
        (None, false) => ' ',
    }
}

fn meanings(buffer: &Buffer, palette: ColourPalette) -> String {
    let rows = buffer.content().chunks(usize::from(buffer.area.width));
    let row = |row: &[Cell]| row.iter().map(|cell| meaning(cell, palette)).collect::<String>();
    rows.map(|own| row(own).trim_end().to_owned() + "\n").collect()
}

/// Returns a view at a size, and at 80x24 also its colours and its ASCII.
fn picture(desk: &mut Desk, (width, height): (u16, u16)) -> String {
    let text = stable(&view::plain(&drawn(desk)));
    let mut picture = format!("== {width}x{height}\n{text}");
    if (width, height) == (80, 24) {
        desk.app.palette = ColourPalette::Dark;
        let coloured = drawn(desk);
        assert!(
            coloured.content().iter().all(|cell| cell.bg == Color::Reset),
            "a theme paints the background"
        );
        let dark = meanings(&coloured, ColourPalette::Dark);
        desk.app.palette = ColourPalette::Light;
        assert_eq!(meanings(&drawn(desk), ColourPalette::Light), dark);
        desk.app.palette = ColourPalette::None;
        let plain = drawn(desk);
        assert_eq!(stable(&view::plain(&plain)), text);
        assert!(plain.content().iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
        desk.app.ascii = true;
        let ascii = stable(&view::plain(&drawn(desk)));
        assert!(!ascii.contains(['•', '⊘', '—', '‹', '›', '…', '·', '│', '▌', '→', '⏎']), "{ascii}");
        picture += &format!("== colours\n{dark}== ASCII\n{ascii}");
        desk.app.ascii = false;
        desk.app.palette = ColourPalette::default();
    }
    picture
}

#[test]
fn every_view_at_every_size_is_as_it_was_looked_at() {
    let chosen = std::env::var("PALIMP_VIEW").ok();
    let groups = if chosen.is_some() { 2 } else { crate::tries::count(1, 2) };
    let mut desk = Desk::new(120, 36);
    for (name, keys) in VIEWS {
        if chosen.as_ref().is_some_and(|chosen| chosen != name) {
            continue;
        }
        desk.restart(120, 36);
        go(&mut desk, keys);
        for (ending, sizes) in SIZES.iter().take(groups) {
            let mut pictures = String::new();
            for size in sizes {
                desk.send(Msg::Resize(size.0, size.1));
                let picture = picture(&mut desk, *size);
                let shows_focus = picture.contains('▌') || picture.contains('▶');
                assert!(shows_focus, "{name} {size:?} shows no focus: {picture}");
                pictures += &picture;
            }
            insta::with_settings!({snapshot_path => "../snapshots/views", prepend_module_to_snapshot => false}, {
                insta::assert_snapshot!(format!("{name}{ending}"), pictures);
            });
        }
    }
}
