//! Changes beside agents that write the same files: by a new file in their place, or into them.

use std::fs;
use std::path::Path;

use super::claude;
use crate::support::git::{commit, repository};
use crate::support::{Desk, folder, run};

/// How an agent writes a file.
type Write = fn(&Path, &str);

fn by_rename(file: &Path, text: &str) {
    let new = file.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(&new, file).unwrap();
}

fn in_place(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
}

fn warned(desk: &Desk, file: &str) -> bool {
    let found = desk.run(&["check", "--json"]).json_lines();
    found.iter().any(|row| row["code"] == "change-undone" && row["file"].as_str().unwrap().ends_with(file))
}

#[test]
fn a_change_that_a_stale_writer_undoes_is_reported_and_one_that_stays_is_not() {
    for write in [by_rename as Write, in_place] {
        let desk = Desk::of(&claude(), ".claude/memory");
        let file = desk.store.path.join("deploy.md");
        let stale = desk.text("deploy.md");
        desk.change(&["edit", "deploy", "--set", "text=By robot."]);
        desk.change(&["delete", "alone"]);
        assert!(!warned(&desk, "deploy.md"));
        write(&file, &desk.text("deploy.md").replace("By robot.", "By robot, at night."));
        assert!(!warned(&desk, "deploy.md"), "the agent went on from it");
        write(&file, &format!("{stale}And one line more.\n"));
        assert!(warned(&desk, "deploy.md"));
        assert!(!warned(&desk, "MEMORY.md"));
        desk.change(&["edit", "deploy", "--set", "text=By robot."]);
        assert!(!warned(&desk, "deploy.md"));
    }
}

#[test]
fn a_deleted_topic_that_comes_back_is_reported() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let (topic, index) = (desk.text("deploy.md"), desk.text("MEMORY.md"));
    desk.change(&["delete", "deploy"]);
    in_place(&desk.store.path.join("MEMORY.md"), &index);
    assert!(warned(&desk, "MEMORY.md"));
    in_place(&desk.store.path.join("deploy.md"), &topic);
    assert!(warned(&desk, "deploy.md"));
    desk.change(&["delete", "deploy"]);
    desk.change(&["undo"]);
    assert!(!warned(&desk, "deploy.md"), "palimp brought it back itself");
}

#[test]
fn another_text_under_an_erased_name_is_no_erased_memory_that_was_written_again() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let (erased, file) = (desk.text("alone.md"), desk.store.path.join("alone.md"));
    desk.change(&["erase", "alone"]);
    for (text, comes_back) in [(erased.replace("Nothing", "A ship"), false), (erased, true)] {
        in_place(&file, &text);
        let found = desk.run(&["check", "--json"]).stdout;
        assert_eq!(found.contains("erased-anew"), comes_back, "{text}: {found}");
    }
}

#[test]
fn before_the_first_change_it_is_said_that_git_keeps_what_was_there() {
    let desk = Desk::of(&claude(), ".claude/memory");
    if !repository(desk.store.around()) {
        return;
    }
    commit(desk.store.around(), "one");
    let said = "earlier versions stay there";
    let planned = |id: &str| desk.run(&["delete", id, "--dry-run"]).expect_status(0).stdout;
    assert!(planned("alone").contains(said));
    desk.change(&["delete", "alone"]);
    assert!(!planned("deploy").contains(said), "it is said once");
}

#[test]
fn before_the_first_change_it_is_said_that_an_agent_is_at_work() {
    let store = claude().with("../0.jsonl", "{}\n").build(".claude/projects/-a-shop/memory");
    let data = folder::new();
    let is_said = |now: &str| {
        let (store, data) = (store.path.to_str().unwrap(), data.path().to_str().unwrap());
        let words = ["delete", "alone", "--dry-run", "--now", now, "--data-dir", data, "--store", store];
        run(words).expect_status(0).stdout.contains("an agent wrote in this project")
    };
    let now = chrono::Utc::now();
    assert!(is_said(&now.to_rfc3339()));
    assert!(!is_said(&(now + chrono::Duration::hours(1)).to_rfc3339()));
}

/// Changes topics while an agent writes them, too. Each change of palimp is in the file, or reported.
fn edits_beside(write: Write) {
    let (mut files, many) = (claude(), crate::support::tries::count(12, 40));
    for number in 0..many {
        files = files.with(
            &format!("t{number}.md"),
            format!("---\nname: t{number}\ndescription: d\n---\n\nfirst {number}\n"),
        );
    }
    let desk = Desk::of(&files, ".claude/memory");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (mut lines, mut refused): (Vec<String>, Vec<(usize, String)>) = Default::default();
    std::thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut written = Vec::new();
            for round in 0..400_000 {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                let number = round % many;
                let file = desk.store.path.join(format!("t{number}.md"));
                // It reads, takes its time, and writes what it read with a line more.
                let Ok(text) = fs::read_to_string(&file) else { continue };
                std::thread::sleep(std::time::Duration::from_micros(200));
                let line = format!("agent {round}");
                write(&file, &format!("{text}{line}\n"));
                written.push((number, line));
            }
            written
        });
        for number in 0..many {
            let value = format!("description=changed {number}");
            let out = desk.run(&["edit", &format!("t{number}"), "--set", &value, "--yes"]);
            if out.status != Some(0) {
                refused.push((number, out.stderr));
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for (number, line) in agent.join().unwrap() {
            let text = desk.text(&format!("t{number}.md"));
            if !text.lines().any(|own| own == line) {
                lines.push(format!("t{number}: {line}"));
            }
        }
    });
    assert!(lines.is_empty(), "lost of the agent: {lines:?}");
    let found = desk.run(&["check", "--json"]).stdout;
    for number in 0..many {
        let is_there = desk.text(&format!("t{number}.md")).contains(&format!("changed {number}\n"));
        let is_reported = found
            .lines()
            .any(|own| own.contains("change-undone") && own.contains(&format!("\"t{number}.md\"")));
        let is_refused = refused.iter().any(|own| own.0 == number);
        assert!(
            is_there || is_reported || is_refused,
            "t{number} vanished: {}",
            desk.text(&format!("t{number}.md"))
        );
    }
    assert!(refused.len() < many / 4, "{refused:?}");
}

#[test]
fn changes_beside_a_writer_that_replaces_files_are_there_or_reported() {
    edits_beside(by_rename);
}

#[test]
fn changes_beside_a_writer_into_files_are_there_or_reported() {
    edits_beside(in_place);
}
