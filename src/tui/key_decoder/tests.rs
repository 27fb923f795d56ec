//! Tests which keys the bytes of a terminal mean.

use proptest::prelude::*;

use super::*;

fn events(pieces: &[&[u8]]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut decoder = KeyDecoder::default();
    pieces.iter().for_each(|piece| decoder.take(piece, &mut |event| events.push(event)));
    decoder.pause(&mut |event| events.push(event));
    events
}

/// Returns keys in their usual spelling: `C-S-Up`.
fn names(bytes: &[u8]) -> String {
    let name = |event: &Event| match event {
        Event::Key(key) => {
            let held =
                [(KeyModifiers::CONTROL, "C-"), (KeyModifiers::ALT, "A-"), (KeyModifiers::SHIFT, "S-")];
            let held = held.into_iter().filter(|(held, _)| key.modifiers.contains(*held));
            held.map(|(_, name)| name).collect::<String>() + &key.code.to_string()
        }
        Event::Paste(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    };
    events(&[bytes]).iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_key_that_terminals_send_is_known() {
    for (bytes, keys) in [
        (&b"aQ \xc3\xa9\xe6\x8e\xa5\xf0\x9f\xa6\x80"[..], "a S-Q Space é 接 🦀"),
        (b"\r\n\t\x7f\x08\0\x03\x1a\x1c\x1f", "Enter C-j Tab Backspace C-h C-Space C-c C-z C-4 C-7"),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D\x1bOA\x1bOD", "Up Down Right Left Up Left"),
        (b"\x1b[H\x1b[F\x1bOH\x1bOF\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "Home End Home End Home End Home End"),
        (b"\x1b[2~\x1b[3~\x1b[5~\x1b[6~", "Insert Del Page Up Page Down"),
        (b"\x1bOP\x1bOS\x1b[11~\x1b[15~\x1b[17~\x1b[24~\x1b[[A\x1b[[E", "F1 F4 F1 F5 F6 F12 F1 F5"),
        (
            b"\x1b[1;5A\x1b[1;2D\x1b[1;6H\x1b[3;5~\x1b[6;3~\x1b[1;5R",
            "C-Up S-Left C-S-Home C-Del A-Page Down C-F3",
        ),
        (b"\x1b[Z\x1b[1;2Z\x1b[9;2u\x1b[27;5;13~", "S-Back Tab S-Back Tab S-Back Tab C-Enter"),
        (b"\x1ba\x1bQ\x1b\r\x1b\x7f\x1b\xc3\xa9\x1b\x01", "A-a A-S-Q A-Enter A-Backspace A-é C-A-a"),
        (b"\x1b", "Esc"),
        (b"\x1b\x1b\x1b[A", "Esc Esc Up"),
        (b"\x1b[", "A-["),
        (b"\x1bO", "A-O"),
        (b"\x1b]", "A-]"),
        (b"\x1b[97u\x1b[97;5u\x1b[27u\x1b[13;2u\x1b[97;1:3u", "a C-a Esc S-Enter"),
        (b"\x1b[200~two\nlines \x1b[A\x1b[201~x", "\"two\\nlines \\u{1b}[A\" x"),
    ] {
        assert_eq!(names(bytes), keys, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_means_no_key_is_skipped_whole() {
    for bytes in [
        &b"\x1b[I\x1b[O"[..],
        b"\x1b[<2;10;20m\x1b[<32;10;20m\x1b[<2;10;20M\x1b[<35;10;20M\x1b[<0;0;20M\x1b[<0;10M",
        b"\x1b[M abc"[..6].as_ref(),
        b"\x1b[32;10;20M",
        b"\x1b[12;40R\x1b[?1;2c\x1b[?7u\x1b[99~\x1b[57441u",
        b"\x1b]52;c;ZHh5\x07\x1bP>|dxyd\x1b\\\x1b_dxy\x1b\\\x1b]11;rgb:00/dd/aa\x1b[I",
        b"\xff\xc3",
    ] {
        assert_eq!(names(bytes), "", "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(names(b"\x1b]0;dxy\x03j\x1bPdxy\x1b[A"), "C-c j Up");
    assert_eq!(names(b"\x1b[<2;1;1mj\xffk\x1b[1;\x03"), "j k C-c");
}

#[test]
fn a_key_that_follows_esc_fast_is_a_key_of_its_own() {
    let keys = |pieces: &[&[u8]]| {
        let code = |event: Event| event.as_key_event().map(|own| (own.code, own.modifiers));
        events(pieces).into_iter().filter_map(code).collect::<Vec<_>>()
    };
    let plain = |code| (code, KeyModifiers::NONE);
    let j = plain(KeyCode::Char('j'));
    assert_eq!(keys(&[b"\x1b", b"j"]), [plain(KeyCode::Esc), j]);
    assert_eq!(keys(&[b"\x1b", b"\xc3\xa9j"]), [plain(KeyCode::Esc), plain(KeyCode::Char('é')), j]);
    assert_eq!(keys(&[b"\x1b", b"\x1b", b"j"]), [plain(KeyCode::Esc), plain(KeyCode::Esc), j]);
    // The bytes of one key may arrive in two pieces.
    assert_eq!(keys(&[b"\x1b", b"[A"]), [plain(KeyCode::Up)]);
    assert_eq!(keys(&[b"\x1b", b"OB"]), [plain(KeyCode::Down)]);
}

#[test]
fn a_paste_that_pauses_is_told_and_goes_on_as_text_until_it_ends() {
    let mut decoder = KeyDecoder::default();
    let mut events = Vec::new();
    decoder.take(b"\x1b[200~one dx", &mut |event| events.push(event));
    assert!(events.is_empty() && decoder.is_waiting());
    decoder.pause(&mut |event| events.push(event));
    assert!(!decoder.is_waiting());
    decoder.take(b" two dx\x1b[201~j", &mut |event| events.push(event));
    let j = key(KeyCode::Char('j'), KeyModifiers::NONE);
    assert_eq!(events, [Event::Paste("one dx".into()), Event::Paste(" two dx".into()), j]);
}

#[test]
fn a_string_that_pauses_is_skipped_to_its_end_and_keys_are_heard_where_none_comes() {
    let heard = |pieces: &[&[u8]]| {
        let mut decoder = KeyDecoder::default();
        let mut events = Vec::new();
        for piece in pieces {
            decoder.take(piece, &mut |event| events.push(event));
            decoder.pause(&mut |event| events.push(event));
        }
        events
    };
    let j = [key(KeyCode::Char('j'), KeyModifiers::NONE)];
    assert_eq!(heard(&[b"\x1b]52;c;dx", b"y\x07j"]), j);
    assert_eq!(heard(&[b"\x1bP1+r64", b"616465\x1b\\j"]), j);
    assert_eq!(heard(&[b"\x1b]0;dxy", b"j"]), j);
    assert_eq!(heard(&[&[&b"\x1b]"[..], &[b'd'; 5000]].concat(), b"j"]), j);
}

#[test]
fn a_paste_that_never_ends_lets_ctrl_c_through() {
    let mut decoder = KeyDecoder::default();
    let mut events = Vec::new();
    decoder.take(b"\x1b[200~abc", &mut |event| events.push(event));
    decoder.pause(&mut |event| events.push(event));
    decoder.take(b"\x03q", &mut |event| events.push(event));
    let keys = [key(KeyCode::Char('c'), KeyModifiers::CONTROL), key(KeyCode::Char('q'), KeyModifiers::NONE)];
    assert_eq!(events[1..], keys);
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn bytes_mean_the_same_however_they_are_cut(
        parts in proptest::collection::vec(prop_oneof![
            Just(&b"\x1b[A"[..]), Just(&b"\x1b[1;5C"[..]), Just(&b"j"[..]), Just(&b"\x1b"[..]),
            Just("é接🦀".as_bytes()), Just(&b"\x1b[200~pa\xc3\xa9\x1bste\x1b[201~"[..]),
            Just(&b"\x1b[<0;10;20M"[..]), Just(&b"\xff"[..]), Just(&b"\x1bOP"[..]), Just(&b"\x1b]0;dxy\x1b\\"[..]),
            Just(&b"\x1bPabc\x07"[..]), Just(&b"\x1b["[..]),
        ], 0..12),
        cuts in proptest::collection::vec(0_usize..200, 0..6),
    ) {
        let whole = parts.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(whole.len())).collect();
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        // Esc at the end of a piece is a key: a key in the next piece has no Alt.
        let is_apart = |cut: &usize| {
            let key = whole.get(*cut).filter(|own| !may_follow(**own));
            key.is_none() || !whole[..*cut].ends_with(b"\x1b")
        };
        cuts.retain(is_apart);
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &whole[cut[0]..cut[1]]).collect();
        prop_assert_eq!(events(&pieces), events(&[&whole]));
    }

    #[test]
    fn no_bytes_make_it_deaf(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut decoder = KeyDecoder::default();
        decoder.take(&bytes, &mut |_| {});
        decoder.pause(&mut |_| {});
        let mut events = Vec::new();
        decoder.take(b"\x03\x03", &mut |event| events.push(event));
        prop_assert!(!events.is_empty());
    }
}

#[test]
fn a_click_and_the_wheel_are_told_with_their_place_and_a_drag_is_not() {
    let mut told = Vec::new();
    KeyDecoder::default()
        .take(b"\x1b[<0;10;20M\x1b[<32;11;20M\x1b[<0;12;20m\x1b[<64;1;1M\x1b[<65;300;2M", &mut |event| {
            told.push(event)
        });
    let mouse =
        |kind, column, row| Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let wanted = [
        mouse(MouseEventKind::Down(MouseButton::Left), 9, 19),
        mouse(MouseEventKind::ScrollUp, 0, 0),
        mouse(MouseEventKind::ScrollDown, 299, 1),
    ];
    assert_eq!(told, wanted);
}
