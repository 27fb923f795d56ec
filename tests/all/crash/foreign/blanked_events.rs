//! An agent that appends to a log of numbered events while one of them is blanked.

use std::path::Path;

use palimp::disk::Disk;
use palimp::model::Entry;
use palimp::ops;
use palimp::store::erase::ErasureScope;
use palimp::store::write::Writer;

use super::begun;
use super::deeds::{DEEDS, bytes_of};
use super::town::{erasure_of, load, path_of};
use crate::crash::bench::host;
use crate::crash::machine::Still;

/// Events have numbers. Those that an agent adds follow those that are blanked where they are.
#[test]
fn an_event_is_erased_though_an_agent_appends_to_the_log_at_every_step() {
    const BUNDLE: &str = "agent-memory";
    let log = path_of(BUNDLE, Path::new("history/events.jsonl"));
    let begin = begun(BUNDLE, DEEDS.iter().find(|deed| deed.name == "erase").unwrap()).unwrap();
    let store = load(&begin, BUNDLE);
    let is_event = |entry: &Entry| store.document(entry).path.ends_with("history/events.jsonl");
    let (plan, targets) = erasure_of(&begin, &store, &is_event).unwrap();
    let gone = store.raw(store.entries.iter().find(|entry| is_event(entry)).unwrap()).to_vec();
    let line = |number: usize| {
        let summary = format!("Another, {number}.");
        let event =
            serde_json::json!({"id": format!("evt-{number:06}"), "kind": "tool_run", "summary": summary});
        format!("{event}\n").into_bytes()
    };
    for every in [1, 3, usize::MAX] {
        let disk = begin.restart();
        let (to, mut step, mut count) = (log.clone(), 0, 90);
        disk.before(move |_, other| {
            step += 1;
            if (step - 1) % every == 0 && count < 99 {
                count += 1;
                other.append(&to).unwrap().write(&line(count)).unwrap();
            }
        });
        let machine = Still::first();
        let erased = Writer::open(host(&disk, &machine), &store).and_then(|writer| {
            writer.erase(
                &plan,
                ErasureScope { targets: &targets, ..ErasureScope::default() },
                ops::erase::DEFAULT_REASON,
            )
        });
        let erased = erased.unwrap_or_else(|error| panic!("every {every}: {error}"));
        assert_eq!(erased.left, Vec::<String>::new(), "every {every}");
        let now = bytes_of(&disk, &log).unwrap();
        assert!(!now.windows(gone.len()).any(|own| own == gone), "every {every}");
        let added = String::from_utf8_lossy(&now).matches("Another, ").count();
        assert_eq!(added, if every == usize::MAX { 1 } else { 9 }, "every {every}");
    }
}
