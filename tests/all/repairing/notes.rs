//! Notes after a merge, a power cut or with another encoding, and compressed files that were cut.

use std::fs;

use crate::support::DemoStore;
use serde_json::Value;

const NOTE: &str = "knowledge/notes/cold-starts.md";

fn fixes(desk: &DemoStore, code: &str, file: &str) -> Vec<(String, String)> {
    let rows = desk.run(&["check", "--json"]).json_lines();
    let own = rows.into_iter().find(|row| row["code"] == code && row["file"] == file);
    let own = own.unwrap_or_else(|| panic!("no {code} in {file}"));
    let text = |own: &Value, name: &str| own[name].as_str().unwrap().to_owned();
    own["fixes"].as_array().unwrap().iter().map(|own| (text(own, "title"), text(own, "reason"))).collect()
}

fn titles(desk: &DemoStore, code: &str, file: &str) -> Vec<String> {
    fixes(desk, code, file).into_iter().map(|(title, _)| title).collect()
}

#[test]
fn a_conflict_in_the_text_of_a_note_is_told_with_both_sides() {
    let desk = DemoStore::new("notes/.chora/memory");
    let was = desk.text_of(NOTE);
    let now = format!("{was}\n<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> topic\nThe rest.\n");
    fs::write(desk.store.join(NOTE), &now).unwrap();
    let titles = titles(&desk, "conflict-markers", NOTE);
    assert_eq!(
        titles,
        ["keep the first side", "keep the second side", "keep both sides, without the markers"]
    );
    for (number, left) in [("1", "Ours.\n"), ("2", "Theirs.\n"), ("3", "Ours.\nTheirs.\n")] {
        let rows = desk.run(&["check", "--json"]).json_lines();
        let key = rows.iter().find(|row| row["code"] == "conflict-markers").unwrap()["problem"].clone();
        desk.change(&["repair", "--problem", key.as_str().unwrap(), "--fix", number]).expect_status(0);
        assert_eq!(desk.text_of(NOTE), format!("{was}\n{left}The rest.\n"));
        desk.change(&["undo"]).expect_status(0);
        assert_eq!(desk.text_of(NOTE), now);
    }
    // Quoted code, and a heading with a line below it, are no conflict.
    fs::write(desk.store.join(NOTE), now.replace("<<<<<<<", "```\n<<<<<<<") + "```\n\nHeading\n=======\n")
        .unwrap();
    let rows = desk.run(&["check", "--json"]).json_lines();
    assert!(!rows.iter().any(|row| row["code"] == "conflict-markers"));
}

#[test]
fn a_note_in_another_encoding_is_read_so_and_one_that_says_nothing_can_leave() {
    let was = DemoStore::new("notes/.chora/memory").text_of(NOTE);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let marked = [&[0xff, 0xfe][..], &wide(&was)].concat();
    let western = was.bytes().chain(*b"M\xfcller\n").collect::<Vec<u8>>();
    for (bytes, code, title, left) in [
        (marked, "invalid-utf8", "read it as UTF-16", Some(was.clone())),
        (western, "invalid-utf8", "read the odd bytes as Windows-1252", Some(format!("{was}Müller\n"))),
        (vec![0; 300], "nul-bytes", "move the file to quarantine", None),
        (Vec::new(), "bad-front-matter", "remove the empty file", None),
    ] {
        let desk = DemoStore::new("notes/.chora/memory");
        fs::write(desk.store.join(NOTE), &bytes).unwrap();
        let all = fixes(&desk, code, NOTE);
        assert_eq!(all[0].0, title, "{all:?}");
        let rows = desk.run(&["check", "--json"]).json_lines();
        let key =
            rows.iter().find(|row| row["code"] == code && row["file"] == NOTE).unwrap()["problem"].clone();
        desk.change(&["repair", "--problem", key.as_str().unwrap()]).expect_status(0);
        assert_eq!(fs::read_to_string(desk.store.join(NOTE)).ok(), left, "{title}");
        desk.change(&["undo"]).expect_status(0);
        assert_eq!(fs::read(desk.store.join(NOTE)).unwrap(), bytes, "{title}");
    }
}

#[test]
fn what_can_be_unpacked_of_an_archive_that_was_cut_is_packed_anew() {
    let desk = DemoStore::new("shop/.bmad/memory");
    desk.change(&["session", "archive", "double-charge"]).expect_status(0);
    let file = "archive/double-charge.tar.gz";
    let path = desk.store.join(file);
    let was = fs::read(&path).unwrap();
    let cut = &was[..was.len() * 3 / 4];
    fs::write(&path, cut).unwrap();
    assert_eq!(titles(&desk, "archive-broken", file)[0], "pack what can be unpacked into a new file");
    let listed = desk.list("is:archived session:double-charge").len();
    desk.change(&["repair", "--code", "archive-broken"]).expect_status(0);
    assert_eq!(desk.list("is:archived session:double-charge").len(), listed);
    let rows = desk.run(&["check", "--json"]).json_lines();
    let is_left = |row: &&Value| {
        row["code"] == "archive-broken"
            || row["code"] == "count-mismatch" && row["file"] == "archive/double-charge.manifest.json"
    };
    assert_eq!(rows.iter().find(is_left), None);
    desk.change(&["undo"]).expect_status(0);
    assert_eq!(fs::read(&path).unwrap(), cut);
}

#[test]
fn of_a_torn_list_of_sources_what_can_be_read_is_kept() {
    let desk = DemoStore::new("web/.agent-memory");
    let was = desk.text_of("sources.json");
    let now = &was[..was.len() - 60];
    fs::write(desk.store.join("sources.json"), now).unwrap();
    assert!(titles(&desk, "bad-json", "sources.json").contains(&"keep what can be read of it".to_owned()));
    desk.change(&["repair", "--code", "bad-json"]).expect_status(0);
    let left: Value = serde_json::from_str(&desk.text_of("sources.json")).unwrap();
    assert_eq!(left.as_array().unwrap().len(), 2);
    desk.change(&["undo"]).expect_status(0);
    assert_eq!(desk.text_of("sources.json"), now);
}
