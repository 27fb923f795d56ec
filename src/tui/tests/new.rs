//! What agents wrote since the last visit.

use std::io::Write;

use super::*;
use crate::model::time::HOUR;

/// Returns a store with one memory of last month. The last visit was an hour ago.
fn desk() -> Desk {
    let log = line("m1", "an old one", "2026-01-01T00:00:00Z");
    let mut desk = Desk::of_files(&[("shop/memory/sessions/s/memory.jsonl", &log)], (120, 36));
    let roots: Vec<_> = desk.app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    desk.app.visits.see(&roots, now().plus(-HOUR), false);
    desk
}

fn line(id: &str, text: &str, when: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"type\":\"finding\",\"timestamp\":\"{when}\",\"content\":{{\"finding\":\"{text}\"}}}}\n"
    )
}

fn agent_writes(desk: &mut Desk, id: &str, text: &str, when: &str) {
    let file = desk._folder.path().join("shop/memory/sessions/s/memory.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    file.write_all(line(id, text, when).as_bytes()).unwrap();
    desk.send(Msg::StoresChanged);
}

#[test]
fn on_the_first_visit_nothing_is_new() {
    let desk = Desk::new(120, 36);
    assert_eq!(crate::tui::list_view::new::count(&desk.app), 0);
    assert!(!desk.screen().lines().next().unwrap().contains("new"));
}

#[test]
fn what_an_agent_wrote_is_told_marked_counted_and_listed_until_all_is_seen() {
    let mut desk = desk();
    agent_writes(&mut desk, "m2", "a retry charges twice", "2026-02-01T11:30:00Z");
    let screen = desk.screen();
    assert!(screen.contains("+ An agent wrote: a retry charges twice"), "{screen}");
    assert!(screen.lines().next().unwrap().contains("+1 new"), "{screen}");
    let row = screen.lines().find(|line| line.contains("F a retry charges twice")).unwrap();
    assert!(row.contains('+'), "{row}");
    desk.type_keys("gn");
    let screen = desk.screen();
    assert!(screen.contains("New since today 11:00") && screen.contains("shop  1 new"), "{screen}");
    desk.type_keys("*s");
    assert_eq!(crate::tui::list_view::new::count(&desk.app), 0);
    assert!(!desk.screen().lines().next().unwrap().contains("+1 new"));
}

#[test]
fn what_came_is_told_for_a_while_on_one_row_and_nothing_moves() {
    for width in [120, 40] {
        let mut desk = desk();
        desk.app.size = (width, 24);
        let rows = |desk: &Desk| crate::tui::layout::frame(&desk.app).body.height;
        let before = rows(&desk);
        agent_writes(&mut desk, "m2", &"a long title ".repeat(12), "2026-02-01T11:30:00Z");
        // Even a narrow notice says who wrote, and where.
        let told = match width {
            40 => ["+ An agent in shop", "sessions/s/memory"],
            _ => ["+ An agent wrote: a long", "shop sessions/s/memory.jsonl"],
        };
        let screen = desk.screen();
        assert!(told.iter().all(|part| screen.contains(part)), "{screen}");
        assert_eq!(rows(&desk), before);
        desk.send(Msg::HideBriefNotice);
        assert!(!desk.screen().contains("An agent wrote"), "{}", desk.screen());
    }
}

#[test]
fn with_reduced_motion_what_came_is_told_until_a_key_is_pressed() {
    for is_reduced in [true, false] {
        let mut desk = desk();
        desk.app.reduced_motion = is_reduced;
        let file = desk._folder.path().join("shop/memory/sessions/s/memory.jsonl");
        let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
        file.write_all(line("m2", "a retry charges twice", "2026-02-01T11:30:00Z").as_bytes()).unwrap();
        let (mut is_brief, mut effects) = (false, update(&mut desk.app, Msg::StoresChanged, now()));
        while let Some(effect) = effects.pop() {
            is_brief |= matches!(effect, Effect::HideNoticeSoon);
            if let Effect::Job(job) = effect
                && let Some(done) = run_job(job, &mut desk.kept, &CancelToken::default())
            {
                effects.extend(update(&mut desk.app, Msg::Done(done), now()));
            }
        }
        assert_eq!(is_brief, !is_reduced, "a time is set for it to go");
        assert!(desk.screen().contains("+ An agent wrote: a retry charges twice"), "{}", desk.screen());
        assert!(desk.screen().lines().next().unwrap().contains("+1 new"));
        desk.type_keys("j");
        assert!(!desk.screen().contains("An agent wrote"));
    }
}

#[test]
fn a_memory_dated_in_the_future_is_not_new() {
    let mut desk = desk();
    agent_writes(&mut desk, "m2", "from tomorrow", "2026-02-02T12:00:00Z");
    assert_eq!(crate::tui::list_view::new::count(&desk.app), 0);
}

/// Opens folders of Claude Code and of Hermes, whose files are of yesterday. The last visit was an hour ago.
fn markdown_desk() -> Desk {
    let folder = crate::folder::new();
    let topic = "---\nname: a\ndescription: the old one\n---\n\nText.\n";
    for (path, text) in [
        ("shop/.claude/memory/MEMORY.md", "- [a](a.md) — x\n\n## Rules\n\nAsk first.\n\n## Words\n\nFew.\n"),
        ("shop/.claude/memory/a.md", topic),
        ("shop/.claude/memory/b.md", &topic.replace('a', "b")),
        ("home/.hermes/memories/MEMORY.md", "Tabs are wide.\n§\nAsk first."),
    ] {
        crate::disk::write_new(&folder.path().join(path), text.as_bytes()).unwrap();
        crate::disk::set_modified(&folder.path().join(path), now().plus(-24 * HOUR)).unwrap();
    }
    let mut desk = Desk::of(folder, 120, 36);
    let roots: Vec<_> = desk.app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    desk.app.visits.see(&roots, now().plus(-HOUR), false);
    desk
}

/// Writes a file as an agent does some minutes before now.
fn writes(desk: &mut Desk, file: &str, text: &str, minutes: i64) {
    let path = desk._folder.path().join(file);
    std::fs::write(&path, text).unwrap();
    crate::disk::set_modified(&path, now().plus(-minutes * HOUR / 60)).unwrap();
    desk.send(Msg::StoresChanged);
}

fn new_titles(desk: &Desk) -> Vec<String> {
    let all = desk.app.snapshot.entries();
    let new = all.filter(|at| crate::tui::list_view::new::is_new(&desk.app, *at));
    new.map(|at| App::quoted_title(&desk.app.snapshot, at)).collect()
}

#[test]
fn a_file_that_an_agent_adds_is_new_and_one_that_it_writes_again_is_too() {
    let mut desk = markdown_desk();
    assert_eq!(new_titles(&desk), Vec::<String>::new());
    let topic = "---\nname: c\ndescription: a retry charges twice\n---\n\nText.\n";
    writes(&mut desk, "shop/.claude/memory/c.md", topic, 30);
    assert!(desk.screen().contains("+ An agent wrote: a retry charges twice"), "{}", desk.screen());
    assert!(desk.screen().contains("~30m"), "{}", desk.screen());
    assert_eq!(new_titles(&desk), ["\"a retry charges twice\""]);
    desk.type_and_see("gn", &["~30m"]);
    desk.type_keys("s");
    assert_eq!(new_titles(&desk), Vec::<String>::new());
    writes(&mut desk, "shop/.claude/memory/c.md", &topic.replace("twice", "once"), 20);
    assert_eq!(new_titles(&desk), ["\"a retry charges once\""]);
}

#[test]
fn of_a_file_with_several_memories_only_those_that_came_are_new() {
    let (mut desk, file) = (markdown_desk(), "home/.hermes/memories/MEMORY.md");
    writes(&mut desk, file, "Tabs are wide.\n§\nAsk first.\n§\nNever on Friday.", 30);
    assert!(desk.screen().contains("+ An agent wrote: Never on Friday."), "{}", desk.screen());
    assert_eq!(new_titles(&desk), ["\"Never on Friday.\""]);
    desk.type_keys("gn*s");
    assert_eq!(new_titles(&desk), Vec::<String>::new());
    // A full file loses one for it.
    desk.later = HOUR;
    writes(&mut desk, file, "Ask first.\n§\nNever on Monday.\n§\nNever on Friday.", -30);
    assert_eq!(new_titles(&desk), ["\"Never on Monday.\""]);
}

#[test]
fn what_palimp_wrote_is_not_new_and_what_was_new_beside_it_stays_so() {
    let (mut desk, file) = (markdown_desk(), "home/.hermes/memories/MEMORY.md");
    writes(&mut desk, file, "Tabs are wide.\n§\nAsk first.\n§\nNever on Friday.", 30);
    desk.enter("/\"Tabs are wide\"");
    // palimp writes at the time of the system.
    desk.later = Moment::of_the_clock().0 + HOUR - now().0;
    desk.type_keys("dx");
    let text = std::fs::read_to_string(desk._folder.path().join(file)).unwrap();
    assert_eq!(text, "Ask first.\n§\nNever on Friday.");
    assert_eq!(new_titles(&desk), ["\"Never on Friday.\""]);
    assert!(!desk.screen().contains("An agent wrote"), "{}", desk.screen());
}
