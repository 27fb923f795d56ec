//! Tasks that change something, and the stores afterwards.

use super::{Evening, SOON, evenings, sizes};

#[test]
fn a_torn_line_is_repaired_and_says_something_then() {
    evenings(0, |evening| {
        let before = evening.list(&["is:broken"]).len();
        evening.press("g go to");
        evening.press("p problems");
        evening.sees("▌Problems");
        evening.goes_down_to("torn line");
        evening.press("F fix");
        evening.sees("Nothing is changed yet");
        assert!(!evening.screen().contains("\"content\":{}"), "nothing of it is left\n{}", evening.screen());
        evening.agrees();
        evening.sees("Repaired \"torn line\"");
        assert_eq!(evening.list(&["is:broken"]).len(), before - 1);
        evening.took(8);
    });
}

#[test]
fn a_topic_of_the_last_month_is_deleted_and_comes_back_by_undo() {
    evenings(1, |evening| {
        let query = "pool since:-30d is:live";
        let (before, count) = (evening.files(), evening.list(&[query]).len());
        assert!(count > 5, "{count}");
        evening.searches(query, &format!("1 of {count}"));
        evening.ask("* mark all", "mark all");
        evening.sees(&format!("{count} marked"));
        evening.press("d remove");
        evening.press("x  delete");
        evening.sees("Nothing is changed yet");
        assert_eq!(evening.files(), before);
        evening.agrees();
        evening.sees(&format!("Deleted {count} memories"));
        assert_eq!(evening.list(&[query]).len(), 0);
        evening.took(15);
        evening.press("u to undo");
        evening.sees("Undid: deleted");
        assert_eq!(evening.list(&[query]).len(), count);
        evening.took(16);
    });
}

#[test]
fn a_memory_is_edited_with_a_mistake_that_is_told_before_it_is_saved() {
    evenings(0, |evening| {
        evening.searches("id:mem_no_retries", "1 of 1");
        let before = evening.files();
        evening.ask("e edit", "edit");
        evening.sees("F2 save");
        while !evening.screen().contains("▶importance") {
            let field = evening.row("field ").unwrap_or_default();
            evening.press("Tab field");
            evening.terminal().wait_for(|screen| !screen.contents().contains(field.trim()), SOON);
        }
        evening.types("x");
        evening.sees("✖1");
        evening.press("F2 save");
        evening.sees("It is not saved");
        assert_eq!(evening.files(), before);
        evening.types("\x7f5");
        evening.sees("✖0");
        evening.press("F2 save");
        evening.sees("Saved \"No retries of tests in CI\"");
        let own = &evening.list(&["id:mem_no_retries"])[0];
        assert!(
            own["raw"].as_str().unwrap().contains("5,") && own["importance"].as_f64().unwrap() > 0.0,
            "{own}"
        );
        evening.took(22);
    });
}

#[test]
fn twenty_memories_are_tagged() {
    evenings(1, |evening| {
        let query = "store:ops type:conversation is:live";
        let count = evening.list(&[query]).len();
        evening.searches(query, &format!("1 of {count}"));
        for _ in 0..20 {
            evening.press("Space mark");
        }
        evening.sees("20 marked");
        evening.ask("t tag", "tag");
        evening.sees("new -old");
        evening.types("reviewed");
        evening.press("Enter do it");
        evening.agrees();
        evening.sees("Tagged 20 memories");
        assert_eq!(evening.list(&["tag:reviewed"]).len(), 20);
        evening.took(26);
    });
}

#[test]
fn three_memories_that_were_lost_come_back_of_a_backup() {
    for size in sizes(0) {
        let evening = Evening::before();
        let log = evening.stores().join("team/memories/learnings.jsonl");
        evening.verb_on("team", &["backup", "create", "--yes"]).expect_status(0);
        let whole = std::fs::read_to_string(&log).unwrap();
        let left: Vec<&str> =
            whole.lines().enumerate().filter(|(at, _)| ![3, 5, 8].contains(at)).map(|own| own.1).collect();
        std::fs::write(&log, left.join("\n") + "\n").unwrap();
        let mut evening = evening.open(size);
        evening.ask("r backups", "backups");
        // The cursor goes to the first intact backup once that is known.
        evening.sees("intact");
        evening.goes_down_to("learnings");
        evening.press("Enter open");
        evening.sees("3 marked");
        evening.press("r bring back 3");
        evening.agrees();
        evening.sees("Restored 3 memories");
        let now = std::fs::read_to_string(&log).unwrap();
        assert!(whole.lines().all(|line| now.contains(line)));
        evening.took(18);
        evening.leaves();
    }
}

#[test]
fn a_memory_is_archived_and_comes_back() {
    evenings(1, |evening| {
        let query = "\"need no key\"";
        evening.searches(query, "1 of 1");
        evening.press("d remove");
        evening.press("a  archive");
        evening.sees("Archived \"");
        assert_eq!(evening.list(&[query, "is:archived"]).len(), 1);
        evening.searches(&format!("{query} is:archived"), "1 of 1");
        evening.press("d remove");
        evening.press("b  bring back");
        evening.sees("Brought back \"");
        assert_eq!(evening.list(&[query, "is:live"]).len(), 1);
        evening.took(8);
    });
}

#[test]
fn what_fades_is_rescued_and_seen_to_be() {
    evenings(0, |evening| {
        evening.press("g go to");
        evening.press("m upkeep");
        evening.sees("Due now");
        evening.press("/ filter");
        evening.types("fades");
        evening.press("Enter keep");
        let title = "Move the mail credentials";
        evening.sees("<1 d");
        assert!(evening.row(title).is_some_and(|row| row.contains("<1 d")), "{}", evening.screen());
        evening.press("Enter open");
        evening.ask("p pin", "pin");
        evening.sees("· u to undo");
        evening.took(12);
    });
}

#[test]
fn one_memory_is_erased_and_what_was_not_reached_is_said() {
    evenings(1, |evening| {
        evening.press("d remove");
        evening.press("e  erase");
        evening.sees("Type `erase 1`");
        evening.types("erase 1");
        evening.press("Enter do it");
        evening.sees("What no program can reach");
        evening.sees("agents that have read it before");
        assert_eq!(evening.list(&["\"Send one key with every charge retry\" is:live store:shop"]).len(), 0);
        evening.press("Esc close");
        evening.terminal().wait_for(|screen| !screen.contents().contains("▌Receipt"), SOON);
        evening.took(4);
    });
}
