//! A memory that was moved has other names in older copies.

use std::fs;

use serde_json::{Value, json};

use super::found;
use crate::move_records::{Site, finding};

fn record(format: &str, text: &str) -> Value {
    match format {
        "bmad" => finding(text),
        _ => json!({"id": "mem_1", "content": {"finding": text}}),
    }
}

#[test]
fn an_erasure_takes_the_versions_from_before_a_move_and_leaves_who_has_the_id_now() {
    for format in ["session-log", "bmad"] {
        let site = Site::new(format);
        let [first, second] = [1, 2].map(|number| format!("the safe of {}", number * 7_919));
        let id = site.add(0, "finding", record(format, &first));
        let log = found(&site.session(0), std::slice::from_ref(&first)).remove(0);
        // An agent's own copies, of two versions.
        fs::copy(&log, log.with_extension("jsonl.bak")).unwrap();
        let one = format!("{}/{id}", site.sessions[0]);
        let field = if format == "bmad" { "description" } else { "content.finding" };
        site.run(&["edit", &one, "--set", &format!("{field}={second}")]).expect_status(0);
        fs::copy(&log, log.with_extension("jsonl.backup.20260101_100000")).unwrap();
        site.run(&["move", &one, "--to", &site.sessions[1]]).expect_status(0);
        let moved = site.ids(1).pop().unwrap();
        let other = "another memory with the id that is free now";
        let again = site.add(0, "finding", record(format, other));
        fs::copy(&log, log.with_extension("jsonl.bak2")).unwrap();
        assert_eq!(again, id);
        let texts = [first, second];
        assert!(found(site.folder.path(), &texts).len() > 3, "{format}");
        let moved = format!("{}/{moved}", site.sessions[1]);
        let row = site.run(&["erase", "--json", &moved]).expect_status(0).json_lines();
        assert_eq!(row.last().unwrap()["left"], json!([]), "{format}");
        assert_eq!(found(site.folder.path(), &texts), [""; 0].map(std::path::PathBuf::from), "{format}");
        assert_eq!(site.ids(0), [id], "{format}");
        let copies = [&log, &log.with_extension("jsonl.bak2")];
        assert!(copies.iter().all(|own| fs::read_to_string(own).unwrap().contains(other)), "{format}");
    }
}
