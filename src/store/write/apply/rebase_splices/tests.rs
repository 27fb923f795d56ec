use super::*;
use crate::model::Change;
use crate::model::plan::{apply, inverse};

const MANY: usize = 10_000;

fn splices(base: &str, from: &str, to: &str) -> Vec<Splice> {
    let at = base.find(from).unwrap();
    let change = Change::edits("f", base.as_bytes().into(), vec![(at..at + from.len(), to.into())]);
    let crate::model::Act::Splice(splices) = change.act else { panic!() };
    splices
}

fn moved(base: &str, from: &str, to: &str, now: &str) -> Result<String, SpliceConflict> {
    let splices = rebase(&splices(base, from, to), now.as_bytes())?;
    assert!(fits(&splices, now.as_bytes()));
    Ok(String::from_utf8(crate::model::plan::apply(now.as_bytes(), &splices)).unwrap())
}

const BASE: &str = "{\"id\":\"a\",\"x\":1,\"y\":1}\n{\"id\":\"b\"}\n";

/// One pass over the file for each record takes minutes; one pass for all takes a moment.
#[test]
fn changes_of_thousands_of_records_that_others_changed_are_fitted_in_one_pass() {
    let line = |at| format!("{{\"id\":\"k{at}\",\"x\":1,\"y\":1}}\n");
    let base: String = (0..MANY).map(line).collect();
    let mut edits = Vec::new();
    for (at, _) in base.match_indices("\"x\":1") {
        edits.push((at..at + 5, b"\"x\":2".to_vec()));
    }
    let change = Change::edits("f", base.as_bytes().into(), edits);
    let crate::model::Act::Splice(splices) = change.act else { panic!() };
    let now = base.replace("\"y\":1", "\"y\":9");
    let fit = rebase(&splices, now.as_bytes()).unwrap();
    let wanted = now.replace("\"x\":1", "\"x\":2");
    assert!(crate::model::plan::apply(now.as_bytes(), &fit) == wanted.as_bytes());
}

#[test]
fn an_edit_follows_its_line() {
    let now = "{\"id\":\"new\"}\n{\"id\":\"b\"}\n{\"id\":\"a\",\"x\":1,\"y\":1}\n";
    assert_eq!(moved(BASE, "\"x\":1", "\"x\":2", now).unwrap(), now.replace("\"x\":1", "\"x\":2"));
}

#[test]
fn changes_of_different_members_both_hold() {
    let now = BASE.replace("\"y\":1", "\"y\":9,\"z\":3");
    assert_eq!(moved(BASE, "\"x\":1", "\"x\":2", &now).unwrap(), now.replace("\"x\":1", "\"x\":2"));
}

#[test]
fn a_change_of_the_same_member_is_a_conflict_and_so_is_a_record_that_went() {
    let now = BASE.replace("\"x\":1", "\"x\":7");
    let conflict = moved(BASE, "\"x\":1", "\"x\":2", &now).unwrap_err();
    assert_eq!(
        conflict.found.as_deref(),
        now.lines().next().map(|line| [line, "\n"].concat()).as_deref().map(str::as_bytes)
    );
    assert_eq!(moved(BASE, "\"x\":1", "\"x\":2", "{\"id\":\"b\"}\n").unwrap_err().found, None);
    let whole = "{\"id\":\"a\",\"x\":1,\"y\":1}\n";
    assert!(
        moved(BASE, whole, "", &BASE.replace("\"y\":1", "\"y\":2")).is_err(),
        "what changed is not removed"
    );
}

#[test]
fn records_that_others_parted_go_one_by_one_and_nothing_else_does() {
    let base = "{\"id\":\"x\"}\n";
    let added = "{\"id\":\"a\"}\n{\"id\":\"b\"}\n";
    let back = Change::append("f", added, Some(base.as_bytes().into())).inverse();
    let crate::model::Act::Splice(back) = &back.act else { panic!() };
    let now = b"{\"id\":\"b\"}\n{\"id\":\"new\"}\n{\"id\":\"x\"}\n{\"id\":\"a\"}\n";
    let fit = rebase(back, &now[..]).unwrap();
    assert_eq!(crate::model::plan::apply(now, &fit), b"{\"id\":\"new\"}\n{\"id\":\"x\"}\n");
    assert!(rebase(back, &b"{\"id\":\"x\"}\n{\"id\":\"a\"}\n"[..]).is_err(), "one of them is gone");
    // A part of a record can't be distinguished from the same part of another.
    let torn = "{\"id\":\n\"a\"}\n";
    let back = Change::append("f", torn, Some(base.as_bytes().into())).inverse();
    let crate::model::Act::Splice(back) = &back.act else { panic!() };
    assert!(rebase(back, &b"{\"id\":\n{\"id\":\"x\"}\n\"a\"}\n"[..]).is_err());
}

#[test]
fn the_first_line_comes_back_behind_the_mark_of_its_file() {
    let becomes = b"one\n".to_vec().into();
    let back = vec![Splice { start: 3, was: Bytes::default(), becomes, line_before: lines::BOM.into() }];
    for now in ["\u{feff}two\n", "\u{feff}torn", "\u{feff}"] {
        let fit = rebase(&back, now.as_bytes()).unwrap();
        let wanted = now.replacen('\u{feff}', "\u{feff}one\n", 1);
        assert_eq!(crate::model::plan::apply(now.as_bytes(), &fit), wanted.as_bytes());
    }
}

#[test]
fn lines_come_back_behind_the_line_they_stood_behind_and_in_their_order() {
    let gone = |range| (range, Vec::new());
    for (base, edits, now, wanted) in [
        // Before a line that is replaced.
        ("x\nold\ny\nz\n", vec![(2..5, b"new".to_vec()), gone(8..10)], "x\ny\nnew\n", "x\ny\nz\nold\n"),
        // A last line without an end gets one before others.
        ("a\nb", vec![gone(2..3)], "a\nnew\nc\n", "a\nb\nnew\nc\n"),
        ("a\nb\n", vec![gone(2..4)], "new\na\nc", "new\na\nb\nc"),
        (
            "one\ntwo\nthree\nfour\n",
            vec![(0..4, b"1\n".to_vec()), gone(4..8), gone(8..14)],
            "new\n1\nfour\n",
            "new\none\ntwo\nthree\nfour\n",
        ),
    ] {
        let change = Change::edits("f", base.as_bytes().into(), edits);
        let crate::model::Act::Splice(splices) = &change.act else { panic!() };
        let back = inverse(splices);
        assert!(fits(&back, &change.after().unwrap()), "{base}");
        let fit = rebase(&back, now.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(apply(now.as_bytes(), &fit)).unwrap(), wanted, "{base}");
    }
    let change = Change::append("f", "two\n", Some(b"one".as_slice().into())).inverse();
    let crate::model::Act::Splice(back) = &change.act else { panic!() };
    let now = b"one\ntwo\nthree\n";
    assert_eq!(apply(now, &rebase(back, &now[..]).unwrap()), b"one\nthree\n");
}

#[test]
fn a_change_is_not_carried_to_another_record_of_the_same_id() {
    let base = "{\"id\":\"a\",\"x\":1}\n{\"id\":\"a\",\"x\":1,\"y\":1}\n";
    let now = base.replace("\"y\":1", "\"y\":2");
    assert!(moved(base, "\"x\":1,\"y\"", "\"x\":2,\"y\"", &now).is_err());
}
