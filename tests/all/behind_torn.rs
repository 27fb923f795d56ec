//! An intact memory behind a torn one on its line is treated like any other: it is
//! changed and deleted. The torn part keeps its bytes.

use crate::support::DemoStore;

use serde_json::Value;

const STORES: [(&str, &str); 5] = [
    ("team/memories", "type:learning"),
    ("ops/memory", "session:release_4_3 type:finding"),
    ("shop/.bmad/memory", "session:double-charge type:finding"),
    ("notes/.chora/memory", "type:event"),
    ("web/.agent-memory", "is:live"),
];

/// Returns a live memory of a log that is alone on its line, and its file.
fn alone(desk: &DemoStore, query: &str) -> Value {
    let mut rows = desk.list(query);
    rows.retain(|row| row["file"].as_str().is_some_and(|file| file.ends_with(".jsonl")));
    rows.into_iter().find(|row| row["state"] == "live" && row["record"].is_null()).unwrap()
}

fn text<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap_or_else(|| panic!("{name}: {row}"))
}

fn bytes_of<'f>(row: &Value, file: &'f str) -> &'f str {
    let place = if row["record"].is_null() { &row["byte"] } else { &row["record"] };
    let at = |own: usize| place[own].as_u64().unwrap() as usize;
    file.get(at(0)..at(1)).unwrap_or_default().trim_end_matches(['\n', '\r'])
}

fn fresh(raw: &str) -> String {
    let own: Value = serde_json::from_str(raw).unwrap();
    let names = ["event_id", "id", "timestamp"];
    let last = names.iter().find_map(|name| own[name].as_str()).unwrap();
    // In a time, these are the last digits before its zone.
    let end = last.rfind('+').unwrap_or(last.len());
    let other = format!("{}999{}", &last[..end - 3], &last[end..]);
    raw.replace(last, &other).replacen("\"checksum\"", "\"was\"", 1)
}

/// Returns places to cut a memory: in its first name, in a text, before a value, and after a member.
fn cuts(raw: &str) -> [usize; 4] {
    let middle = (raw.len() / 2..).find(|at| raw.is_char_boundary(*at)).unwrap();
    let value = raw[..middle].rfind("\":").unwrap() + 2;
    let member = raw[..middle].rfind(",\"").unwrap_or(value) + 1;
    [3, middle, value, member]
}

#[test]
fn a_memory_behind_a_torn_one_is_changed_and_deleted_and_what_is_torn_stays() {
    for (store, query) in crate::support::tries::some(STORES, &[0, 1]) {
        let desk = DemoStore::new(store);
        let row = alone(&desk, query);
        let (file, raw) = (text(&row, "file"), text(&row, "raw"));
        let torn = &raw[..cuts(raw)[1]];
        let now = format!("{}{torn}{}\n", desk.text_of(file), fresh(raw));
        std::fs::write(desk.store.join(file), &now).unwrap();
        let rows = desk.list("is:live");
        let own = rows.iter().find(|row| bytes_of(row, &now) == fresh(raw)).unwrap();
        let key = text(own, "key");
        for verb in [&["tag", key, "+seen"][..], &["delete", key]] {
            let done = desk.change(verb);
            if done.status != Some(0) {
                // Events are never changed, and the reason says so.
                let is_reason = |why: &&str| done.stderr.contains(why);
                let why = ["append-only", "event", "has no tags"];
                assert!(why.iter().any(is_reason), "{store}: {}", done.stderr);
                assert_eq!(desk.text_of(file), now, "{store}: {verb:?}");
                continue;
            }
            let after = desk.text_of(file);
            assert!(after.lines().any(|line| line.starts_with(torn)), "{store}, {verb:?}: {after}");
            let rest = |text: &str| {
                text.lines().take(now.lines().count() - 1).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(rest(&after), rest(&now), "{store}, {verb:?}");
            desk.change(&["undo"]).expect_status(0);
            assert_eq!(desk.text_of(file), now, "{store}: {verb:?}");
        }
        desk.change(&["repair", "--code", "glued-records"]).expect_status(0);
        let left = desk.text_of(file);
        let split = [torn, &fresh(raw)];
        assert!(split.iter().all(|own| left.lines().any(|line| line == *own)), "{store}: {left}");
    }
}
