//! Tasks that search and read, and change nothing.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::{Evening, evenings, sizes};
use crate::support::SOON;
use crate::support::terminal::Program;

const FIRST: &str = "Send one key with every charge retry";

#[test]
fn a_topic_is_found_and_why_it_matters_is_read() {
    evenings(0, |evening| {
        evening.searches("retry key", FIRST);
        evening.sees("Make the key once per");
        evening.took(2);
    });
}

#[test]
fn why_the_first_hit_is_first_is_said_in_words() {
    evenings(1, |evening| {
        evening.searches("retry key", FIRST);
        evening.ask("w why", "why");
        evening.sees("\"retry\" is in decision, title");
        evening.took(7);
    });
}

#[test]
fn what_an_agent_writes_shows_at_once_behind_a_torn_line_too() {
    let ends = ["{\"id\":\"mem_x\",\"session_id\":\"outage_jan_29\",\"time", ""];
    for (number, torn) in crate::support::tries::some(ends, &[0]).into_iter().enumerate() {
        for size in sizes(number) {
            let evening = Evening::before();
            // After each read, stores rest for a multiple of the time that it took: one is soon read again.
            for other in ["team", "shop", "web", "notes"] {
                std::fs::remove_dir_all(evening.stores().join(other)).unwrap();
            }
            looks_in(&evening, "2026-02-01T11:00:00Z");
            let mut evening = evening.open(size);
            let line = json!({"id": "mem_of_the_agent", "session_id": "checkout_rework", "type": "finding",
                "timestamp": "2026-02-01T11:59:00Z", "content": {"finding": "The agent saw a comet"},
                "importance": 0.9, "tags": [], "references": []});
            let log = evening.stores().join("ops/memory/sessions/checkout_rework/memory.jsonl");
            let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
            log.write_all(format!("{torn}{line}\n").as_bytes()).unwrap();
            evening.sees("The agent saw a comet");
            evening.press("g go to");
            evening.press("n new");
            evening.sees("New since");
            evening.sees("The agent saw a comet");
            evening.took(2);
            evening.leaves();
        }
    }
}

/// An earlier visit: memories written after it are new.
fn looks_in(evening: &Evening, now: &str) {
    let (stores, data) = (evening.stores(), evening.data());
    let args = [stores.to_str().unwrap(), "--now", now, "--data-dir", data.to_str().unwrap()];
    let mut terminal = Program::new(env!("CARGO_BIN_EXE_palimp"), args).spawn(24, 80);
    terminal.wait_for_text(&format!("1 of {}", evening.list(&[]).len()), SOON);
    terminal.quit();
}

#[test]
fn secrets_are_found_and_stay_masked() {
    evenings(1, |evening| {
        let mut found = evening.verb(&["secrets", "--json"]).json_lines();
        // What is in copies has no key, and no row on screen.
        found.retain(|row| !row["key"].is_null());
        evening.press("g go to");
        evening.press("x secrets");
        evening.sees(&format!("1 of {}", found.len()));
        evening.sees(found[0]["masked"].as_str().unwrap());
        evening.took(2);
    });
}

#[test]
fn what_is_found_is_exported() {
    evenings(0, |evening| {
        evening.searches("retry key", FIRST);
        let file = evening.demo.folder().join("retries.md");
        evening.ask("export", "export");
        evening.sees("Enter do it");
        evening.types(file.to_str().unwrap());
        evening.press("Enter do it");
        evening.sees("Exported ");
        assert!(std::fs::read_to_string(&file).unwrap().contains(FIRST));
        evening.took(11);
    });
}

#[test]
fn duplicates_are_grouped_and_those_that_are_marked_are_equal() {
    for size in sizes(1) {
        let evening = Evening::before();
        write_again(&evening.stores().join("team/memories/learnings.jsonl"));
        let mut evening = evening.open(size);
        let before = evening.list(&[]);
        evening.ask("= duplicates", "duplicates");
        evening.sees("group by group");
        evening.sees(" marked · ");
        evening.took(12);
        // The notice is in the line of the hints until the next key.
        evening.arrows("\x1b[B", 1);
        evening.press("d remove");
        evening.press("x  delete");
        evening.sees("Deleted ");
        evening.took(15);
        let after = evening.list(&[]);
        let is_left = |own: &&serde_json::Value| after.iter().any(|one| one["key"] == own["key"]);
        let gone: Vec<_> = before.iter().filter(|own| !is_left(own)).collect();
        assert!(!gone.is_empty());
        for own in gone {
            let says_it = |one: &serde_json::Value| fields(&one["raw"]) == fields(&own["raw"]);
            assert!(after.iter().any(says_it), "nothing says all of {own}");
        }
        evening.leaves();
    }
}

/// Appends the last complete line of a log again, with another id.
fn write_again(log: &Path) {
    let text = std::fs::read_to_string(log).unwrap();
    let id = |line: &str| {
        let own: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(own["id"].as_str()?.to_owned())
    };
    let (line, id) = text.lines().rev().find_map(|line| Some((line, id(line)?))).unwrap();
    let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    writeln!(log, "{}", line.replace(&id, "0e1f2a3b-4c5d-4e6f-8a7b-0c1d2e3f4a5b")).unwrap();
}

/// Returns the contents of a memory, without its ids.
fn fields(raw: &serde_json::Value) -> Option<serde_json::Map<String, serde_json::Value>> {
    let mut own: serde_json::Map<_, _> = serde_json::from_str(raw.as_str()?).ok()?;
    own.retain(|name, _| !matches!(name.as_str(), "id" | "event_id" | "checksum"));
    Some(own)
}
