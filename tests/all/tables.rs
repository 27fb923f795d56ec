//! The look of lists on a terminal; a pipe gets lines for programs.

use serde_json::json;

use crate::support::{SOON, StoreBuilder, TempStore};

fn store() -> TempStore {
    let own = |id: &str, day: &str, text: &str| {
        json!({"id": id, "type": "finding", "timestamp": format!("2026-01-{day}T00:00:00Z"), "importance": 0.5,
            "content": {"finding": text}})
    };
    let long = format!("Retries of a charge{} need no key at all", " and again".repeat(6));
    let session = StoreBuilder::session_log().session("s");
    session.entry(own("mem_1", "10", &long)).entry(own("mem_2", "20", "The key of a charge")).build()
}

fn shown(store: &TempStore, words: &[&str], columns: u16) -> String {
    let terminal = store.on_terminal(words, (24, columns));
    terminal.wait_exit(SOON);
    terminal.screen(|screen| screen.contents())
}

#[test]
fn a_list_on_a_terminal_has_a_header_and_fits_and_a_pipe_gets_whole_lines() {
    let store = store();
    let table = shown(&store, &["list"], 80);
    let lines: Vec<&str> = table.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["TYPE", "SESSION", "AGE", "ID", "MEMORY"]);
    assert!(lines[1].contains("12d") && lines[1].ends_with("The key of a charge"), "{table}");
    assert!(lines[2].contains("mem_1") && lines[2].ends_with('…'), "{table}");
    let narrow = shown(&store, &["list"], 40);
    assert!(!narrow.contains("mem_1") && narrow.contains("Retries of"), "{narrow}");
    let piped = store.at_now(&["list"]).expect_status(0).stdout;
    assert!(!piped.contains("TYPE") && !piped.contains('…') && piped.contains("no key at all"), "{piped}");
}

#[test]
fn a_search_on_a_terminal_shows_the_line_that_matches_and_how_many_more_there_are() {
    let store = store();
    let found = shown(&store, &["search", "charge", "--limit", "1"], 80);
    assert!(found.contains("RANK") && found.contains("1 of 2. More: --limit 2"), "{found}");
    let other = StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1", "type": "conversation",
        "content": {"role": "user", "message": "The title\n\nand below it take a connection from the pool"}}));
    let found = shown(&other.build(), &["search", "pool"], 80);
    assert!(found.contains("… ") && found.contains("from the pool"), "{found}");
    assert!(shown(&store, &["search", "zebra"], 80).contains("no memory matches"));
}

#[test]
fn stores_and_sessions_on_a_terminal_are_tables() {
    let store = store();
    let stores = shown(&store, &["stores"], 100);
    let head = stores.lines().next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(head, "STORE FORMAT SESSIONS MEMORIES SIZE PATH", "{stores}");
    assert!(stores.contains("1 store, 2 memories"), "{stores}");
    let sessions = shown(&store, &["session", "list"], 100);
    assert!(sessions.lines().next().unwrap().ends_with("SESSION"), "{sessions}");
}

#[test]
fn a_question_says_what_is_done_to_how_many_until_when_it_can_be_undone_and_shows_them() {
    let store = store();
    let mut terminal = store.on_terminal(&["delete", "mem_2"], (24, 100));
    terminal.wait_for_text("y to delete, anything else cancels:", SOON);
    let asked = terminal.screen_text();
    assert!(asked.starts_with("Delete 1 memory? Undo until 3 March."), "{asked}");
    assert!(asked.contains("finding  12d  The key of a charge"), "{asked}");
    terminal.send_and_see("y\r", "deleted \"The key of a charge\"");
    terminal.wait_exit(SOON);
    assert_eq!(terminal.screen_text().matches("tombstones.jsonl").count(), 1, "the plan is shown once");
}

#[test]
fn an_export_without_a_format_suits_the_terminal_the_pipe_or_the_name_of_the_file() {
    let store = store();
    for words in [&["export"][..], &["session", "export", "s"]] {
        let on_screen = shown(&store, words, 80);
        assert!(on_screen.contains("\n## ") && !on_screen.contains('{'), "{on_screen}");
        let piped = store.at_now(words).expect_status(0).stdout;
        assert!(piped.lines().count() == 2 && piped.lines().all(|line| line.starts_with('{')), "{piped}");
        for (name, start) in
            [("a.md", "#"), ("b.CSV", "id,"), ("c.json", "["), ("d.jsonl", "{"), ("e", "{"), ("f.log", "{")]
        {
            let file = store.around().join(name);
            store.verb(words).run_into(&file);
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with(start), "{name}: {text}");
        }
    }
    let asked = store.at_now(&["export", "--format", "csv"]).expect_status(0).stdout;
    assert!(asked.starts_with("id,"), "{asked}");
}

#[test]
fn an_export_says_whose_secrets_it_masks_and_what_keeps_them() {
    let token = ["ghp_", &"k3".repeat(18)].concat();
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(json!({"content": {"finding": format!("The key is {token}")}}))
        .entries(2)
        .build();
    let export = |shape| store.at_now(&["export", "--format", shape]).expect_status(0);
    for shape in ["markdown", "csv"] {
        let (out, told) = (export(shape).stdout, export(shape).stderr);
        assert!(!out.contains(&token) && out.contains("The key is ghp_"), "{shape}: {out}");
        assert!(
            told.contains("The secrets of 1 memory are masked. JSON and JSON Lines keep them."),
            "{told}"
        );
    }
    for shape in ["json", "jsonl"] {
        assert!(export(shape).stdout.contains(&token), "{shape}");
        assert_eq!(export(shape).stderr, "", "{shape}");
    }
}

#[test]
fn figures_are_told_in_words_and_by_the_names_of_metrics_where_those_are_asked_for() {
    let store = store();
    let told = store.at_now(&["stats"]).expect_status(0).stdout;
    assert!(!told.contains("memory.") && !told.contains("null") && !told.contains(" 0 "), "{told}");
    assert!(told.contains("(session-log): 2 live, 1 session, ") && told.contains("  finding 2\n"), "{told}");
    let metrics = store.at_now(&["stats", "--metrics"]).expect_status(0).stdout;
    assert!(metrics.lines().all(|line| line.starts_with("memory.")), "{metrics}");
    let count = metrics.lines().find(|line| line.starts_with("memory.entries.total"));
    assert_eq!(count.and_then(|line| line.split_whitespace().nth(1)), Some("2"), "{metrics}");
}

#[test]
fn the_steps_of_the_journal_are_counted_and_a_journal_that_cannot_be_read_is_said() {
    let store = store();
    assert!(store.at_now(&["stats"]).expect_status(0).stdout.contains("palimp has changed nothing yet"));
    store.at_now(&["tag", "mem_1", "+one", "--yes"]).expect_status(0);
    store.at_now(&["undo", "--yes"]).expect_status(0);
    assert!(store.at_now(&["stats"]).expect_status(0).stdout.contains("palimp made 2 steps"));
    let own = std::fs::read_dir(store.data().join("stores")).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(own.join("journal.jsonl")).unwrap();
    std::fs::create_dir(own.join("journal.jsonl")).unwrap();
    store.at_now(&["stats", "--readonly"]).expect_status(1).expect_stderr("journal.jsonl");
}
