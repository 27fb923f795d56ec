use super::super::path_edits::BundleEdit;
use super::shelf::Shelf;
use super::tool::{assert_rendered, faults};

const GOTCHAS: &str = "docs/agent-memory/gotchas.md";
const FOCUS: &str = "docs/agent-memory/current-focus.md";

fn set<'a>(path: &'a str, value: &'a str) -> BundleEdit<'a> {
    BundleEdit::Set { path, value }
}

#[test]
fn a_page_that_people_changed_is_left_alone_and_is_a_problem() {
    let mut shelf = Shelf::made(2);
    shelf.change(FOCUS, "- Paper runs out.", "- Mine.\n- Paper runs out.");
    let own = shelf.text(FOCUS);
    assert_eq!(shelf.problems().len(), 1, "{:?}", shelf.problems());
    assert!(
        shelf.problems()[0].contains("Its text is not what the format renders"),
        "{:?}",
        shelf.problems()
    );
    let edits =
        [set("currentFocus.knownRisks.1", "\"Ink dries.\""), BundleEdit::Remove { path: "gotchas.1" }];
    assert_eq!(shelf.write(&edits).unwrap().pages, 5);
    assert_eq!(shelf.text(FOCUS), own);
    assert!(!shelf.text(GOTCHAS).contains("clock"));
    let problems = shelf.problems();
    assert!(problems.len() == 1 && problems[0].contains("It was made from the bundle"), "{problems:?}");
}

#[test]
fn a_page_of_a_checkpoint_is_rendered_anew_whatever_its_marker_says() {
    let mut shelf = Shelf::made(1);
    let old = shelf.text(FOCUS);
    shelf.write(&[set("currentFocus.knownRisks", r#"["One.","Two.","Three."]"#)]).unwrap();
    for page in [old.clone(), old.replace("bundleHash=", "bundleHash=00")] {
        shelf.put(FOCUS, page);
        shelf.write(&[]).unwrap();
        assert_rendered(&shelf);
    }
}

#[test]
fn a_state_that_was_edited_by_hand_is_brought_up_to_date() {
    let mut shelf = Shelf::made(2);
    shelf.change(".agent-memory/state.json", "Paper runs out.", "Paper is wet.");
    shelf.change(".agent-memory/state.json", "\"historyEventCount\": 2", "\"historyEventCount\": 9");
    assert!(!faults(&shelf).is_empty());
    shelf.write(&[]).unwrap();
    assert_eq!(faults(&shelf), Vec::<String>::new());
    assert_eq!(shelf.problems(), Vec::<String>::new());
    assert_rendered(&shelf);
}

#[test]
fn line_ends_of_a_page_stay_as_they_are() {
    let mut shelf = Shelf::made(2);
    let crlf = |text: String| text.replace('\n', "\r\n");
    for (path, _) in shelf.beside() {
        let path = path.to_str().unwrap();
        shelf.put(path, crlf(shelf.text(path)));
    }
    let mut other = Shelf::made(2);
    let edits = [set("gotchas.0.title", "\"New\""), BundleEdit::Remove { path: "nextSteps.0" }];
    shelf.write(&edits).unwrap();
    other.write(&edits).unwrap();
    for (path, _) in shelf.beside() {
        let path = path.to_str().unwrap();
        assert_eq!(shelf.text(path), crlf(other.text(path)), "{path}");
    }
}

#[test]
fn what_is_missing_stays_missing_and_what_is_no_projection_is_left_alone() {
    let mut shelf = Shelf::made(2);
    shelf.0.remove(std::path::Path::new(FOCUS));
    shelf.0.remove(std::path::Path::new("AGENTS.md"));
    shelf.put(GOTCHAS, "# My own\n");
    shelf.put("docs/agent-memory/next-steps.md", b"<!-- agent-memory:projection \xff".to_vec());
    let written = shelf.write(&[set("project.summary", "\"x\"")]).unwrap();
    assert_eq!(shelf.text(GOTCHAS), "# My own\n");
    assert!(!shelf.0.contains_key(std::path::Path::new(FOCUS)));
    assert_eq!(written.pages, 2);
    shelf.0.retain(|path, _| path.starts_with(".agent-memory"));
    assert_eq!(shelf.write(&[]).unwrap().pages, 0);
}

#[test]
fn another_entry_file_gets_a_block_behind_its_heading() {
    let mut shelf = Shelf::made(2);
    shelf.put("README.md", "# Kiosk\nWords.\n");
    shelf.write(&[set("project.recommendedEntryFile", "\"README.md\"")]).unwrap();
    let text = shelf.text("README.md");
    assert!(text.starts_with("# Kiosk\n\n<!-- agent-memory:entry version=3 bundleHash="), "{text}");
    assert!(text.ends_with("project memory.\n<!-- agent-memory:entry end -->\n\nWords.\n"), "{text}");
    assert_eq!(faults(&shelf), Vec::<String>::new());
    assert_eq!(shelf.problems(), Vec::<String>::new());
    assert_rendered(&shelf);
    let Some(real) = Shelf::real("init-only") else { return };
    let (mut bare, text) = (real.clone(), real.text("README.md"));
    bare.put("README.md", "# a-init-only\n");
    bare.write(&[]).unwrap();
    assert_eq!(bare.text("README.md"), text);
}

#[test]
fn white_space_that_the_end_of_a_page_lost_comes_back_when_more_follows() {
    let mut shelf = Shelf::made(2);
    shelf.write(&[set("nextSteps.1.done", "\"Full.  \"")]).unwrap();
    assert_rendered(&shelf);
    let step = r#"{"title":"t","why":"w","start":"s","done":"d"}"#;
    shelf.write(&[BundleEdit::Insert { path: "nextSteps.2", value: step }]).unwrap();
    assert_rendered(&shelf);
}
