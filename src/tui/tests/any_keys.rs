//! The screens work with any keys, pastes and sizes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::Desk;
use crate::tui::message::Msg;

/// An event from outside, in a form that a property test can print.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    Key(KeyEvent),
    Resize(u16, u16),
    Paste(String),
    Changed,
    Keep,
    Going,
    Tick,
}

impl From<Happening> for Msg {
    fn from(happening: Happening) -> Msg {
        match happening {
            Happening::Key(key) => Msg::Key(key),
            Happening::Resize(width, height) => Msg::Resize(width, height),
            Happening::Paste(text) => Msg::Paste(text),
            Happening::Changed => Msg::StoresChanged,
            Happening::Keep => Msg::SaveDraft,
            Happening::Going => Msg::ShowProgress,
            Happening::Tick => Msg::Tick,
        }
    }
}

pub(super) fn happenings() -> impl Strategy<Value = Happening> {
    let code = prop_oneof![
        12 => proptest::sample::select("jkhlgGdpwo/&@:?nNqRX{}[]+_12345 xtaruUiE\"(-".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        4 => proptest::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace, KeyCode::Up,
            KeyCode::Down, KeyCode::PageDown, KeyCode::PageUp, KeyCode::Home, KeyCode::End, KeyCode::F(1),
        ]),
        1 => any::<char>().prop_map(KeyCode::Char),
    ];
    let modifiers = prop_oneof![
        8 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL), 1 => Just(KeyModifiers::ALT)
    ];
    prop_oneof![
        20 => (code, modifiers).prop_map(|(code, modifiers)| Happening::Key(KeyEvent::new(code, modifiers))),
        2 => (1..180_u16, 1..60_u16).prop_map(|(width, height)| Happening::Resize(width, height)),
        1 => ".{0,12}".prop_map(Happening::Paste),
        1 => Just(Happening::Changed),
        1 => Just(Happening::Tick),
    ]
}

proptest! {
    #![proptest_config(crate::tries::config(4, 1_000))]

    #[test]
    fn any_keys_pastes_and_sizes_keep_the_screens_working(
        happenings in proptest::collection::vec(happenings(), 1..60), removed in 0..4_usize
    ) {
        let mut desk = Desk::new(120, 36);
        desk.app.readonly = true;
        for (number, happening) in happenings.into_iter().enumerate() {
            if removed == 0 && number == 20 {
                std::fs::remove_dir_all(desk._folder.path().join("ops")).unwrap();
            }
            desk.send(happening.into());
            desk.screen();
        }
    }
}
