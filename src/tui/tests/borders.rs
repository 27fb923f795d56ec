//! The mouse and keys move the borders between panes, within limits. The positions are saved.

use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;
use ratatui::layout::Rect;

use super::columns::{check_shared, list};
use super::mouse::{click, mouse};
use super::*;
use crate::tui::layout::frame;
use crate::usecase::{PaneBorder, PaneLayout};

const EACH: [(PaneBorder, (u16, u16)); 4] = [
    (PaneBorder::Sides, (160, 44)),
    (PaneBorder::Detail, (160, 44)),
    (PaneBorder::Why, (160, 44)),
    (PaneBorder::Below, (80, 24)),
];

fn place(desk: &Desk, border: PaneBorder) -> (u16, u16) {
    let area = frame(&desk.app).borders.iter().find(|drawn| drawn.border == border).expect("a border").area;
    (area.x, area.y)
}

fn pane(desk: &Desk, pane: Pane) -> Rect {
    frame(&desk.app).pane(pane).expect("the pane is there")
}

fn press(desk: &mut Desk, at: (u16, u16)) {
    mouse(desk, MouseEventKind::Down(MouseButton::Left), at);
}

fn hold_to(desk: &mut Desk, at: (u16, u16)) {
    mouse(desk, MouseEventKind::Drag(MouseButton::Left), at);
}

fn release(desk: &mut Desk, at: (u16, u16)) {
    mouse(desk, MouseEventKind::Up(MouseButton::Left), at);
}

fn drag(desk: &mut Desk, border: PaneBorder, to: (u16, u16)) {
    let from = place(desk, border);
    press(desk, from);
    hold_to(desk, to);
    release(desk, to);
}

fn data(desk: &Desk) -> std::path::PathBuf {
    desk._folder.path().join("palimp-data")
}

fn kept(desk: &Desk) -> PaneLayout {
    PaneLayout::kept_in(&data(desk))
}

#[test]
fn a_border_is_dragged_to_where_the_mouse_lets_go_and_both_panes_take_part() {
    for (border, size) in EACH {
        let mut desk = Desk::new(size.0, size.1);
        let (x, y) = place(&desk, border);
        for by in [3, -2] {
            let to = match border.is_upright() {
                true => (x.saturating_add_signed(by), y + 5),
                false => (x + 9, y.saturating_add_signed(by)),
            };
            drag(&mut desk, border, to);
            let now = place(&desk, border);
            let (there, wanted) = if border.is_upright() { (now.0, to.0) } else { (now.1, to.1) };
            assert_eq!(there, wanted, "{border:?}");
            check_shared(&desk);
            desk.screen();
        }
        // A drag that did not start on a border moves none.
        let before = place(&desk, border);
        press(&mut desk, (before.0 + 2, before.1 + 2));
        hold_to(&mut desk, (2, 2));
        assert_eq!(place(&desk, border), before);
    }
}

#[test]
fn a_border_that_is_let_go_stays_and_a_double_click_puts_it_back() {
    for (border, size) in EACH {
        let mut desk = Desk::new(size.0, size.1);
        let usual = place(&desk, border);
        let to = (usual.0.saturating_sub(2), usual.1.saturating_sub(2));
        drag(&mut desk, border, to);
        let moved = place(&desk, border);
        assert_ne!(moved, usual);
        hold_to(&mut desk, (usual.0 + 3, usual.1 + 3));
        assert_eq!(place(&desk, border), moved, "it was let go");
        click(&mut desk, moved);
        release(&mut desk, moved);
        assert_eq!(place(&desk, border), moved, "one click leaves it");
        click(&mut desk, moved);
        assert_eq!(place(&desk, border), usual, "{border:?}");
        assert!(desk.app.layout.borders.is_empty());
    }
}

#[test]
fn no_drag_takes_the_text_of_the_list_away_or_makes_a_pane_too_small() {
    let mut desk = Desk::new(80, 24);
    for width in (60..=300).step_by(24).chain([99, 100, 119, 120]) {
        for (height, focus) in
            [(16, Pane::Memories), (24, Pane::Why), (50, Pane::Sessions), (36, Pane::Detail)]
        {
            desk.app.focus = focus;
            desk.app.layout = PaneLayout::default();
            let usual = match focus {
                Pane::Sessions => list(&mut desk, width, height).0,
                _ => 24,
            };
            desk.app.size = (width, height);
            for (x, y) in [(0, 0), (width, height), (width, 0), (0, height), (width / 2, height / 2)] {
                let borders: Vec<PaneBorder> =
                    frame(&desk.app).borders.iter().map(|own| own.border).collect();
                for border in borders {
                    drag(&mut desk, border, (x, y));
                    desk.app.focus = focus;
                    check_shared(&desk);
                    let (text, rows) = list(&mut desk, width, height);
                    let has_list = text >= 24.min(usual) && rows >= 3;
                    assert!(
                        has_list,
                        "{text} columns, {rows} rows at {width}x{height}, {border:?} to {x},{y}"
                    );
                }
            }
        }
    }
}

#[test]
fn keys_move_the_border_of_their_pane_as_the_mouse_does() {
    for (keys, focus, border, by) in [
        ("z>", Pane::Sessions, PaneBorder::Sides, 2),
        ("z<z<z<", Pane::Health, PaneBorder::Sides, -6),
        ("z>", Pane::Memories, PaneBorder::Detail, 2),
        ("8z<", Pane::Memories, PaneBorder::Detail, -16),
        ("z>", Pane::Detail, PaneBorder::Detail, -2),
        ("z<", Pane::Detail, PaneBorder::Detail, 2),
        ("z>", Pane::Why, PaneBorder::Why, -1),
        ("z<", Pane::Why, PaneBorder::Why, 1),
        ("z>", Pane::Memories, PaneBorder::Below, 1),
        ("z>", Pane::Detail, PaneBorder::Below, -1),
    ] {
        let size = EACH.iter().find(|(own, _)| *own == border).unwrap().1;
        let (mut by_keys, mut by_mouse) = (Desk::small(size.0, size.1), Desk::small(size.0, size.1));
        by_keys.app.focus = focus;
        let (x, y) = place(&by_mouse, border);
        by_keys.type_keys(keys);
        let to = match border.is_upright() {
            true => (x.saturating_add_signed(by), y),
            false => (x, y.saturating_add_signed(by)),
        };
        drag(&mut by_mouse, border, to);
        assert_eq!(by_keys.app.layout, by_mouse.app.layout, "{keys} in {focus:?}");
        assert_eq!(kept(&by_keys), by_keys.app.layout);
        by_keys.type_keys("z=");
        assert_eq!(by_keys.app.layout, PaneLayout::default());
        assert!(by_keys.screen().contains("Every pane has its usual size."));
    }
}

#[test]
fn keys_that_can_move_no_border_say_why() {
    let said = |desk: &mut Desk, keys: &str| {
        desk.type_keys(keys);
        desk.app.notice.clone().unwrap_or_default()
    };
    let mut desk = Desk::small(120, 36);
    assert_eq!(said(&mut desk, "5z>"), "");
    assert_eq!(said(&mut desk, "99z>"), "");
    assert_eq!(said(&mut desk, "z>"), "This pane can't get wider.");
    assert_eq!(said(&mut desk, "4z<"), "This pane can't get narrower.");
    assert_eq!(said(&mut desk, "w99z>"), "");
    assert_eq!(said(&mut desk, "z>"), "This pane can't get higher.");
    let alone = "This pane is alone on the screen: it has no border to move.";
    assert_eq!(said(&mut desk, "+z>"), alone);
    assert_eq!(said(&mut Desk::small(40, 12), "z<"), alone);
    assert!(said(&mut desk, "gpz>").contains("done among the memories"));
}

#[test]
fn a_layout_is_kept_once_the_border_is_let_go_and_the_next_start_has_it() {
    let mut desk = Desk::new(160, 44);
    let from = place(&desk, PaneBorder::Detail);
    press(&mut desk, from);
    hold_to(&mut desk, (from.0 - 9, from.1));
    assert_eq!(kept(&desk), PaneLayout::default(), "not while it is held");
    release(&mut desk, (from.0 - 9, from.1));
    desk.type_keys("1zR5za2za");
    let layout = kept(&desk);
    assert_eq!(layout, desk.app.layout);
    assert!(layout.all_facts && layout.all_filters && layout.borders.contains_key(&PaneBorder::Detail));
    let places = desk.app.places.clone();
    let app = App::new(&TuiOptions { layout, ..options(places) }, (160, 44), now());
    assert_eq!(frame(&app).pane(Pane::Detail).unwrap(), pane(&desk, Pane::Detail));
    let mut again = Desk { app, kept: WorkerState::default(), ..desk };
    again.send(Msg::StoresChanged);
    assert!((0..again.app.snapshot.stores.len()).all(|store| again.app.is_unfolded(store)));
    assert!(again.app.tree.iter().any(|branch| branch.is_session));
}

#[test]
fn another_size_of_the_terminal_keeps_the_shares() {
    let mut desk = Desk::small(160, 44);
    drag(&mut desk, PaneBorder::Sides, (40, 9));
    for (width, columns) in [(240, 60), (120, 30), (160, 40)] {
        desk.send(Msg::Resize(width, 44));
        assert_eq!(pane(&desk, Pane::Sessions).width, columns);
    }
}

#[test]
fn nothing_is_kept_where_nothing_may_be_written() {
    for readonly in [true, false] {
        let mut desk = Desk::small(160, 44);
        let before = std::fs::read(data(&desk).join("visits.json")).ok();
        match readonly {
            true => desk.app.readonly = true,
            false => desk.app.data = None,
        }
        drag(&mut desk, PaneBorder::Sides, (40, 9));
        desk.type_keys("z>5za");
        assert_ne!(desk.app.layout, PaneLayout::default());
        assert!(!data(&desk).join("layout.json").exists());
        assert_eq!(std::fs::read(data(&desk).join("visits.json")).ok(), before);
    }
}

#[test]
fn what_is_kept_of_a_border_may_be_any_number() {
    let mut desk = Desk::small(80, 24);
    for share in [0, 1, 500, 999, 1000, 1001, 40_000, u16::MAX] {
        for border in [PaneBorder::Sides, PaneBorder::Detail, PaneBorder::Below, PaneBorder::Why] {
            desk.app.layout.borders.insert(border, share);
        }
        for size in [(20, 5), (60, 16), (80, 24), (100, 20), (119, 40), (120, 16), (200, 50)] {
            desk.app.size = size;
            check_shared(&desk);
            assert!(list(&mut desk, size.0, size.1).0 >= if size.0 < 40 { 11 } else { 24 });
            desk.screen();
        }
    }
}

#[derive(Clone, Debug)]
enum Deed {
    Press(u16, u16),
    /// On the border with this number.
    PressBorder(usize),
    Hold(u16, u16),
    Release,
    Keys(&'static str),
    Resize(u16, u16),
}

fn deeds() -> impl Strategy<Value = Deed> {
    let keys =
        ["z>", "z<", "z=", "99z>", "70z<", "1", "2", "3", "4", "5", "w", "\t", "+", "_", "/a", "gp", "gb"];
    prop_oneof![
        2 => (0..310_u16, 0..110_u16).prop_map(|(x, y)| Deed::Press(x, y)),
        6 => (0..4_usize).prop_map(Deed::PressBorder),
        8 => (0..310_u16, 0..110_u16).prop_map(|(x, y)| Deed::Hold(x, y)),
        2 => Just(Deed::Release),
        4 => proptest::sample::select(keys.to_vec()).prop_map(Deed::Keys),
        3 => (20..301_u16, 5..101_u16).prop_map(|(width, height)| Deed::Resize(width, height)),
    ]
}

fn carry_out(desk: &mut Desk, operation: Deed) {
    match operation {
        Deed::Press(x, y) => press(desk, (x, y)),
        Deed::PressBorder(number) => {
            let borders = frame(&desk.app).borders;
            let area = borders.get(number % borders.len().max(1)).map(|drawn| drawn.area);
            area.into_iter().for_each(|area| press(desk, (area.x, area.y)));
        }
        Deed::Hold(x, y) => hold_to(desk, (x, y)),
        Deed::Release => release(desk, (0, 0)),
        Deed::Keys(keys) => desk.type_keys(keys),
        Deed::Resize(width, height) => desk.send(Msg::Resize(width, height)),
    }
}

proptest! {
    #![proptest_config(crate::tries::config(12, 2_000))]

    #[test]
    fn after_any_drags_at_any_size_the_panes_share_the_screen(deeds in prop::collection::vec(deeds(), 1..40)) {
        let mut desk = Desk::small(120, 36);
        desk.app.readonly = true;
        for operation in deeds {
            carry_out(&mut desk, operation);
            check_shared(&desk);
            desk.screen();
        }
    }
}
