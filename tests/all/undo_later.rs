//! Undo of a step while later ones are applied, or after other programs wrote: nothing is lost or doubled.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::made::{KINDS, files_below};
use crate::support::tries::some;
use crate::support::{DemoStore, MadeStore, Output};

/// The formats with one record per line.
const LOGS: [(&str, &str); 3] = [KINDS[0], KINDS[1], KINDS[2]];
const TOLD: &str = "The first of them";

/// A store with one record, and the file that it is in.
struct Desk {
    made: MadeStore,
    file: PathBuf,
    record: String,
}

impl Deref for Desk {
    type Target = MadeStore;

    fn deref(&self) -> &MadeStore {
        &self.made
    }
}

impl Desk {
    fn new(format: (&str, &'static str)) -> Desk {
        let made = MadeStore::new(format);
        made.add(TOLD);
        let file = made.holding(TOLD);
        let record = fs::read_to_string(&file).unwrap();
        Desk { made, file, record: record.trim_end_matches('\n').to_owned() }
    }

    /// Like `new`, with a record without an id.
    fn nameless(format: (&str, &'static str)) -> Desk {
        let mut desk = Desk::new(format);
        let mut record: Value = serde_json::from_str(&desk.record).unwrap();
        let members = record.as_object_mut().unwrap();
        members.retain(|name, _| name != "id" && name != "checksum");
        desk.record = record.to_string();
        desk.write(&format!("{}\n", desk.record));
        desk
    }

    fn write(&self, text: &str) {
        fs::write(&self.file, text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.file).unwrap_or_default()
    }

    fn append(&self, lines: &str) {
        self.write(&(self.text() + lines));
    }

    fn count(&self) -> usize {
        self.text().matches(&self.record).count()
    }

    /// Deletes a live record, or restores a deleted one.
    fn one(&self, verb: &str) -> Output {
        let query = if verb == "undelete" { "is:deleted" } else { "is:live" };
        let rows = self.run(&["list", "--json", query]).expect_status(0).json_lines();
        let is_it = |row: &&Value| row["title"].as_str().is_some_and(|title| title.contains(TOLD));
        let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("{query}: {rows:?}"));
        let own = [verb, row["key"].as_str().unwrap()];
        self.run(&[&own[..], if verb == "delete" { &["--remove"] } else { &[] }].concat()).expect_status(0)
    }

    fn last_step(&self) -> String {
        let rows = self.run(&["journal", "--json"]).json_lines();
        rows.iter().map(|row| row["step"].as_u64().unwrap()).max().unwrap().to_string()
    }

    /// Deletes a record. Returns the step.
    fn delete(&self) -> String {
        self.one("delete");
        self.last_step()
    }

    fn undo(&self, step: &str) -> Output {
        self.run(&["undo", step])
    }
}

#[test]
fn a_step_is_undone_only_after_the_later_ones_that_changed_the_same_memory_and_nothing_is_lost_or_there_twice()
 {
    for format in crate::support::tries::some(LOGS, &[0]).into_iter().chain([KINDS[3]]) {
        let desk = if format.0 == KINDS[3].0 { Desk::new(format) } else { Desk::nameless(format) };
        let before = desk.text();
        let mut steps = vec![desk.delete()];
        for verb in ["undelete", "delete"] {
            desk.one(verb);
            steps.push(desk.last_step());
            let told = desk.undo(&steps[0]);
            assert_ne!(told.status, Some(0), "{}: {}", format.0, told.stdout);
            let last = format!("step {} ({verb})", desk.last_step());
            assert!(told.stderr.contains(&last), "{}: {}", format.0, told.stderr);
        }
        assert_ne!(desk.undo(&steps[1]).status, Some(0), "{}", format.0);
        steps.iter().rev().for_each(|step| drop(desk.undo(step).expect_status(0)));
        assert_eq!(desk.text(), before, "{}", format.0);
    }
}

#[test]
fn what_another_program_put_back_is_not_there_twice_though_the_file_has_the_length_that_the_step_left() {
    for format in crate::support::tries::some(LOGS, &[1]) {
        let desk = Desk::new(format);
        let other = desk.record.replace(TOLD, &"x".repeat(TOLD.len())).replacen("\"id\":\"", "\"id\":\"a", 1);
        let other = other.replacen(&"x".repeat(2), "x", 1);
        let other = format!("{other:<width$}\n", width = desk.record.len());
        desk.append(&other);
        desk.delete();
        let len = desk.text().len();
        desk.write(&format!("{}\n", desk.record));
        assert_eq!(desk.text().len(), len, "{}", format.0);
        let told = desk.run(&["undo"]).expect_status(0).stdout;
        assert_eq!(desk.count(), 1, "{}: {}", format.0, desk.text());
        assert!(told.contains("already restored by another program"), "{}: {told}", format.0);
    }
}

#[test]
fn a_record_of_a_line_of_two_or_behind_a_byte_order_mark_is_not_there_twice_when_another_put_it_back() {
    for (number, format) in LOGS.into_iter().enumerate() {
        for shape in some(["glued", "behind", "mark"], &[number % 3]) {
            let desk = Desk::new(format);
            let other = desk.record.replace(TOLD, "Another").replacen("\"id\":\"", "\"id\":\"a", 1);
            desk.write(&match shape {
                "glued" => format!("{}{other}\n", desk.record),
                "behind" => format!("{other} {}\n", desk.record),
                _ => format!("\u{feff}{}\n{other}\n", desk.record),
            });
            let before = desk.text();
            let step = desk.delete();
            let without = desk.text();
            // If no program restored it, undo restores the former bytes.
            desk.run(&["undo"]).expect_status(0);
            assert_eq!(desk.text(), before, "{} {shape}", format.0);
            desk.run(&["redo"]).expect_status(0);
            assert_eq!(desk.text(), without, "{} {shape}", format.0);
            desk.append(&format!("{}\n", desk.record));
            let told = desk.undo(&step).expect_status(0).stdout;
            assert_eq!(desk.count(), 1, "{} {shape}: {}", format.0, desk.text());
            assert_eq!(desk.text().matches(&other).count(), 1, "{} {shape}", format.0);
            assert!(told.contains("already restored by another program"), "{} {shape}: {told}", format.0);
        }
    }
}

/// Files that depend on each other are undone only if they are as the step left them.
#[test]
fn a_bundle_that_was_changed_and_has_the_same_length_is_not_turned() {
    let desk = DemoStore::new("web/.agent-memory");
    let rows = desk.run(&["list", "--json", "type:gotchas"]).json_lines();
    desk.change(&["delete", rows[0]["key"].as_str().unwrap()]).expect_status(0);
    let file = desk.store.join(rows[0]["file"].as_str().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    let title: String = rows[1]["title"].as_str().unwrap().chars().take(8).collect();
    let other = text.replace(&title, &"z".repeat(title.len()));
    assert!(other != text && other.len() == text.len(), "{title}");
    fs::write(&file, &other).unwrap();
    let told = desk.change(&["undo"]);
    assert_ne!(told.status, Some(0), "{}", told.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), other);
}

#[test]
fn a_session_with_torn_lines_that_another_program_put_back_as_it_was_is_not_there_twice_after_undo() {
    let desk = DemoStore::new("ops/memory");
    let session = desk.store.join("sessions/release_4_3");
    let log = session.join("memory.jsonl");
    let torn = "{\"id\":\"mem_torn\",\"content\":{\"find";
    fs::write(&log, [fs::read_to_string(&log).unwrap(), torn.to_owned()].concat()).unwrap();
    let before = files_below(&session);
    desk.change(&["session", "delete", "release_4_3"]).expect_status(0);
    assert!(!log.exists());
    for (path, bytes) in &before {
        crate::support::write(path, bytes);
    }
    desk.change(&["undo"]);
    let now = fs::read_to_string(&log).unwrap();
    assert_eq!(now.matches(torn).count(), 1, "{now}");
    assert_eq!(now.lines().count(), String::from_utf8_lossy(&before[&log]).lines().count());
}
