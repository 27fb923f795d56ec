//! What a tutor lets a new user do in the demo, done by verbs and with the same words.

use crate::support::demo::DemoStore;

use serde_json::Value;

const RIGHT: &str = "Send one key with every charge retry";
const LOST: &str = "Rollback steps for release 4.2";

fn titles(desk: &DemoStore, query: &str) -> Vec<String> {
    desk.list(query).iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_lost_memory_is_in_a_backup_that_is_intact_and_comes_back() {
    let desk = DemoStore::new("");
    let query = format!("\"{LOST}\" is:live");
    assert_eq!(desk.list(&query), Vec::<Value>::new());
    let backups = desk.run(&["backup", "list", "--verify", "--json"]).json_lines();
    let of = |is_intact: bool| -> Vec<&str> {
        let own = backups.iter().filter(|row| row["verified"] == is_intact);
        own.map(|row| row["backup"].as_str().unwrap()).collect()
    };
    assert_eq!((of(true).len(), of(false).len()), (1, 1), "{backups:?}");
    let gone = desk.list(&format!("\"{LOST}\" is:deleted"));
    let id = gone[0]["id"].as_str().unwrap();
    desk.change(&["backup", "restore", of(true)[0], id]).expect_status(0);
    assert_eq!(titles(&desk, &query), [LOST]);
}

#[test]
fn the_first_rows_are_the_story_of_all_stores_and_many_types() {
    let desk = DemoStore::new("");
    let rows = desk.list("");
    assert!((400..=600).contains(&rows.len()), "{}", rows.len());
    let first = &rows[..20];
    let of = |name: &str| -> std::collections::BTreeSet<&str> {
        first.iter().filter_map(|row| row[name].as_str()).collect()
    };
    assert_eq!(of("store").len(), 5, "{:?}", of("store"));
    assert!(of("type").len() >= 8, "{:?}", of("type"));
    assert!(
        first.iter().any(|row| row["state"] == "broken") && first.iter().any(|row| row["sensitive"] == true)
    );
    let titles = rows.iter().map(|row| row["title"].as_str().unwrap());
    let place = |title: &str| titles.clone().position(|own| own.contains(title));
    assert_eq!((place(RIGHT), place("Is 4.3 safe")), (Some(0), Some(1)));
    assert!(place("接続プール") > Some(20));
}
