//! Fields whose values do not follow their format.

use super::coming_back::{One, titles};
use super::*;

#[test]
fn a_memory_with_several_wrong_fields_is_corrected_by_one_fix_and_undone_by_one_step() {
    let wrong = record(LOGS[0].0, "a1", "some words")
        .replace("\"high\"", "\"hihg\"")
        .replacen("\"updated_at\":\"2026-01-20T10:00:00Z\"", "\"updated_at\":\"2026/01/20 10:00\"", 1)
        .replace("\"access_count\":1", "\"access_count\":-4");
    let text = wrong + "\n";
    let one = One::of(LOGS[0], &text);
    let of = |own: &One| -> Vec<String> {
        let rows = own.run(&["check", "--json"]).json_lines();
        let rows = rows.into_iter().filter(|row| row["fixes"].as_array().is_some_and(|own| !own.is_empty()));
        rows.map(|row| row["code"].as_str().unwrap().to_owned()).collect()
    };
    let before = of(&one);
    assert!(before.len() >= 3, "{before:?}");
    let found = one.problem("bad-timestamp");
    let at = titles(&found).iter().position(|own| *own == "correct all its fields");
    let at = at.unwrap_or_else(|| panic!("{:?}", one.run(&["check", "--json"]).json_lines()));
    one.fix("bad-timestamp", at + 1);
    assert_eq!(of(&one), Vec::<String>::new(), "{}", one.text());
    one.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(one.text(), text);
    for code in before {
        one.run(&["repair", "--code", &code, "--yes"]).expect_status(0);
    }
    assert_eq!(of(&one), Vec::<String>::new(), "{}", one.text());
}

#[test]
fn a_field_of_a_note_is_corrected_in_its_place_and_every_other_byte_stays() {
    let text = "---\nid: pool\ncreated: 2026-01-20T10:00:00Z\nconfidence: hihg   # sure\ntags: []\n---\n\n# Pool\n\nKeep twenty.\n";
    let one = One::of(("a-mem", "knowledge/notes/pool.md"), text);
    assert_eq!(titles(&one.problem("out-of-range"))[0], "confidence: set high");
    one.fix("out-of-range", 1);
    let left = one.text();
    let others = |own: &str| -> Vec<String> {
        // The format records the time of every edit.
        let is_own = |line: &&str| !line.starts_with("confidence") && !line.starts_with("updated");
        own.lines().filter(is_own).map(str::to_owned).collect()
    };
    assert!(left.contains("\nconfidence: high"), "{left}");
    assert_eq!(others(&left), others(text));
    one.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(one.text(), text);
}

#[test]
fn a_time_whose_last_number_was_cut_gets_no_zone() {
    let (format, log) = LOGS[0];
    let line = record(format, "a1", "some words").replacen("-20T10:00:00Z", "-2", 1) + "\n";
    assert_eq!(String::from_utf8_lossy(&repaired(format, log, line.as_bytes()).0), line);
}
