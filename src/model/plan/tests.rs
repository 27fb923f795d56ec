//! Tests changes of files of any bytes, and what undoes them.

use super::*;
use proptest::prelude::*;

fn edits(base: &'static [u8], at: std::ops::Range<usize>, with: &str) -> Change {
    Change::edits("log.jsonl", base.into(), vec![(at, with.as_bytes().to_vec())])
}

#[test]
fn an_edit_of_a_line_replaces_that_line_alone() {
    let change = edits(b"one\ntwo\nthree\n", 5..6, "W");
    let Act::Splice(splices) = &change.act else { panic!() };
    let own = Splice { start: 4, was: "two\n".into(), becomes: "tWo\n".into(), line_before: "one\n".into() };
    assert_eq!(splices, &[own]);
    assert_eq!(change.after().unwrap().to_vec(), b"one\ntWo\nthree\n");
}

#[test]
fn lines_that_come_back_know_the_line_before_them_as_it_is_then() {
    let base = b"one\ntwo\nthree\nfour\n";
    let gone = |range| (range, Vec::new());
    let change = Change::edits("f", base.as_slice().into(), vec![gone(4..8), gone(8..14)]);
    let Act::Splice(back) = change.inverse().act else { panic!() };
    let both = b"two\nthree\n".to_vec();
    assert_eq!(
        back,
        [Splice { start: 4, was: "".into(), becomes: both.into(), line_before: "one\n".into() }]
    );
    let change = Change::edits("f", base.as_slice().into(), vec![(4..5, b"T".to_vec()), gone(8..14)]);
    let Act::Splice(back) = change.inverse().act else { panic!() };
    assert_eq!(*back[1].line_before, *b"Two\n");
    assert_eq!(change.inverse().after().unwrap().to_vec(), base);
}

#[test]
fn lines_are_added_behind_a_line_that_had_no_end() {
    let change = Change::append("log.jsonl", "two\n", Some(b"one".as_slice().into()));
    assert_eq!(change.after().unwrap().to_vec(), b"one\ntwo\n");
    assert_eq!(change.inverse().after().unwrap().to_vec(), b"one");
}

#[test]
fn lines_are_changed_and_others_added_in_one_change() {
    let both = |base: &'static [u8], at: std::ops::Range<usize>, with| {
        let change = edits(base, at, with).and_append(b"new\n");
        assert_eq!(change.inverse().after().unwrap().to_vec(), base);
        String::from_utf8(change.after().unwrap().to_vec()).unwrap()
    };
    assert_eq!(both(b"one\ntwo\n", 0..3, "1"), "1\ntwo\nnew\n");
    assert_eq!(both(b"one\ntwo\n", 4..8, ""), "one\nnew\n");
    assert_eq!(both(b"one\ntwo", 4..7, ""), "one\nnew\n");
    assert_eq!(both(b"one\ntwo", 4..5, "T"), "one\nTwo\nnew\n");
}

#[test]
fn what_loses_its_line_end_is_one_line_with_the_next() {
    let both = vec![(2..6, b"x".to_vec()), (7..12, Vec::new())];
    let change = Change::edits("f", b"a\naaa\n\naaaaa".as_slice().into(), both);
    assert_eq!(change.after().unwrap().to_vec(), b"a\nx\n");
    assert_eq!(change.inverse().after().unwrap().to_vec(), b"a\naaa\n\naaaaa");
    let Act::Splice(back) = change.inverse().act else { panic!() };
    assert_eq!(back.last().unwrap().line_before[..], *b"x\n");
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::sample::select(b"ab\n\r".to_vec()), 0..40)
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn any_edits_do_what_they_say_and_their_inverse_is_the_file_before(
        base in file(),
        marks in proptest::collection::vec((0_usize..41, 0_usize..6, "[xy\n]{0,3}"), 0..5),
    ) {
        let mut edits: Vec<(std::ops::Range<usize>, Vec<u8>)> = Vec::new();
        let mut from = 0;
        let mut marks = marks;
        marks.sort();
        for (at, len, with) in marks {
            let start = at.max(from).min(base.len());
            let end = (start + len).min(base.len());
            if edits.last().is_some_and(|(last, _)| last.end >= start) { continue; }
            from = end + 1;
            edits.push((start..end, with.into_bytes()));
        }
        let mut expected = base.clone();
        for (range, with) in edits.iter().rev() {
            expected.splice(range.clone(), with.iter().copied());
        }
        let change = Change::edits("f", base.as_slice().into(), edits);
        prop_assert_eq!(change.after().unwrap().to_vec(), expected.clone());
        prop_assert_eq!(change.inverse().after().unwrap().to_vec(), base);
        let Act::Splice(back) = change.inverse().act else { panic!() };
        for splice in back.iter().filter(|splice| splice.was.is_empty()) {
            prop_assert_eq!(&splice.line_before[..], last_line(&expected[..splice.start as usize]));
        }
    }

    #[test]
    fn a_rewrite_and_an_append_have_inverses_too(base in file(), other in file()) {
        let change = Change::rewrite("f", base.as_slice().into(), &other[..]);
        prop_assert_eq!(change.after().unwrap().to_vec(), other.clone());
        prop_assert_eq!(change.inverse().after().unwrap().to_vec(), base.clone());
        let change = Change::append("f", other, Some(base.as_slice().into()));
        prop_assert_eq!(change.inverse().after().unwrap().to_vec(), base);
    }
}
