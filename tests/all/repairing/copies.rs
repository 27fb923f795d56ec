//! Repairs from intact copies: traces and their log, checkpoints, and the sources of pages and counts.

use std::fs;
use std::path::Path;

use crate::support::DemoStore;
use serde_json::Value;

fn fixes(desk: &DemoStore, code: &str, file: &str) -> Vec<Value> {
    let rows = desk.run(&["check", "--json"]).json_lines();
    let own = rows.into_iter().find(|row| row["code"] == code && row["file"] == file);
    let own = own.unwrap_or_else(|| panic!("no {code} in {file}"));
    own["fixes"].as_array().unwrap().clone()
}

fn tear(path: &Path, line: usize, keeps: usize) -> (String, String) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<&str> = text.split('\n').collect();
    let whole = lines[line].to_owned();
    lines[line] = &whole[..whole.len() * keeps / 100];
    let torn = lines.join("\n");
    fs::write(path, &torn).unwrap();
    (text, torn)
}

#[test]
fn an_event_is_filled_from_its_trace_and_a_trace_from_its_log() {
    for file in ["events/2026-11/events.jsonl", "events/2026-11/traces/outage-checkout.jsonl"] {
        for keeps in [30, 60, 99] {
            let desk = DemoStore::new("notes/.chora/memory");
            let file = match desk.store.join(file).exists() {
                true => file.to_owned(),
                // The times of the demo begin today.
                false => trace_or_log(&desk, file.contains("traces")),
            };
            let (was, torn) = tear(&desk.store.join(&file), 0, keeps);
            let first = &fixes(&desk, "torn-line", &file)[0];
            let title = first["title"].as_str().unwrap();
            assert!(title.starts_with("fill it from "), "{file}, {keeps}: {title}");
            desk.change(&["repair", "--code", "torn-line"]).expect_status(0);
            assert_eq!(desk.text_of(&file).lines().next(), was.lines().next(), "{file}, {keeps}");
            desk.change(&["undo"]).expect_status(0);
            assert!(desk.text_of(&file).starts_with(torn.trim_end()), "{file}, {keeps}");
        }
    }
}

fn trace_or_log(desk: &DemoStore, is_trace: bool) -> String {
    let rows = desk.list("type:event");
    let files =
        rows.iter().filter_map(|row| row["file"].as_str()).filter(|file| file.ends_with("events.jsonl"));
    let log = files.max().unwrap();
    if !is_trace {
        return log.to_owned();
    }
    let folder = Path::new(log).parent().unwrap().join("traces");
    let mut names: Vec<_> =
        fs::read_dir(desk.store.join(&folder)).unwrap().map(|own| own.unwrap().file_name()).collect();
    names.sort();
    folder.join(&names[0]).to_str().unwrap().to_owned()
}

#[test]
fn a_state_that_can_t_be_read_is_restored_from_the_latest_checkpoint() {
    for damage in ["half", "hello\n", "\"hello\"", ""] {
        let desk = DemoStore::new("web/.agent-memory");
        let path = desk.store.join("state.json");
        let was = fs::read_to_string(&path).unwrap();
        let now = if damage == "half" { &was[..was.len() / 2] } else { damage };
        fs::write(&path, now).unwrap();
        let first = &fixes(&desk, "bad-json", "state.json")[0];
        let title = first["title"].as_str().unwrap();
        assert!(title.starts_with("restore it from the checkpoint chk-"), "{damage}: {title}");
        let reason = first["reason"].as_str().unwrap();
        assert!(
            reason.contains("maintenance") && reason.contains("bundle") || reason.contains("Different from"),
            "{reason}"
        );
        desk.change(&["repair", "--code", "bad-json"]).expect_status(0);
        let [before, after]: [Value; 2] =
            [was.clone(), desk.text_of("state.json")].map(|own| serde_json::from_str(&own).unwrap());
        for name in ["bundle", "bundleHash", "schemaVersion"] {
            assert_eq!(after[name], before[name], "{damage}: {name}");
        }
        for name in ["historyEventCount", "importSourceCount", "latestCheckpointId"] {
            assert_eq!(after["maintenance"][name], before["maintenance"][name], "{damage}: {name}");
        }
        let left = desk.run(&["check", "--json"]).json_lines();
        let is_of_state = |row: &&Value| row["file"] == "state.json" && row["severity"] == "error";
        assert_eq!(left.iter().find(is_of_state), None, "{damage}");
        desk.change(&["undo"]).expect_status(0);
        assert_eq!(desk.text_of("state.json"), now);
    }
}

#[test]
fn what_people_wrote_into_pages_stays_and_what_was_cut_is_told_and_not_written() {
    let desk = DemoStore::new("web/.agent-memory");
    let page = desk.store.join("../docs/agent-memory/gotchas.md");
    desk.change(&["reindex"]).expect_status(0);
    let whole = fs::read_to_string(&page).unwrap();
    let cut = whole[..whole.find("Symptom: ").unwrap()].to_owned();
    for own in
        [format!("{whole}\nA person wrote this.\n"), "# Another page\n\nOf a person.\n".to_owned(), cut]
    {
        fs::write(&page, &own).unwrap();
        desk.change(&["reindex"]);
        assert_eq!(fs::read_to_string(&page).unwrap(), own);
        let rows = desk.run(&["check", "--json"]).json_lines();
        assert!(rows.iter().any(|row| row["code"] == "projection-stale" && row["fix"] == "none"), "{own}");
    }
    let (_, body) = whole.split_once('\n').unwrap();
    fs::write(&page, format!("<!-- reviewed by Ann -->\n{body}")).unwrap();
    desk.change(&["reindex"]);
    assert!(fs::read_to_string(&page).unwrap().contains("<!-- reviewed by Ann -->\n"));
}

#[test]
fn the_size_in_the_manifest_of_an_archive_is_corrected() {
    let desk = DemoStore::new("shop/.bmad/memory");
    desk.change(&["session", "archive", "double-charge"]).expect_status(0);
    let file = "archive/double-charge.manifest.json";
    let was = desk.text_of(file);
    let size = was.find("\"compressed_size_bytes\"").unwrap() + "\"compressed_size_bytes\":".len();
    let digit = size + was[size..].find(|own: char| own.is_ascii_digit()).unwrap();
    fs::write(desk.store.join(file), format!("{}1{}", &was[..digit], &was[digit..])).unwrap();
    assert_eq!(fixes(&desk, "count-mismatch", file)[0]["safe"], true);
    desk.change(&["reindex"]).expect_status(0);
    assert_eq!(desk.text_of(file), was);
}
