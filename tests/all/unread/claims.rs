//! palimp says nothing about what it did not read: files derived from it are not compared with the rest.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::each_file::Site;

/// Problems from comparing files with each other.
const COMPARING: &str = "index-stale count-mismatch hash-mismatch projection-stale entry-block-stale \
    dangling-reference";

#[test]
fn what_is_made_of_a_file_that_cannot_be_read_is_not_compared_with_the_others() {
    let site = Site::new();
    for (store, file) in [
        ("team/memories", "learnings.jsonl"),
        ("ops/memory", "sessions/release_4_3/memory.jsonl"),
        ("shop/.bmad/memory", "sessions/double-charge/decisions.jsonl"),
        ("notes/.chora/memory", "knowledge/notes/cache-keys.md"),
        ("web/.agent-memory", "history/events.jsonl"),
    ] {
        let root = site.store(store);
        let file = root.join(file);
        fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
        let rows = site.run(&["check", "--json"], Some(&root)).json_lines();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let codes: Vec<&str> = rows.iter().filter_map(|row| row["code"].as_str()).collect();
        assert!(codes.contains(&"unreadable-file"), "{store}: {codes:?}");
        let folder = file.parent().unwrap();
        let is_claim = |row: &&serde_json::Value| {
            let own = root.join(row["file"].as_str().unwrap());
            COMPARING.split(' ').any(|code| row["code"] == code)
                && (row["code"] == "dangling-reference" || folder.starts_with(own.parent().unwrap()))
        };
        let claims: Vec<_> = rows.iter().filter(is_claim).collect();
        assert!(claims.is_empty(), "{store}: {claims:?}");
    }
}
