//! The problems view says the same as `check`.

use crossterm::event::KeyCode;

use crate::model::{Code, Role, Severity};
use crate::tui::state::app::Screen;
use crate::tui::tests::small_desk::finding;
use crate::tui::tests::{Desk, Pane, problems};
use crate::usecase::check_store;

const LOG: &str = "ops/memory/sessions/a/memory.jsonl";

/// Returns how many errors, warnings and notes `check` lists, and its stale derived files.
fn of_check(desk: &Desk) -> ([usize; 3], Vec<String>) {
    let data = desk.app.data.as_deref();
    let stores = desk.app.snapshot.stores.iter().map(|own| {
        let place = crate::store::Place::whole(own.root.clone(), own.format);
        let read = crate::store::load(&place, crate::model::Extent::All, None, desk.app.now);
        check_store(&crate::disk::RealDisk, data, &std::sync::Arc::new(read), desk.app.now).store
    });
    let problems: Vec<_> = stores.flat_map(|own| own.problems.clone()).collect();
    let count = |severity| problems.iter().filter(|own| own.severity == severity).count();
    let stale = problems.iter().filter(|own| own.code == Code::IndexStale);
    let stale = stale.map(|own| own.file.to_string_lossy().into_owned()).collect();
    ([Severity::Error, Severity::Warning, Severity::Note].map(count), stale)
}

#[test]
fn an_index_that_says_otherwise_than_its_records_is_among_the_problems_and_counted_as_check_counts_it() {
    let mut desk = Desk::new(120, 36);
    for (width, height) in [(120, 36), (80, 24)] {
        desk.restart(width, height);
        assert_eq!(desk.app.problem_counts(), of_check(&desk).0);
        let bmad = desk.app.snapshot.stores.iter().find(|own| own.format == "bmad").unwrap();
        let index = bmad.documents.iter().find(|own| own.role == Role::Index).unwrap();
        let file = bmad.root.join(&index.path);
        let mut said: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        said["inverted_index"]["zebra"] = serde_json::json!(["msg-001"]);
        std::fs::write(&file, said.to_string()).unwrap();
        desk.type_keys("R");
        let (counts, stale) = of_check(&desk);
        assert!(stale.iter().any(|own| file.ends_with(own)), "{stale:?}");
        assert_eq!(desk.app.problem_counts(), counts);
        assert_eq!(desk.app.problem_list.len(), counts.iter().sum::<usize>());
        desk.type_keys("gp");
        assert_eq!(desk.app.screen, Screen::Problems);
        let title = crate::check::problem_groups::tally(counts);
        assert!(desk.screen().contains(&title), "{}", desk.screen());
        let told = problems(&desk.app).any(|(store, at)| {
            let own = &desk.app.snapshot.stores[store];
            own.problems[at].code == Code::IndexStale && own.root.join(&own.problems[at].file) == file
        });
        assert!(told);
    }
}

/// Returns the text about the problem under the cursor, in one line.
fn below(desk: &Desk) -> String {
    let kind = crate::tui::list_view::current_kind(&desk.app).unwrap();
    let lines = (kind.about)(&desk.app, 60).lines;
    lines.iter().map(|line| line.to_string() + " ").collect::<String>()
}

#[test]
fn a_problem_that_is_repaired_without_a_loss_shows_its_line_before_and_after() {
    let line = |id: u32| {
        format!(
            "{{\"id\":\"m{id}\",\"type\":\"finding\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"tags\":[],\
             \"content\":{{\"finding\":\"what {id} found\"}}}}"
        )
    };
    let torn = "{\"id\":\"m9\",\"content\":{\"finding\":\"the pool is ba";
    let lines = [line(1), line(2) + &line(3), line(4) + "}", format!("{torn}{}", line(5)), torn.into()];
    let mut desk = Desk::of_files(&[(LOG, lines.join("\n"))], (120, 36));
    desk.type_keys("gp");
    let mut after = Vec::new();
    for _ in 0..desk.app.list_view.list.len() {
        let (_, problem) = crate::tui::list_view::problems::selected(&desk.app).unwrap();
        let code = problem.code;
        if let Some(text) = desk.app.list_view.fixes.as_ref().and_then(|fix| fix.ways.first()?.after.clone())
        {
            if code != Code::TornLine {
                assert!(below(&desk).contains("`palimp repair --all-safe` does this"), "{}", below(&desk));
                assert!(desk.screen().contains("fix loses nothing"), "{}", desk.screen());
            }
            after.push((code, text));
        }
        desk.type_keys("j");
    }
    let of = |code: Code| -> Vec<&str> {
        after.iter().filter(|(own, _)| *own == code).map(|(_, text)| text.as_str()).collect()
    };
    // One glued memory is after a complete memory, the other after a torn one.
    assert_eq!(of(Code::GluedRecords), [format!("{}\n{}", line(2), line(3)), format!("{torn}\n{}", line(5))]);
    assert_eq!(of(Code::ExtraBrace), [line(4)]);
    let mut torn_lines = of(Code::TornLine);
    torn_lines.sort_unstable();
    let [parted, salvaged] = torn_lines[..] else { panic!("{torn_lines:?}") };
    assert_eq!(parted, format!("{torn}\n{}", line(5)));
    assert!(salvaged.starts_with(torn) && salvaged.ends_with(",\"salvaged\":true}"), "{salvaged}");
}

#[test]
fn a_torn_line_shows_its_fixes_and_the_one_that_is_chosen_is_planned_and_carried_out() {
    let mut desk = Desk::new(140, 50);
    desk.type_keys("gp");
    let torn = |desk: &Desk| {
        let all = desk.app.snapshot.stores.iter().flat_map(|own| &own.problems);
        all.filter(|own| own.code == Code::TornLine).count()
    };
    let selected = |desk: &Desk| crate::tui::list_view::problems::selected(&desk.app).map(|own| own.1.code);
    for _ in 0..desk.app.list_view.list.len() {
        if selected(&desk) == Some(Code::TornLine) {
            break;
        }
        desk.type_keys("j");
    }
    assert!(desk.screen().contains("→ keep what can be read as a memory"), "{}", desk.screen());
    let row = crate::tui::update::list_view::row_refresh::cursor_key(&desk.app);
    desk.press(KeyCode::Tab);
    desk.type_keys("j");
    let before = torn(&desk);
    fix(&mut desk);
    let screen = desk.screen();
    assert!(desk.app.confirm.is_some() && screen.contains("quarantine"), "{screen}");
    desk.type_keys("y");
    assert_eq!(torn(&desk), before - 1, "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.type_keys("Gu");
    assert_eq!(torn(&desk), before, "{}", desk.screen());
    assert_eq!(crate::tui::update::list_view::row_refresh::cursor_key(&desk.app), row);
}

#[test]
fn a_filter_finds_whatever_the_rows_of_problems_say() {
    use crate::tui::list_view::problems::words;
    use crate::tui::state::row_list::ListRow;
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gp");
    for row in desk.app.list_view.list.each() {
        let ListRow::Problem(number) = row else { continue };
        let found = words(&desk.app, number);
        for cell in row.cells(&desk.app) {
            let said = cell.text.trim().trim_start_matches(['✖', '⚠', '·']);
            assert!(found.contains(said), "{said}: {found}");
        }
    }
    desk.type_keys("/safe");
    assert!(desk.app.list_view.list.len() > 3, "{}", desk.screen());
}

#[test]
fn a_reference_to_what_is_missing_names_the_memory_and_what_is_missing() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gp/dangling");
    let screen = desk.screen();
    for told in ["cache-keys → a-note-that-is-gone", "mem_oauth_spike_022 → mem_lost_404"] {
        assert!(screen.contains(told), "{told}: {screen}");
    }
    assert!(!screen.contains("linked_to  "), "{screen}");
}

/// Returns a log whose last line is torn, with or without a deletion of that memory before.
fn torn_after(deletes: bool) -> Desk {
    let line = |id| finding(id, &format!("what {id} found"));
    let mut desk = Desk::of_files(&[(LOG, line(1) + &line(2))], (120, 36));
    let file = desk._folder.path().join(LOG);
    if deletes {
        super::marks::search(&mut desk, "id:m2");
        desk.type_keys("dx");
    }
    let left = std::fs::read_to_string(&file).unwrap();
    let whole = line(2);
    std::fs::write(&file, left.replace(&whole, "") + &whole[..whole.len() - 12]).unwrap();
    desk.type_keys("R");
    desk.press(KeyCode::Esc);
    desk.enter("gp/torn");
    desk
}

#[test]
fn of_a_torn_line_whose_memory_was_deleted_no_fix_is_shown_that_brings_it_back() {
    let titles = |desk: &Desk| -> Vec<String> {
        let Some(fix) = &desk.app.list_view.fixes else { panic!("{}", desk.screen()) };
        fix.ways.iter().map(|way| way.title.clone()).collect()
    };
    let desk = torn_after(false);
    assert!(titles(&desk)[0].starts_with("keep what can be read"), "{:?}", titles(&desk));
    let desk = torn_after(true);
    assert_eq!(titles(&desk), ["move the line to quarantine"]);
    assert!(below(&desk).contains("deleted"), "{}", below(&desk));
}

#[test]
fn a_torn_tombstone_is_a_problem_by_that_name_with_fixes_and_no_row_of_the_list() {
    let mut desk = torn_after(false);
    let root = desk.app.snapshot.stores[0].root.clone();
    crate::disk::write_new(&root.join("sessions/a/tombstones.jsonl"), b"{\"id\":\"m").unwrap();
    desk.press(KeyCode::Esc);
    desk.type_keys("R");
    let broken = |desk: &Desk| desk.app.snapshot.stores[0].count(crate::model::State::Broken);
    assert_eq!(broken(&desk), 1);
    desk.enter("/tombstone");
    assert!(desk.screen().contains("torn tombstone"), "{}", desk.screen());
    fix(&mut desk);
    let titles: Vec<String> =
        desk.app.list_view.fixes.iter().flat_map(|fix| &fix.ways).map(|way| way.title.clone()).collect();
    assert_eq!(titles, ["move the line to quarantine"]);
}

#[test]
fn a_memory_leads_to_its_own_problem_and_esc_back_to_it() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("]p");
    let at = desk.app.selected().unwrap();
    assert!(desk.screen().contains("F fix"), "{}", desk.screen());
    fix(&mut desk);
    let (store, problem) = crate::tui::list_view::problems::selected(&desk.app).unwrap();
    let memory = crate::tui::list_view::problems::entry(&desk.app.snapshot, store, problem);
    assert_eq!((desk.app.screen, memory), (Screen::Problems, Some(at)));
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.screen, desk.app.selected()), (Screen::Memories, Some(at)));
}

#[test]
fn one_key_leads_from_a_wrong_checksum_to_the_form_that_repairs_it() {
    let mut desk = Desk::new(80, 24);
    desk.enter("gp/checksum");
    assert!(desk.screen().contains("F fix in its form"), "{}", desk.screen());
    assert!(below(&desk).contains("gets a new checksum: F opens"), "{}", below(&desk));
    desk.press(KeyCode::Enter);
    assert!(desk.app.is_reading() && desk.screen().contains("F fix"), "{}", desk.screen());
    fix(&mut desk);
    assert_eq!(desk.app.screen, Screen::Problems);
    fix(&mut desk);
    assert_eq!(desk.app.screen, Screen::Editor, "{}", desk.screen());
}

#[test]
fn a_fix_changes_only_the_store_whose_problem_is_chosen() {
    let folder = crate::folder::new();
    let text = "- [x](gone.md) — y\n- [D](deploy.md) — z\n";
    let files = ["one", "two"].map(|name| folder.path().join(name).join(".claude/memory/MEMORY.md"));
    for file in &files {
        crate::disk::write_new(file, text.as_bytes()).unwrap();
        let topic = b"---\nname: deploy\ndescription: z\nmetadata: \n  type: project\n---\n\nBy hand.\n";
        crate::disk::write_new(&file.with_file_name("deploy.md"), topic).unwrap();
    }
    let mut desk = Desk::of(folder, 120, 36);
    desk.enter("gp/dangling");
    fix(&mut desk);
    desk.type_keys("y");
    assert_eq!(files.map(|file| std::fs::read_to_string(file).unwrap() != text), [true, false]);
}

pub fn fix(desk: &mut Desk) {
    desk.type_keys("F");
}

#[test]
fn a_digit_goes_to_its_pane_also_where_a_problem_has_several_fixes() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gp3");
    assert_eq!((desk.app.screen, desk.app.focus), (Screen::Memories, Pane::Health));
}

#[test]
fn keys_that_change_a_broken_line_name_the_key_that_leads_to_its_repair() {
    let mut desk = Desk::small(120, 36);
    desk.enter("/is:broken");
    for keys in ["e", "E", "t", "p", "a", "i"] {
        desk.type_keys(keys);
        let told = desk.app.notice.clone().unwrap_or_default();
        assert_eq!(told, "The line is broken: g p shows what repairs it.", "{keys}");
    }
    desk.type_and_see("d", &["The line is broken: g p shows"]);
    desk.press(KeyCode::Esc);
    desk.type_keys("gp");
    let (_, problem) = crate::tui::list_view::problems::selected(&desk.app).unwrap();
    assert_eq!(problem.code, crate::model::Code::TornLine, "{}", desk.screen());
}
