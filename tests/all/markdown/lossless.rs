//! Whatever is in a folder, opening it changes nothing, and an edit changes one memory.

use proptest::prelude::*;

use crate::support::{Files, TempStore, Verb};

const LINES: &str = "# Heading§plain text§- [a](a.md) — hook§- [gone](gone.md)§§   §trailing  §\
    <!-- comment -->§<!-- open§`mem:x` [[a]]§---§key: value: more§é 漢字 🙂§\t tab§* item§| a | b |";

fn body(picks: &[usize], end: &str, is_ended: bool) -> String {
    let text: Vec<&str> = picks.iter().map(|at| LINES.split('§').nth(*at).unwrap()).collect();
    let text = text.join(end);
    if is_ended { text + end } else { text }
}

fn run(store: &TempStore, data: &str, words: &[&str]) -> Option<i32> {
    let own = ["--store", store.path.to_str().unwrap(), "--data-dir", data];
    Verb::new(words.iter().chain(&own).copied()).run().status
}

proptest! {
    #![proptest_config(crate::support::tries::config(8, 300))]

    #[test]
    fn an_edit_keeps_every_other_byte_of_the_folder(
        index in proptest::collection::vec(0_usize..16, 0..12),
        topic in proptest::collection::vec(0_usize..16, 1..12),
        other in proptest::collection::vec(0_usize..16, 1..12),
        crlf: bool,
        is_ended: bool,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let front = ["---", "name: a", "description:  'about a'  # why", "metadata: ", "  type: project", "---", ""].join(end);
        let files = Files::default()
            .with("MEMORY.md", format!("- [a](a.md) — x{end}{}", body(&index, end, is_ended)))
            .with("a.md", format!("{front}{}", body(&topic, end, is_ended)))
            .with("b.md", body(&other, end, is_ended));
        let store = files.build(".claude/memory");
        let data = crate::support::folder::new();
        let data = data.path().to_str().unwrap();
        let before = ["MEMORY.md", "a.md", "b.md"].map(|name| store.read(name));
        prop_assert_eq!(run(&store, data, &["list", "--json"]), Some(0));
        run(&store, data, &["check", "--json"]);
        prop_assert_eq!(&before, &["MEMORY.md", "a.md", "b.md"].map(|name| store.read(name)));
        prop_assert_eq!(run(&store, data, &["edit", "a", "--set", "description=new", "--yes"]), Some(0));
        let own = store.text("a.md");
        let expected = String::from_utf8(before[1].clone()).unwrap().replacen("'about a'", "'new'", 1);
        prop_assert_eq!(own, expected);
        prop_assert_eq!([&before[0], &before[2]], [&store.read("MEMORY.md"), &store.read("b.md")]);
        prop_assert_eq!(run(&store, data, &["undo", "--yes"]), Some(0));
        prop_assert_eq!(&before[1], &store.read("a.md"));
    }
}
