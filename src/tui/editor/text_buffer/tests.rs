use proptest::prelude::*;

use super::*;

fn text_of(text: &str, width: usize) -> TextBuffer {
    let mut own = TextBuffer::new(text);
    own.wrap(width);
    own
}

fn rows(text: &TextBuffer) -> Vec<&str> {
    (0..text.len()).map(|row| &text.as_str()[text.row(row)]).collect()
}

#[test]
fn long_lines_are_wrapped_at_blanks_and_longer_words_where_they_must() {
    let text = text_of("one two three\n\nabcdefghijkl\n", 8);
    assert_eq!(rows(&text), ["one two ", "three", "", "abcdefgh", "ijkl", ""]);
    let text = text_of("接続プール abc", 6);
    assert_eq!(rows(&text), ["接続プ", "ール ", "abc"]);
}

#[test]
fn a_grapheme_is_one_step_and_one_backspace() {
    let mut text = text_of("a👩‍👩‍👧e\u{301}b", 40);
    text.last();
    for left in ["a👩‍👩‍👧e\u{301}", "a👩‍👩‍👧", "a", ""] {
        text.backspace();
        assert_eq!(text.as_str(), left);
    }
}

#[test]
fn a_word_is_undone_at_once_and_so_is_a_paste() {
    let mut text = text_of("", 40);
    "use the pool".chars().for_each(|c| text.type_char(c));
    text.paste("\r\nof\r\ntwenty");
    assert_eq!(text.as_str(), "use the pool\nof\ntwenty");
    for left in ["use the pool", "use the ", "use ", ""] {
        assert!(text.undo());
        assert_eq!(text.as_str(), left);
    }
    assert!(!text.undo());
    while text.redo() {}
    assert_eq!(text.as_str(), "use the pool\nof\ntwenty");
}

#[test]
fn moving_up_and_down_keeps_the_column() {
    let mut text = text_of("abcdef\nab\nabcdef", 40);
    text.row_end();
    assert!(text.by_rows(1));
    assert_eq!(text.place(), (1, 2));
    assert!(text.by_rows(1));
    assert_eq!(text.place(), (2, 6));
    assert!(!text.by_rows(1));
}

#[derive(Clone, Debug)]
enum Step {
    Type(char),
    Paste(String),
    Move(u8),
    Delete(u8),
    Undo,
    Redo,
    Width(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let pieces = "a| |\n|接|e\u{301}|👩‍👧|\u{202e}|\t|word |longerword|\u{301}|\r";
    let piece = proptest::sample::select(pieces.split('|').collect::<Vec<_>>());
    prop_oneof![
        6 => proptest::sample::select("ab \n接\u{301}é".chars().collect::<Vec<_>>()).prop_map(Step::Type),
        2 => proptest::collection::vec(piece, 0..12).prop_map(|pieces| Step::Paste(pieces.concat())),
        4 => (0..8_u8).prop_map(Step::Move),
        3 => (0..6_u8).prop_map(Step::Delete),
        1 => Just(Step::Undo),
        1 => Just(Step::Redo),
        1 => (1..30_usize).prop_map(Step::Width),
    ]
}

fn take(text: &mut TextBuffer, step: &Step) {
    match step {
        Step::Type(c) => text.type_char(*c),
        Step::Paste(own) => text.paste(own),
        Step::Move(0) => text.left(),
        Step::Move(1) => text.right(),
        Step::Move(2) => drop(text.by_rows(-1)),
        Step::Move(3) => drop(text.by_rows(1)),
        Step::Move(4) => text.word_left(),
        Step::Move(5) => text.word_right(),
        Step::Move(6) => text.row_start(),
        Step::Move(_) => text.row_end(),
        Step::Delete(0) => text.backspace(),
        Step::Delete(1) => text.delete(),
        Step::Delete(2) => text.delete_word(),
        Step::Delete(3) => text.delete_next_word(),
        Step::Delete(4) => text.delete_to_start(),
        Step::Delete(_) => text.delete_to_end(),
        Step::Undo => drop(text.undo()),
        Step::Redo => drop(text.redo()),
        Step::Width(width) => text.wrap(*width),
    }
}

proptest! {
    #![proptest_config(crate::tries::config(200, 5000))]

    #[test]
    fn rows_that_follow_each_edit_are_those_of_the_whole_text_and_undo_leads_back(
        start in "[a-c \n接]{0,90}", ahead in 0..6_usize, steps in proptest::collection::vec(step(), 1..40)
    ) {
        let mut text = TextBuffer { ahead, ..TextBuffer::new(&start) };
        text.wrap(7);
        for step in &steps {
            take(&mut text, step);
            let whole = text_of(text.as_str(), text.width);
            let known = text.rows.len();
            prop_assert_eq!(&text.rows[..], &whole.rows[..known], "after {:?}", step);
            let needed = text.row_of(text.cursor()) + 1 + ahead;
            prop_assert!(text.is_whole || known >= needed, "{} rows after {:?}", known, step);
            prop_assert!(!text.is_whole || known == whole.rows.len(), "{} rows after {:?}", known, step);
            prop_assert!(text.as_str().is_char_boundary(text.cursor()));
            text.place();
        }
        while text.undo() {}
        prop_assert_eq!(text.as_str(), start);
    }
}
