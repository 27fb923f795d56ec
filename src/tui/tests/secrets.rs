//! The view of findings: verdicts, redaction, erasing; and the receipt in the journal.

use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::Screen;
use crate::tui::state::row_list::ListRow;
use crate::tui::tests::bulk::question;
use crate::tui::tests::changes::{files, notice, on};
use crate::tui::tests::{Desk, update};
use crate::usecase::{Triage, Verdict};

/// Returns a token that opens nothing. Its prefix is split, so that no scanner takes it for a real one.
pub(super) fn token() -> String {
    ["gh", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat()
}

fn address() -> String {
    ["jane.doe", "example-shop.eu"].join("@")
}

fn line(id: &str, text: &str) -> String {
    let record = serde_json::json!({"session_id": "s", "type": "conversation", "id": id,
        "timestamp": "2026-01-01T00:00:00Z", "content": {"role": "user", "message": text}});
    format!("{record}\n")
}

/// Returns a store in which two memories have the same token, and one an address.
fn desk(width: u16, height: u16) -> Desk {
    let lines = [
        line("mem_1", &format!("Deploy with {} and never ask again.", token())),
        line("mem_2", &format!("The old token is {} still.", token())),
        line("mem_3", &format!("Ask {} about the budget.", address())),
        line("mem_4", "Nothing to see here."),
    ];
    desk_of(&lines, width, height)
}

/// Returns a store with these lines in its log.
pub(super) fn desk_of(lines: &[String], width: u16, height: u16) -> Desk {
    Desk::of_log(&lines.concat(), (width, height))
}

fn data(desk: &Desk) -> PathBuf {
    desk.app.data.clone().unwrap()
}

pub(super) fn log(desk: &Desk) -> String {
    std::fs::read_to_string(desk._folder.path().join("sessions/s/memory.jsonl")).unwrap()
}

/// Returns the files that hold a text, also those of palimp's own data.
pub(super) fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if item.file_type().unwrap().is_dir() {
            found.extend(holding(&item.path(), text));
        } else if memchr::memmem::find(&std::fs::read(item.path()).unwrap(), text.as_bytes()).is_some() {
            found.push(item.path());
        }
    }
    found
}

fn listed(desk: &Desk) -> usize {
    desk.app.list_view.list.each().filter(|row| matches!(row, ListRow::Finding(_))).count()
}

#[test]
fn no_value_is_ever_drawn_also_not_while_values_are_revealed() {
    let mut desk = desk(120, 36);
    desk.type_keys("gx");
    for keys in ["", "j", "j", "o", "X", "k", "k", "x", "\u{1b}", "d"] {
        desk.type_keys(keys);
        desk.app.revealed = true;
        let screen = desk.screen();
        let (token, address) = (token(), address());
        assert!(!screen.contains(&token[8..20]), "{keys}: {screen}");
        assert!(!screen.contains(&address[..8]), "{keys}: {screen}");
        if desk.app.delete_menu.is_some() {
            desk.press(KeyCode::Esc);
        }
    }
}

#[test]
fn a_false_alarm_is_kept_at_once_hidden_and_shown_again_with_one_key() {
    let mut desk = desk(120, 36);
    desk.type_keys("gxf");
    assert_eq!(listed(&desk), 1, "both memories have the same value: {}", desk.screen());
    let kept = Triage::kept_in(&data(&desk)).unwrap();
    assert_eq!(kept.verdict(token().as_bytes()), Some(Verdict::No));
    assert!(holding(&data(&desk), &token()).is_empty());
    desk.press(KeyCode::Esc);
    desk.type_and_see("d", &["x  delete"]);
    assert!(!desk.screen().contains("o  take out"), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.type_keys("gx");
    desk.type_and_see(":false alarms⏎", &["false alarms"]);
    assert_eq!(listed(&desk), 3);
    desk.type_keys("G!");
    assert_eq!(Triage::kept_in(&data(&desk)).unwrap().verdict(token().as_bytes()), Some(Verdict::Yes));
    desk.type_keys(":false alarms⏎");
    assert_eq!(listed(&desk), 3, "nothing is hidden any more");
    desk.type_keys("gg:undecided⏎");
    assert_eq!(Triage::kept_in(&data(&desk)).unwrap().verdict(token().as_bytes()), Some(Verdict::Skip));
}

#[test]
fn a_verdict_is_for_all_marked_findings() {
    let mut desk = desk(120, 36);
    desk.type_keys("gx*f");
    assert_eq!(listed(&desk), 0);
    assert!(notice(&desk).starts_with("2 values are false alarms"), "{}", notice(&desk));
    desk.type_keys(":false alarms⏎*!");
    assert_eq!(listed(&desk), 3);
    let kept = Triage::kept_in(&data(&desk)).unwrap();
    assert_eq!(kept.verdict(address().as_bytes()), Some(Verdict::Yes));
}

#[test]
fn read_only_nothing_is_noted_and_nothing_redacted() {
    let mut desk = desk(120, 36);
    desk.app.readonly = true;
    desk.type_keys("gx");
    for key in ["f", "!", "x", "d"] {
        desk.type_keys(key);
        assert!(notice(&desk).contains("read-only"), "{key}: {}", notice(&desk));
        assert!(desk.app.delete_menu.is_none());
    }
    assert!(!data(&desk).join("triage.json").exists());
}

#[test]
fn a_value_is_redacted_in_this_memory_after_its_plan_and_undo_brings_it_back() {
    let mut desk = desk(120, 36);
    let before = files(&desk);
    desk.type_keys("gxx");
    let screen = desk.screen();
    assert!(screen.contains("Redact ghp_•••••• in 1 memory"), "{screen}");
    desk.type_keys("l");
    assert!(question(&desk).starts_with("redact"), "{}", notice(&desk));
    assert!(!desk.screen().contains(&token()[8..20]), "{}", desk.screen());
    desk.type_keys("y");
    assert_eq!(log(&desk).matches("[REDACTED:").count(), 1, "{}", notice(&desk));
    assert_eq!(log(&desk).matches(&token()).count(), 1);
    assert_eq!(listed(&desk), 2, "the list follows");
    desk.type_keys("u");
    assert_eq!(files(&desk), before, "{}", notice(&desk));
}

#[test]
fn a_capital_letter_redacts_a_value_in_every_memory_that_has_it() {
    let mut desk = desk(120, 36);
    desk.type_keys("gxxP");
    desk.type_keys("y");
    assert_eq!(log(&desk).matches("redacted-token-").count(), 2, "{}: {}", notice(&desk), log(&desk));
    assert!(!log(&desk).contains(&token()));
}

#[test]
fn a_value_is_erased_everywhere_after_its_memories_and_files_were_shown_and_typed() {
    let mut desk = desk(120, 36);
    let settings = desk._folder.path().join("notes.txt");
    std::fs::write(&settings, format!("key = {}\n", token())).unwrap();
    desk.type_and_see("gxx", &["o  take out", "out of 2 memories and every copy", "the memories stay"]);
    desk.press(KeyCode::Esc);
    desk.type_and_see("d", &["v  erase value", "ghp_•••••• everywhere: 2 memories"]);
    desk.type_keys("v");
    let asked = question(&desk);
    assert!(asked.contains("erase ghp_•••••• everywhere, with 2 memories"), "{asked} {}", notice(&desk));
    assert!(asked.contains("in 2 files"), "{asked}");
    let screen = desk.screen();
    assert!(screen.contains("notes.txt") && screen.contains("erase 2"), "{screen}");
    assert!(!screen.contains(&token()[8..20]), "{screen}");
    desk.type_keys("y");
    assert!(desk.app.confirm.is_some(), "only the typed words mean yes");
    desk.agree();
    assert!(desk.app.changes.receipt.is_some(), "{}", notice(&desk));
    assert_eq!(holding(desk._folder.path(), &token()), Vec::<PathBuf>::new());
    desk.press(KeyCode::Esc);
    assert_eq!(listed(&desk), 1, "{}", desk.screen());
    assert!(std::fs::read_to_string(settings).unwrap().contains("••••••"));
}

#[test]
fn the_menu_of_a_memory_takes_its_secret_out_everywhere_and_keeps_it() {
    let mut desk = desk(80, 24);
    let home = crate::folder::new();
    desk.app.home = Some(home.path().to_owned());
    std::fs::write(home.path().join(".bash_history"), format!("ls\nexport KEY={}\n", token())).unwrap();
    desk.type_and_see("d", &["o  take out", "ghp_•••••• out of every memory and copy"]);
    desk.type_keys("o");
    let asked = question(&desk);
    assert!(asked.contains("purge ghp_•••••• everywhere, out of 2 memories"), "{asked} {}", notice(&desk));
    desk.agree();
    assert!(desk.screen().contains("o open place"), "{}", desk.screen());
    desk.type_keys("o");
    assert!(
        notice(&desk).contains("1 of 1: ") && notice(&desk).ends_with(".bash_history:2"),
        "{}",
        notice(&desk)
    );
    assert_eq!(holding(desk._folder.path(), &token()), Vec::<PathBuf>::new());
    assert_eq!(log(&desk).lines().count(), 4, "{}", log(&desk));
    desk.press(KeyCode::Esc);
    for (query, is_offered) in [("budget", true), ("nothing", false)] {
        super::marks::search(&mut desk, query);
        desk.type_keys("d");
        assert_eq!(desk.screen().contains("o  take out"), is_offered, "{query}: {}", desk.screen());
        desk.press(KeyCode::Esc);
    }
}

#[test]
fn the_memory_alone_is_erased_and_the_other_keeps_the_value() {
    let mut desk = desk(120, 36);
    desk.type_keys("gxde");
    desk.agree();
    assert!(desk.app.changes.receipt.is_some(), "{}", notice(&desk));
    assert!(!log(&desk).contains("mem_1\"") && log(&desk).contains(&token()), "{}", log(&desk));
}

#[test]
fn enter_goes_to_the_memory_and_esc_leads_back_to_the_finding() {
    let mut desk = desk(120, 36);
    desk.enter("gxj");
    assert_eq!(desk.app.screen, Screen::Memories);
    assert_eq!(super::changes::selected_id(&desk), "mem_2");
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.screen, desk.app.list_view.list.cursor.at), (Screen::Secrets, 1));
}

#[test]
fn what_is_copied_is_masked() {
    let mut desk = desk(120, 36);
    desk.type_keys("gx");
    desk.app.revealed = true;
    desk.type_keys("y");
    let time = super::now();
    let key = Msg::Key(KeyEvent::new(KeyCode::Char('t'), KeyModifiers::NONE));
    let effects = update(&mut desk.app, key, time);
    let copied =
        effects.into_iter().find_map(|own| if let Effect::Copy(text) = own { Some(text) } else { None });
    let copied = copied.unwrap();
    assert!(copied.contains("ghp_••••••") && !copied.contains(&token()[8..20]), "{copied}");
}

#[test]
fn all_memories_of_a_list_are_erased_with_one_line_of_the_menu_that_says_how_many() {
    for (keys, count, what) in [
        ("", 4, "all memories in this list"),
        ("/type:conversation", 4, "all that `type:conversation` shows"),
    ] {
        let mut desk = desk(120, 36);
        if !keys.is_empty() {
            desk.enter(keys);
        }
        desk.type_and_see("d", &[&format!("{count} memories: {what}, for good")]);
        desk.type_keys("E");
        let typed = desk.app.confirm.as_ref().and_then(|own| own.typed_word.as_ref()).unwrap();
        assert_eq!(typed.required, format!("erase {count}"));
        desk.agree();
        assert!(desk.app.changes.receipt.is_some(), "{}", notice(&desk));
        assert_eq!(log(&desk).matches("\"message\"").count(), 4 - count, "{}", log(&desk));
    }
}

#[test]
fn the_views_whose_rows_are_memories_have_the_menu_too() {
    let mut desk = Desk::new(120, 36);
    for (keys, row) in [("gx", "all memories in this list"), ("gmG", "all memories in this list")] {
        desk.restart(120, 36);
        desk.type_keys(keys);
        desk.type_keys("d");
        let screen = desk.screen();
        assert!(screen.contains("E  erase all") && screen.contains(row), "{keys}: {screen}");
    }
}

#[test]
fn the_receipt_is_read_in_the_journal_and_verified_from_there() {
    let mut desk = on("id:mem_no_retries", 120, 36);
    desk.type_keys("de");
    desk.agree();
    desk.press(KeyCode::Esc);
    desk.enter("gu");
    let screen = desk.screen();
    assert!(screen.contains("1 memory erased") && screen.contains("none has it"), "{screen}");
    assert!(screen.contains("search again"), "{screen}");
    desk.press(KeyCode::Enter);
    assert!(notice(&desk).contains("none has it"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    desk.type_keys("j:verify⏎");
    assert!(
        desk.app.list_view.list.len() == 1 || notice(&desk).contains("no such step"),
        "{}",
        notice(&desk)
    );
}

#[test]
fn what_came_back_after_an_erasure_is_named_with_its_file() {
    let mut desk = desk(120, 36);
    desk.type_keys("gxdv");
    desk.agree();
    desk.press(KeyCode::Esc);
    let file = desk._folder.path().join("sessions/s/memory.jsonl");
    std::fs::write(&file, log(&desk) + &line("mem_9", &format!("again {}", token()))).unwrap();
    desk.send(Msg::StoresChanged);
    desk.type_keys("gu:verify⏎");
    assert!(notice(&desk).contains("found in 1 place"), "{}", notice(&desk));
    let screen = desk.screen();
    assert!(screen.contains("memory.jsonl (as text)"), "{screen}");
    assert!(!screen.contains(&token()[8..20]), "{screen}");
}

#[test]
fn a_filter_finds_no_part_of_a_value_that_is_hidden() {
    let mut desk = desk(80, 24);
    desk.type_keys("gx");
    desk.enter("/jane");
    assert_eq!(listed(&desk), 0);
}
