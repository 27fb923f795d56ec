//! A change does what its preview shows, whatever agents append in between.

use std::collections::BTreeSet;

use palimp::disk::Machine;
use palimp::model::{Entry, Plan};
use palimp::ops::{self, WriteContext};

use super::part::Playing;
use super::town::{Town, logs};

/// Plans a change of all matching records, and applies it while agents append more such records.
fn planned_before(
    format: &'static str,
    make: impl Fn(&WriteContext<'_>, &[Entry]) -> Plan,
) -> [BTreeSet<String>; 3] {
    let town = Town::new(format, 25);
    let store = town.load();
    let (log, _) = logs(format);
    let shown: Vec<Entry> =
        store.entries.iter().filter(|entry| store.document(entry).path == log).copied().collect();
    let context = WriteContext {
        store: &store,
        now: town.clock.now(),
        random: [1; 16],
        compressed_files: &palimp::format::writing::NO_COMPRESSED_FILES,
    };
    let plan = make(&context, &shown);
    let before: BTreeSet<String> = town.records().into_keys().collect();
    let first = town.part("opener", 20, 0).start();
    assert_eq!(first.end(), Vec::<String>::new());
    let parts = [town.part("literal", 20, 0), town.part("keeper", 200, 0)];
    let agents: Vec<Playing> = parts.iter().map(|part| part.start()).collect();
    town.commit(&store, &plan).unwrap();
    assert_eq!(agents.into_iter().flat_map(Playing::end).collect::<Vec<_>>(), Vec::<String>::new());
    town.settle();
    let found = town.records();
    assert!(found.values().all(|own| own.len() == 1));
    let tagged = |id: &&String| found[*id][0]["tags"].as_array().unwrap().contains(&"shown".into());
    let tagged = found.keys().filter(tagged).cloned().collect();
    [before, found.into_keys().collect(), tagged]
}

#[test]
fn a_deletion_that_was_planned_before_others_appended_takes_what_was_shown_and_no_more() {
    for format in ["memory-server", "session-log"] {
        let gone = ops::delete::DeleteRequest { remove: true, ..Default::default() };
        let [before, after, _] =
            planned_before(format, |context, shown| ops::delete::delete(context, shown, gone).unwrap());
        assert_eq!(before.len(), 25);
        assert!(before.is_disjoint(&after), "{format}: what was shown is gone");
        assert_eq!(after.len(), 20 + 20 + 200, "{format}: what came later stays");
    }
}

#[test]
fn a_tag_that_was_planned_before_others_appended_marks_what_was_shown_and_no_more() {
    for format in ["memory-server", "session-log"] {
        let [before, after, tagged] = planned_before(format, |context, shown| {
            ops::tag::tag(context, shown, &["shown".to_owned()], &[]).unwrap()
        });
        assert_eq!(before, tagged, "{format}");
        assert_eq!(after.len(), 25 + 20 + 20 + 200, "{format}");
    }
}
