//! Applies and undoes every fix of every problem in every format. Undo restores the bytes, even if
//! the format notes a fix in the log that it changes.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::coming_back::One;
use super::corpus::{DAMAGES, records};
use super::*;
use crate::support::made::files_below;
use crate::support::{Output, tries};

/// In this month, a-mem notes its repairs in the log that is repaired.
const NOW: &str = "2026-01-25T12:00:00Z";

fn files(one: &One) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = files_below(&one.store.path);
    // A lock of that format stays, and is free.
    all.retain(|path, _| !path.ends_with(".lock"));
    all
}

fn run(one: &One, words: &[&str]) -> Output {
    one.run(&[words, &["--now", NOW]].concat())
}

fn each_is_undone(one: &One, what: &str, known: &mut HashSet<String>) {
    let before = files(one);
    let undo = |told: &str| {
        let undone = run(one, &["undo", "--yes"]);
        assert_eq!(undone.status, Some(0), "{what}: {told}: {}", undone.stderr);
        let after = files(one);
        let differs = |path: &&PathBuf| after.get(*path) != before.get(*path);
        let paths: Vec<&PathBuf> = before.keys().chain(after.keys()).filter(differs).collect();
        let text = |all: &BTreeMap<PathBuf, Vec<u8>>| {
            paths.first().map(|path| all.get(*path).map(|own| String::from_utf8_lossy(own).into_owned()))
        };
        assert!(paths.is_empty(), "{what}: {told}: {paths:?}\n{:?}\n{:?}", text(&before), text(&after));
    };
    let rows = run(one, &["check", "--json"]).json_lines();
    for row in rows.iter().filter(|row| row["problem"].is_string()) {
        for (at, fix) in row["fixes"].as_array().into_iter().flatten().enumerate() {
            let file = PathBuf::from(row["file"].as_str().unwrap_or_default());
            let kind = file.extension().map(|own| own.to_string_lossy().into_owned());
            let told = format!("{} {:?} {}", row["code"], kind, fix["title"]);
            if !known.insert(told.clone()) {
                continue;
            }
            let (key, number) = (row["problem"].as_str().unwrap(), (at + 1).to_string());
            let done = run(one, &["repair", "--problem", key, "--fix", &number, "--yes"]);
            // A refused fix changes nothing.
            match done.status {
                Some(0) if files(one) != before => undo(&told),
                Some(0 | 3) => assert_eq!(files(one), before, "{what}: {told}"),
                _ => panic!("{what}: {told}: {}", done.stderr),
            }
        }
    }
    let done = run(one, &["repair", "--all-safe", "--yes"]);
    assert_eq!(done.status, Some(0), "{what}: {}", done.stderr);
    if files(one) != before {
        undo("all safe");
    }
}

#[test]
fn every_fix_of_a_damaged_log_is_undone_in_every_format() {
    for (number, own) in LOGS.into_iter().enumerate() {
        let mut known = HashSet::new();
        for (at, (name, damage)) in DAMAGES.iter().enumerate() {
            // Each format has other damage in the short form.
            if !tries::is_long() && at % (2 * LOGS.len()) != 2 * number + number % 2 {
                continue;
            }
            let bytes = damage(&records(own.0, 1));
            let Ok(text) = String::from_utf8(bytes) else { continue };
            each_is_undone(&One::of(own, &text), &format!("{} {name}", own.0), &mut known);
        }
    }
}
