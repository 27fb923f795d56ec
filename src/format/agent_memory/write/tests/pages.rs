use proptest::prelude::*;
use serde_json::json;

use super::super::page_parts::{ProjectionSource, parts};
use super::super::page_renewal;
use super::shelf::Shelf;
use super::tool::{assert_rendered, faults};
use crate::format::agent_memory::write::bundle_edit::BundleEdit;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

const GOTCHAS: &str = "docs/agent-memory/gotchas.md";
const FOCUS: &str = "docs/agent-memory/current-focus.md";

fn set<'a>(path: &'a str, value: &'a str) -> BundleEdit<'a> {
    BundleEdit::Set { path, value }
}

#[test]
fn what_people_added_to_a_page_stays_where_it_is() {
    let mut shelf = Shelf::made(2);
    shelf.change(FOCUS, "- Paper runs out.", "- Mine.\n- Paper runs out.");
    shelf.change(FOCUS, "\n## Known Risks", "\nSome words.\n\n## Own\n\n- x\n\n## Known Risks");
    shelf.change(GOTCHAS, "\n## The clock drifts", "\nA remark.\n\n## The clock drifts");
    shelf.change(
        GOTCHAS,
        "Correct path: Gently.\n\n## Rust",
        "Correct path: Gently.\n\n## Own\n\nText.\n\n## Rust",
    );
    let edits =
        [set("currentFocus.knownRisks.1", "\"Ink dries.\""), BundleEdit::Remove { path: "gotchas.1" }];
    shelf.write(&edits).unwrap();
    let focus = shelf.text(FOCUS);
    assert!(
        focus.contains(
            "Some words.\n\n## Own\n\n- x\n\n## Known Risks\n\n- Mine.\n- Paper runs out.\n- Ink dries.\n\n"
        ),
        "{focus}"
    );
    let gotchas = shelf.text(GOTCHAS);
    assert!(gotchas.contains("Gently.\n\nA remark.\n\n## Own\n\nText.\n\n## Rust\n"), "{gotchas}");
    assert!(!gotchas.contains("clock"));
    assert_eq!(faults(&shelf), Vec::<String>::new());
}

#[test]
fn a_page_of_an_older_bundle_is_renewed_from_the_checkpoint_that_it_names() {
    let mut shelf = Shelf::made(1);
    let old = shelf.text(FOCUS);
    shelf.write(&[set("currentFocus.knownRisks", r#"["One.","Two.","Three."]"#)]).unwrap();
    shelf.put(FOCUS, old.replace("- Paper runs out.", "- Paper runs out.\n- Mine."));
    shelf.write(&[]).unwrap();
    let text = shelf.text(FOCUS);
    assert!(text.contains("- One.\n- Mine.\n- Two.\n- Three.\n\n"), "{text}");
    // If that bundle is unknown, everything that looks like a value is replaced.
    shelf.put(FOCUS, old.replace("bundleHash=", "bundleHash=00"));
    shelf.write(&[]).unwrap();
    assert_rendered(&shelf, true);
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
    assert_rendered(&shelf, true);
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
    assert_rendered(&shelf, true);
    let Some(real) = Shelf::real("init-only") else { return };
    let (mut bare, text) = (real.clone(), real.text("README.md"));
    bare.put("README.md", "# a-init-only\n");
    bare.write(&[]).unwrap();
    assert_eq!(bare.text("README.md"), text);
}

#[test]
fn a_page_without_a_list_gets_it_again() {
    let mut shelf = Shelf::made(2);
    let wanted = shelf.text(FOCUS);
    shelf.change(FOCUS, "- Paper runs out.\n- So does ink.\n\n", "");
    shelf.change(GOTCHAS, "Keep this file", "Keep that file");
    let text = shelf.text(GOTCHAS);
    let end = text.find("\n\n## ").unwrap();
    shelf.put(GOTCHAS, format!("{}\n", &text[..end]));
    shelf.write(&[]).unwrap();
    assert_eq!(shelf.text(FOCUS), wanted);
    assert_eq!(shelf.text(GOTCHAS), text);
}

#[test]
fn white_space_that_the_end_of_a_page_lost_comes_back_when_more_follows() {
    let mut shelf = Shelf::made(2);
    shelf.write(&[set("nextSteps.1.done", "\"Full.  \"")]).unwrap();
    assert_rendered(&shelf, true);
    let step = r#"{"title":"t","why":"w","start":"s","done":"d"}"#;
    shelf.write(&[BundleEdit::Insert { path: "nextSteps.2", value: step }]).unwrap();
    assert_rendered(&shelf, true);
}

fn lines() -> impl Strategy<Value = String> {
    let words = [
        "",
        "",
        "# Current Focus",
        "# Gotchas",
        "## Known Risks",
        "## Current State",
        "## Validation Snapshot",
        "- a",
        "- b",
        "券",
        "## a",
        "## b",
        "Symptom: a",
        "Cause: a",
        "Correct path: a",
        "- Status: a",
        "- Summary: b",
        "a",
        "No confirmed gotchas have been recorded yet.",
        "- No known risks recorded.",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..16)
        .prop_map(|lines| lines.join("\n"))
}

fn bundle() -> impl Strategy<Value = String> {
    let texts = || proptest::collection::vec(proptest::sample::select(vec!["a", "b", "a\nb", "券 "]), 0..4);
    (texts(), texts(), texts()).prop_map(|(risks, state, titles)| {
        let gotchas: Vec<_> = titles
            .iter()
            .map(|own| json!({"title": own, "symptom": "a", "cause": "a", "correctPath": own}))
            .collect();
        let summary = titles.first().copied().unwrap_or("a");
        json!({"currentFocus": {"summary": summary, "knownRisks": risks, "currentState": state}, "gotchas": gotchas})
            .to_string()
    })
}

proptest! {
    #![proptest_config(crate::tries::config(512, 8192))]

    #[test]
    fn any_page_is_renewed_and_renewing_it_again_adds_and_loses_nothing(
        page in lines(), old in proptest::option::of(bundle()), new in bundle(), focus in any::<bool>()
    ) {
        let word = if focus { "current-focus" } else { "gotchas" };
        let parted = |bundle: &str| {
            let mut tape = Tape::default();
            let bundle = scan(&mut tape, bundle.as_bytes()).unwrap();
            parts(word, &ProjectionSource { bundle, generated: String::new(), provider: String::new() })
        };
        let (old, new) = (old.map(|old| parted(&old)), parted(&new));
        let page = format!("\n{page}\n");
        let once = page_renewal::renew(&page, old.as_deref(), &new);
        let again = page_renewal::renew(&once, Some(&new), &new);
        // A person's line may look like an equal value. Then the two may change places.
        let sorted = |page: &str| {
            let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        prop_assert_eq!(sorted(&again), sorted(&once), "{:?}", page);
    }
}
