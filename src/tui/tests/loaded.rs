//! The view of what a model gets when an agent starts.

use crossterm::event::KeyCode;

use super::Desk;
use super::changes::notice;
use crate::tui::state::app::Screen;

/// Returns a folder of Claude Code whose index is cut.
fn desk(width: u16, height: u16) -> Desk {
    let log = "- x\n".repeat(196);
    let index = format!("- [a](a.md) — one\n{log}- goes\n\nStays.\n- the newest correction\n");
    let topic = "---\nname: a\ndescription: about a\n---\n\nText.\n";
    Desk::of_files(
        &[(".claude/memory/MEMORY.md", index.as_str()), (".claude/memory/a.md", topic)],
        (width, height),
    )
}

/// Opens the two folders of Markdown of the demo.
pub fn till(width: u16, height: u16) -> Desk {
    let folder = crate::folder::new();
    for (path, bytes) in crate::demo::files(1, super::now()) {
        if path.starts_with("till") {
            let path = folder.path().join(path);
            crate::disk::write_new(&path, &bytes).unwrap();
            crate::disk::set_modified(&path, super::now()).unwrap();
        }
    }
    Desk::of(folder, width, height)
}

#[test]
fn a_memory_gets_another_name_and_two_become_one_from_the_palette() {
    let mut desk = till(120, 36);
    desk.enter("/id:who_decides");
    desk.enter(":rename");
    desk.enter("people!");
    assert!(desk.app.prompt.is_some() && notice(&desk).contains("letters, digits"), "{}", desk.screen());
    desk.press(KeyCode::Backspace);
    desk.enter("");
    assert!(desk.screen().contains("Rename \"Who decides on what\" to people?"), "{}", desk.screen());
    desk.agree();
    assert!(notice(&desk).starts_with("renamed \"Who decides"), "{}", notice(&desk));
    let index = |desk: &Desk| {
        let path = desk._folder.path().join("till/.claude/memory/MEMORY.md");
        std::fs::read_to_string(path).unwrap()
    };
    assert!(index(&desk).contains("- [Who decides](people.md)"), "{}", desk.screen());
    desk.enter("/id:money_as_integers");
    desk.enter(":merge");
    assert!(
        notice(&desk).starts_with("Mark the memories that become one: Space marks."),
        "{}",
        desk.screen()
    );
    desk.enter("/id:money_as_integers OR id:feedback_cents");
    desk.type_keys("*");
    desk.enter(":merge");
    let asked = desk.screen();
    assert!(asked.contains("Merge 2 memories into") && asked.contains("both, and nothing twice"), "{asked}");
    if !asked.contains("into feedback_cents?") {
        desk.type_keys("i");
    }
    let asked = desk.screen();
    assert!(asked.contains("into feedback_cents?") && asked.contains("It will be:"), "{asked}");
    let text = |desk: &Desk| {
        let confirm = desk.app.confirm.as_ref().unwrap();
        (0..confirm.len()).map(|at| confirm.line(at)).collect::<Vec<_>>().join("\n")
    };
    assert!(
        text(&desk).contains("## An amount of money") && !text(&desk).contains(" B\n"),
        "{}",
        text(&desk)
    );
    desk.press(KeyCode::Tab);
    assert!(
        desk.screen().contains("only that of the one that stays") && !text(&desk).contains("## An amount")
    );
    desk.press(KeyCode::Tab);
    assert!(desk.screen().contains("Its text: only that of the other."), "{}", desk.screen());
    desk.press(KeyCode::Tab);
    desk.agree();
    let folder = desk._folder.path().join("till/.claude/memory");
    assert!(!folder.join("money_as_integers.md").exists(), "{}", desk.screen());
    let text = std::fs::read_to_string(folder.join("feedback_cents.md")).unwrap();
    assert!(text.contains("## An amount of money is a whole number of cents"), "{text}");
}

#[test]
fn the_line_from_which_on_the_model_sees_nothing_is_two_keys_away() {
    for (width, height) in [(120, 36), (80, 24)] {
        let mut desk = desk(width, height);
        desk.type_keys("gl");
        assert_eq!(desk.app.screen, Screen::Loaded);
        let screen = desk.screen();
        assert!(screen.contains("MEMORY.md") && screen.contains("up to line 200"), "{screen}");
        assert!(screen.contains("The model never sees line 201"), "{screen}");
        assert!(screen.contains("It is 1 line too long.") && screen.contains("F moves lines"), "{screen}");
        assert!(screen.contains("the newest correction") && screen.contains("not loaded"), "{screen}");
        desk.enter("");
        desk.type_keys("j");
        let hints = "Enter open  F move lines…  Space mark";
        assert!(desk.screen().contains(hints), "{}", desk.screen());
        desk.press(KeyCode::Esc);
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, Screen::Memories);
    }
}

#[test]
fn a_line_leads_to_its_memory_which_is_edited_and_removed_from_there() {
    let mut desk = desk(120, 36);
    desk.enter("gl");
    assert!(desk.app.list_view.in_details, "{}", desk.screen());
    desk.type_and_see("j", &["e edit", "d remove"]);
    desk.enter("");
    assert!(desk.app.screen == Screen::Memories && desk.screen().contains("about a"), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.screen, Screen::Loaded);
    desk.type_keys("e");
    assert_eq!(desk.app.screen, Screen::Editor);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.screen, Screen::Loaded);
    desk.type_keys("dx");
    desk.agree();
    assert!(!desk._folder.path().join(".claude/memory/a.md").exists(), "{}", desk.screen());
}

#[test]
fn the_lines_of_an_index_that_are_too_many_move_into_a_topic_file_from_there() {
    for (keys, moved) in [("gl", "Stays."), ("glljj ", "- goes\n")] {
        let mut desk = desk(120, 36);
        desk.type_keys(keys);
        desk.type_keys("F");
        let asked = desk.screen();
        assert!(asked.contains("move 2 lines into the topic more.md"), "{asked}");
        desk.agree();
        let folder = desk._folder.path().join(".claude/memory");
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        let (index, moved) = (read("MEMORY.md"), format!("{moved}\n- the newest correction\n"));
        assert!(read("more.md").ends_with(&moved), "{}", read("more.md"));
        assert!(index.lines().count() == 200 && !index.contains("md\nStays"), "{index}");
        assert!(!desk.screen().contains("F move"), "{}", desk.screen());
        desk.type_keys("u");
        assert!(!folder.join("more.md").exists(), "{}", desk.screen());
    }
}

#[test]
fn memories_of_two_projects_are_not_merged_and_the_reason_comes_at_once() {
    let topic = "---\nname: a\ndescription: about it\n---\n\nText.\n";
    let file = |project: &str, file: &str| format!("{project}/.claude/memory/{file}.md");
    let names = [file("shop", "MEMORY"), file("shop", "a"), file("web", "MEMORY"), file("web", "a")];
    let texts = ["- [a](a.md) — x\n", topic].repeat(2);
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts).collect();
    let mut desk = Desk::of_files(&files, (120, 36));
    desk.type_keys("*");
    desk.enter(":merge");
    assert!(desk.app.prompt.is_none() && desk.app.confirm.is_none());
    let said = notice(&desk);
    assert!(
        said.contains("of different projects") && said.contains("shop") && said.contains("d removes one"),
        "{said}"
    );
}

#[test]
fn what_can_not_be_done_says_why_before_anything_is_typed() {
    let mut desk = till(120, 36);
    desk.enter("/id:feedback_cents");
    for (keys, why) in [
        ("i", "stores no importance"),
        (":move", "belongs to no session"),
        (":category", "have no category here"),
        (":type", "its type is "),
    ] {
        desk.type_keys(keys);
        if keys.starts_with(':') {
            assert!(desk.screen().contains(why), "the palette says it: {}", desk.screen());
            desk.press(KeyCode::Enter);
        }
        assert!(desk.app.prompt.is_none(), "{keys}");
        assert!(notice(&desk).to_lowercase().contains(&why.to_lowercase()), "{keys}: {}", notice(&desk));
    }
    desk.enter("/id:MEMORY#corrections");
    desk.enter(":rename");
    assert!(desk.app.prompt.is_none() && notice(&desk).contains("is a part of a file"), "{}", desk.screen());
    let mut desk = Desk::new(120, 36);
    desk.enter("/store:shop");
    desk.type_and_see("d", &["only whole sessions are archived"]);
    desk.press(KeyCode::Esc);
    desk.type_keys("  ");
    for (keys, why) in [("e", "2 memories are marked"), (":move⏎", "There is no other session to move to")]
    {
        desk.type_keys(keys);
        assert!(desk.app.prompt.is_none() && notice(&desk).starts_with(why), "{}", desk.screen());
    }
}

#[test]
fn the_middle_that_a_program_leaves_out_is_named_with_its_lines_and_the_source_of_the_limit() {
    let text: Vec<String> = (0..60).map(|at| format!("Fact {at:02}: {}", "z".repeat(90))).collect();
    let limit = "memory:\n  memory_char_limit: 2100\n";
    let mut desk = Desk::of_files(
        &[("memories/MEMORY.md", text.join("\n§\n").as_str()), ("config.yaml", limit)],
        (120, 36),
    );
    desk.type_keys("gl");
    let screen = desk.screen();
    assert!(screen.contains("not 57-103") && screen.contains("lines 57 to 103"), "{screen}");
    assert!(screen.contains("The limit is from: ../config.yaml."), "{screen}");
}

#[test]
fn the_list_marks_what_the_model_never_sees_and_counts_it() {
    let mut desk = till(120, 36);
    desk.sees(&["1 unseen"]);
    desk.enter("/is:unseen");
    let screen = desk.screen();
    assert!(screen.contains('∅') && screen.contains("Corrections"), "{screen}");
    assert_eq!(desk.app.results.hits.len(), 1);
}

#[test]
fn instructions_of_a_project_follow_the_memories_as_context() {
    let files = [
        ("shop/memory-bank/projectbrief.md", "# Brief\n"),
        ("shop/memory-bank/progress.md", "# Done\n"),
        ("shop/CLAUDE.md", "See @docs/style.md\n"),
        ("shop/docs/style.md", "Tabs.\n"),
    ];
    let mut desk = Desk::of_files(&files, (120, 36));
    desk.type_keys("gl");
    let screen = desk.screen();
    assert!(screen.contains("shop  instructions, as context"), "{screen}");
    assert!(screen.contains("  docs/style.md") && screen.contains("Claude Code"), "{screen}");
    desk.type_and_see("G", &["palimp never changes them"]);
}
