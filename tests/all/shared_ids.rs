//! If several records share an id, a changing verb refuses the id, and shows the keys to choose from.

use crate::support::made::KINDS;
use crate::support::{MadeStore, files_below};

const FIRST: &str = "Alpha wording of the first";
const SECOND: &str = "Beta says wholly otherwise";

fn two(format: (&str, &'static str)) -> (MadeStore, String) {
    let made = MadeStore::new(format);
    made.add(FIRST);
    let id = made.rows()[0]["id"].as_str().unwrap().to_owned();
    made.write_another(FIRST, &[(FIRST, SECOND)]);
    (made, id)
}

#[test]
fn a_verb_that_changes_something_takes_a_key_where_an_id_is_shared() {
    for format in crate::support::tries::some(KINDS, &[0, 3]) {
        let (desk, id) = two(format);
        let (keys, before) = ([desk.key(FIRST), desk.key(SECOND)], files_below(&desk.root()));
        assert_ne!(keys[0], keys[1]);
        let verbs: [&[&str]; 6] = [
            &["delete", &id, "--remove"],
            &["tag", &id, "+one"],
            &["edit", &id, "--set", "text=Gamma"],
            &["erase", &id],
            &["archive", &id],
            &["undelete", &id],
        ];
        for words in verbs {
            let place = format!("{} {words:?}", format.0);
            let told = desk.run(words).expect_status(3);
            for key in &keys {
                assert!(told.stderr.contains(key), "{place}: {}", told.stderr);
            }
            assert!(told.stderr.contains(FIRST) && told.stderr.contains(SECOND), "{place}: {}", told.stderr);
            assert_eq!(files_below(&desk.root()), before, "{place}");
        }
        let shown = desk.run(&["show", &id]).expect_status(0).stdout;
        for own in [FIRST, SECOND, &keys[0], &keys[1]] {
            assert!(shown.contains(own), "{}: {shown}", format.0);
        }
        assert_eq!(desk.run(&["show", &id, "--json"]).expect_status(0).json_lines().len(), 2);
        desk.run(&["edit", &keys[1], "--set", "text=Gamma came instead"]).expect_status(0);
        desk.run(&["delete", &desk.key("Gamma"), "--remove"]).expect_status(0);
        assert_eq!(desk.rows().len(), 1, "{}", format.0);
        assert_eq!(desk.key(FIRST), keys[0], "{}", format.0);
        // One is left, so its id names it again.
        desk.run(&["delete", &id, "--remove"]).expect_status(0);
    }
}

#[test]
fn the_plan_of_an_erasure_tells_which_of_them_goes_and_which_stays() {
    for format in crate::support::tries::some(KINDS, &[1, 3]) {
        let (desk, _) = two(format);
        let rows = desk.rows();
        let (goes, stays) = (&rows[0], &rows[1]);
        let plan = desk.raw(&[
            "erase",
            goes["key"].as_str().unwrap(),
            "--dry-run",
            "--store",
            desk.root().to_str().unwrap(),
        ]);
        let place = |row: &serde_json::Value| format!("{}:{}", row["file"].as_str().unwrap(), row["line"]);
        let line = |word: &str| plan.stdout.lines().filter(|line| line.starts_with(word)).collect::<Vec<_>>();
        assert!(line("erase,").iter().any(|own| own.ends_with(&place(goes))), "{format:?} {plan:?}");
        assert!(line("stays").iter().any(|own| own.ends_with(&place(stays))), "{format:?} {plan:?}");
        assert!(!line("erase,").iter().any(|own| own.ends_with(&place(stays))), "{format:?} {plan:?}");
    }
}

#[test]
fn a_restore_brings_back_the_one_record_that_is_meant_of_those_that_share_an_id() {
    // Each note is a file, and its backup has no other record.
    for format in &KINDS[..3] {
        let (desk, id) = two(*format);
        let keys = [desk.key(FIRST), desk.key(SECOND)];
        let file = desk.rows()[0]["file"].as_str().unwrap().to_owned();
        desk.run(&["backup", "create"]).expect_status(0);
        let backups = desk.run(&["backup", "list", "--json"]).expect_status(0).json_lines();
        let is_it = |row: &&serde_json::Value| row["file"] == *file && row["reason"] == "by hand";
        let copy = backups.iter().find(is_it).unwrap()["backup"].as_str().unwrap();
        let shown = desk.run(&["backup", "diff", copy, "--json"]).json_lines();
        assert_eq!(shown.len(), 0, "{}: {shown:?}", format.0);
        desk.run(&["delete", &keys[0], &keys[1], "--remove"]).expect_status(0);
        let before = files_below(&desk.root());
        let told = desk.run(&["backup", "restore", copy, &id]).expect_status(3).stderr;
        for own in [FIRST, SECOND, &keys[0], &keys[1]] {
            assert!(told.contains(own), "{}: {told}", format.0);
        }
        assert_eq!(files_below(&desk.root()), before, "{}", format.0);
        let rows = desk.run(&["backup", "diff", copy, "--json"]).expect_status(0).json_lines();
        let own = |key: &str| rows.iter().any(|row| row["key"] == key && row["restorable"] == true);
        assert!(own(&keys[0]) && own(&keys[1]), "{}: {rows:?}", format.0);
        desk.run(&["backup", "restore", copy, &keys[0]]).expect_status(0);
        assert_eq!((desk.rows().len(), desk.key(FIRST)), (1, keys[0].clone()), "{}", format.0);
        // The existing record stays as it is: nothing replaces it.
        desk.run(&["backup", "restore", copy, &id]).expect_status(0);
        assert_eq!([desk.key(FIRST), desk.key(SECOND)], keys, "{}", format.0);
        desk.run(&["backup", "restore", copy, &id]).expect_status(1);
    }
}
