//! Folders that other programs wrote.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::run;

/// Returns the rows of a verb for a folder of the shared data. `None`, with a message, if it is not here.
fn rows(name: &str, verb: &str) -> Option<Vec<Value>> {
    let folder: PathBuf =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/real/markdown")).join(name);
    if !folder.is_dir() {
        eprintln!("{} is not here: nothing was tested", folder.display());
        return None;
    }
    Some(run([verb, "--json", "--store", folder.to_str().unwrap()]).json_lines())
}

fn count(rows: &[Value], code: &str) -> usize {
    rows.iter().filter(|row| row["code"] == code).count()
}

#[test]
fn sub_agents_of_claude_code_are_read_whole_and_their_faults_are_found() {
    let Some(all) = rows("claude-agents", "list") else { return };
    assert_eq!(all.len(), 67);
    let found = rows("claude-agents", "check").unwrap();
    assert_eq!(count(&found, "orphan-note"), 1);
    assert_eq!(count(&found, "bad-front-matter"), 4);
    assert_eq!(count(&found, "dangling-reference"), 1);
    assert!(found.iter().all(|row| row["severity"] != "error"), "{found:?}");
}

#[test]
fn serenas_own_memories_are_read() {
    let Some(all) = rows("serena", "list") else { return };
    assert_eq!(all.len(), 6);
    let found = rows("serena", "check").unwrap();
    assert_eq!(count(&found, "dangling-reference"), 2);
    assert!(found.iter().all(|row| row["severity"] == "note"), "{found:?}");
}
