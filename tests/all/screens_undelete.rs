//! Removed memories in the screens: the same ones as the verbs list, and a key restores them.

use crate::support;

use support::{DemoStore, SOON};

const NOW: &str = "2026-02-01T12:00:00Z";

fn raws(desk: &DemoStore, query: &str) -> Vec<String> {
    let mut raws: Vec<String> = desk.list(query).iter().map(|row| row["raw"].to_string()).collect();
    raws.sort();
    raws
}

/// Stores of the demo, and verbs that remove records from them.
const CASES: [(&str, &[&[&str]]); 5] = [
    ("team/memories", &[&["delete", "--query", "type:learning limit:3"]]),
    (
        "ops/memory",
        &[
            &["delete", "--remove", "--query", "session:release_4_3 type:finding limit:2"],
            &["session", "delete", "checkout_rework"],
        ],
    ),
    ("web/.agent-memory", &[&["delete", "gotchas.0", "gotchas.1"]]),
    ("shop/.bmad/memory", &[&["delete", "--query", "type:finding limit:3"]]),
    ("notes/.chora/memory", &[&["delete", "--remove", "--query", "type:note limit:2"]]),
];

#[test]
fn what_was_removed_is_listed_as_the_verb_lists_it_and_comes_back_with_a_key_and_undo_takes_that_back() {
    for (at, (store, deletions)) in crate::support::tries::some(CASES, &[1]).into_iter().enumerate() {
        let desk = DemoStore::at(store, NOW);
        deletions.iter().for_each(|words| drop(desk.change(words).expect_status(0)));
        let (gone, live) = (raws(&desk, "is:deleted"), raws(&desk, "is:live"));
        let all = gone.len();
        assert!(all >= 2, "{store}");
        let mut terminal = desk.open(if at % 2 == 0 { (36, 120) } else { (24, 80) });
        terminal.wait_for_text("1 of ", SOON);
        terminal.send_and_see("/is:deleted\r", &format!("1 of {all}"));
        // One, and undo.
        terminal.send_and_see("dr", "Restored ");
        terminal.wait_until(|| raws(&desk, "is:deleted").len() < all, SOON);
        terminal.wait_for_text(&format!("of {}", raws(&desk, "is:deleted").len()), SOON);
        terminal.send_and_see("u", "Undid: restored");
        terminal.wait_for_text(&format!("of {all}"), SOON);
        assert_eq!((raws(&desk, "is:deleted"), raws(&desk, "is:live")), (gone.clone(), live), "{store}");
        // All of them: a plan first.
        terminal.send_and_see("*d", "Remove ");
        terminal.send_and_see("r", &format!("Restore {all} memories"));
        terminal.send_and_see("y", "Restored ");
        assert_eq!(raws(&desk, "is:deleted"), Vec::<String>::new(), "{store}");
        let back = raws(&desk, "is:live");
        assert!(gone.iter().all(|raw| back.contains(raw)), "{store}");
        terminal.send_and_see("u", "Undid: restored");
        assert_eq!(raws(&desk, "is:deleted"), gone, "{store}");
        terminal.quit();
    }
}
