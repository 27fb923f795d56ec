use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::canonical_write::{canonical_write, path_of, value_at};
use super::super::path_edits::BundleEdit;
use super::shelf::{Shelf, now};
use super::tool::{assert_rendered, faults};

/// A `BundleEdit` that owns its strings.
#[derive(Clone, Debug)]
enum Edit {
    Set(String, String),
    Remove(String),
    Insert(String, String),
}

impl Edit {
    fn borrowed(&self) -> BundleEdit<'_> {
        match self {
            Edit::Set(path, value) => BundleEdit::Set { path, value },
            Edit::Remove(path) => BundleEdit::Remove { path },
            Edit::Insert(path, value) => BundleEdit::Insert { path, value },
        }
    }
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé券🚀 .:`#-]{1,12}",
        Just("two\nlines".to_owned()),
        Just("a\n\n## Modules\n\n- b".to_owned()),
        Just("## Key Paths".to_owned()),
        Just("ends in space  ".to_owned()),
        Just("\u{1}\"\\ \u{2028}".to_owned()),
        Just("- Status: passed".to_owned()),
    ]
    .prop_filter("holds a text", |text| !text.trim().is_empty())
}

/// Makes an edit that the bundle can take.
fn edit(bundle: &Value, (section, index, kind, text): (usize, usize, u8, String)) -> Edit {
    let value = json!(text).to_string();
    let set = |path: &str| Edit::Set(path.to_owned(), value.clone());
    let list = |path: &str, item: String| {
        let mut own = bundle;
        path.split('.').for_each(|name| own = &own[name]);
        let len = own.as_array().unwrap().len();
        match kind % 3 {
            0 if len > 0 => Edit::Remove(format!("{path}.{}", index % len)),
            1 if len > 0 => Edit::Set(format!("{path}.{}", index % len), item),
            _ => Edit::Insert(format!("{path}.{}", index % (len + 1)), item),
        }
    };
    let gotcha = json!({"title": text, "symptom": "s", "cause": text, "correctPath": text, "new": 1});
    let step = json!({"title": text, "why": text, "start": "s", "done": text});
    let module = json!({"name": text, "path": "p", "responsibility": text});
    match section {
        0 => set("project.summary"),
        1 => set("currentFocus.summary"),
        2 => set("currentFocus.validationSnapshot.summary"),
        3 => set("project.packageManager"),
        4 => list("gotchas", gotcha.to_string()),
        5 => list("nextSteps", step.to_string()),
        6 => list("projectMap.modules", module.to_string()),
        7 => list("currentFocus.knownRisks", value.clone()),
        8 => list("projectMap.architectureNotes", value.clone()),
        9 => list("currentFocus.validationSnapshot.suggestedNextActions", value.clone()),
        _ => list("project.keyPaths", value.clone()),
    }
}

type Seed = (usize, usize, u8, String);

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    proptest::collection::vec((0..11_usize, 0..9_usize, any::<u8>(), words()), 1..6)
}

/// Checks that no write leaves new problems for palimp or the tool, and that pages are as rendered.
fn holds(mut shelf: Shelf, seeds: &[Seed]) {
    let known = shelf.problems();
    for (number, seed) in seeds.iter().enumerate() {
        let bundle = shelf.bundle();
        let edit = edit(&bundle, seed.clone());
        let count = shelf.events().len();
        let written = shelf.write(&[edit.borrowed()]).unwrap();
        assert_eq!(written.pages, 6);
        assert_eq!(shelf.problems(), known, "{number} {edit:?}");
        assert_eq!(faults(&shelf), Vec::<String>::new(), "{number} {edit:?}");
        assert_rendered(&shelf);
        let events = shelf.events();
        assert_eq!(events.len(), count + 1);
        assert_eq!(events[count]["sourceRef"], "palimp:edit");
        let canonical = super::shelf::pretty(&shelf.json("state.json"));
        assert_eq!(shelf.store("state.json"), canonical);
    }
}

proptest! {
    #![proptest_config(crate::tries::config(10, 768))]

    #[test]
    fn edits_of_a_made_store_leave_it_clean(seeds in seeds()) {
        holds(Shelf::made(3), &seeds);
    }

    #[test]
    fn what_is_set_back_has_the_bytes_that_it_had(seed in (0..11_usize, 0..9_usize, any::<u8>(), words())) {
        let mut shelf = Shelf::made(2);
        let before = shelf.bundle_text();
        let pages = shelf.beside();
        let edit = edit(&shelf.bundle(), seed);
        let documents = shelf.documents();
        let state = documents.iter().find(|own| own.path.ends_with("state.json")).unwrap();
        let old = |path: &str| value_at(state, path).unwrap();
        let back = match &edit {
            Edit::Set(path, _) => Edit::Set(path.clone(), old(path)),
            Edit::Remove(path) => Edit::Insert(path.clone(), old(path)),
            Edit::Insert(path, _) => Edit::Remove(path.clone()),
        };
        let first = shelf.write(&[edit.borrowed()]).unwrap();
        shelf.write(&[back.borrowed()]).unwrap();
        prop_assert_eq!(shelf.bundle_text(), before.clone(), "{:?}", edit);
        prop_assert_ne!(first.checkpoint, "chk-000004");
        // The pages differ only in the time of the write.
        let since = |text: &[u8]| String::from_utf8(text.to_vec()).unwrap().replace("2026-12-01T08:00:00.120Z", super::shelf::WHEN);
        for ((path, was), (_, is)) in pages.iter().zip(shelf.beside()) {
            prop_assert_eq!(since(&is), since(was), "{} {:?}", path.display(), edit);
        }
        // Both edits in one write change nothing in the bundle.
        let mut shelf = Shelf::made(2);
        shelf.write(&[edit.borrowed(), back.borrowed()]).unwrap();
        prop_assert_eq!(shelf.bundle_text(), before);
    }
}

#[test]
fn the_event_and_the_checkpoint_are_what_the_tool_writes_of_such_a_bundle() {
    let Some(mut shelf) = Shelf::real("init-only") else { return };
    shelf.write(&[]).unwrap();
    let line = shelf.store("history/events.jsonl").lines().nth(1).unwrap().to_owned();
    let new: Value = serde_json::from_str(&line).unwrap();
    // With the bundle's own texts in the signals, recall would bring deleted texts back.
    let lists = new["signals"].as_object().unwrap();
    assert!(lists.len() == 5 && lists.values().all(|list| list == &json!([])), "{lists:?}");
    let keys = ["id", "kind", "sourceId", "externalItemId", "createdAt", "contentHash", "summary", "signals"];
    let mut places: Vec<usize> = keys.iter().map(|key| line.find(&format!("\"{key}\":")).unwrap()).collect();
    places.push(line.find("\"sourceRef\":").unwrap());
    assert!(places.is_sorted() && !line.contains("\": "), "{line}");
    assert_eq!(new["summary"], "palimp edited canonical memory for a-init-only: a test");
    assert_eq!(new["createdAt"], "2026-12-01T08:00:00.120Z");
    let content = json!({"bundleHash": shelf.json("state.json")["bundleHash"],
        "commandName": "palimp:edit", "diffSummary": "a test"});
    assert_eq!(new["contentHash"], super::tool::hash(&content));
    let checkpoint = shelf.store("history/checkpoints/chk-000002.json");
    assert_eq!(checkpoint, super::shelf::pretty(&shelf.json("history/checkpoints/chk-000002.json")));
    assert!(checkpoint.ends_with(
        "\"eventId\": \"evt-000002\",\n  \"id\": \"chk-000002\",\n  \"summary\": \"a test\"\n}\n"
    ));
}

#[test]
fn numbers_come_after_all_that_are_anywhere() {
    let mut shelf = Shelf::made(2);
    let line =
        shelf.store("history/events.jsonl").lines().next().unwrap().replace("evt-000001", "evt-000040");
    shelf.put(".agent-memory/archive/prune-1/events.jsonl", line.clone() + "\n");
    shelf.put(".agent-memory/history/checkpoints/chk-000009.json", "{torn");
    let written = shelf.write(&[]).unwrap();
    assert_eq!((&*written.event, &*written.checkpoint), ("evt-000041", "chk-000010"));
    // A torn last line is closed, and the number in it counts as used.
    let torn = shelf.store("history/events.jsonl") + &line[..200].replace("evt-000040", "evt-000077");
    shelf.put(".agent-memory/history/events.jsonl", torn.clone());
    let written = shelf.write(&[]).unwrap();
    assert_eq!(written.event, "evt-000078");
    let log = shelf.store("history/events.jsonl");
    assert!(log.starts_with(&(torn + "\n{\"id\":\"evt-000078\"")), "{log}");
    assert_eq!(shelf.json("state.json")["maintenance"]["historyEventCount"], 4);
    // A last line that parses is closed, too.
    let mut shelf = Shelf::made(2);
    let open = shelf.store("history/events.jsonl").trim_end().to_owned();
    shelf.put(".agent-memory/history/events.jsonl", open);
    shelf.write(&[]).unwrap();
    assert_eq!(faults(&shelf), Vec::<String>::new());
}

#[test]
fn a_state_in_a_form_of_its_own_keeps_its_bytes_but_for_what_changed() {
    let mut shelf = Shelf::made(1);
    let compact = shelf.json("state.json").to_string();
    let odd = compact
        .replace("\"number\":1.5", "\"number\" : 1.50, \"number\":  10e-1")
        .replace("\"keyPaths\":[", "\"key\\u0050aths\":[ ");
    shelf.put(".agent-memory/state.json", format!("\u{feff}{odd}\r\n"));
    shelf.write(&[BundleEdit::Set { path: "gotchas.1.cause", value: " \"Heat.\" " }]).unwrap();
    let text = shelf.store("state.json");
    assert!(text.starts_with('\u{feff}') && text.ends_with("}\r\n"));
    assert!(text.contains("\"number\" : 1.50, \"number\":  10e-1") && text.contains("\"key\\u0050aths\":[ "));
    let state: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    assert_eq!(state["bundle"]["gotchas"][1]["cause"], "Heat.");
    let hash = state["bundleHash"].as_str().unwrap();
    let checkpoint = shelf.json("history/checkpoints/chk-000002.json");
    // The tool takes the last of repeated members, and reads numbers as JavaScript does.
    assert_eq!(checkpoint["bundle"]["unknown"]["number"], 1);
    assert_eq!(super::tool::hash(&checkpoint["bundle"]), hash);
    assert!(shelf.problems().iter().all(|own| own.starts_with("byte-order-mark")), "{:?}", shelf.problems());
}

const INVALID: &str = "The format's own tool would refuse the bundle";

#[test]
fn what_the_tool_would_refuse_is_refused_and_what_leads_nowhere_too() {
    let shelf = Shelf::made(1);
    let command = r#"{"label":"l","command":["c"],"purpose":"p"}"#;
    let refused = |edits: &[BundleEdit<'_>]| shelf.clone().write(edits).unwrap_err().message;
    let set = |path, value| refused(&[BundleEdit::Set { path, value }]);
    assert!(set("gotchas.0.title", "\"  \"").contains(INVALID));
    assert!(set("gotchas.0", "7").contains(INVALID));
    assert!(set("currentFocus.validationSnapshot.status", "\"odd\"").contains(INVALID));
    assert!(refused(&[BundleEdit::Remove { path: "projectMap.modules" }]).contains(INVALID));
    let two = [BundleEdit::Insert { path: "validationCommands.1", value: command }; 2];
    assert!(refused(&two).contains(INVALID));
    assert!(set("gotchas.0.title", "\"a\" 1").contains("is not JSON"));
    assert!(set("gotchas.3", "{}").contains("The bundle has no `"));
    assert!(set("nothing.here", "1").contains("The bundle has no `"));
    assert!(set("", "1").contains("The bundle has no `"));
    assert!(refused(&[BundleEdit::Remove { path: "gotchas.x" }]).contains("The bundle has no `"));
    let taken = BundleEdit::Insert { path: "unknown", value: "1" };
    assert!(refused(&[taken]).contains("has a `unknown` already"));
    let deep = "[".repeat(70_000) + &"]".repeat(70_000);
    assert!(set("unknown", &deep).contains("is not JSON"));
    let deep = "[".repeat(30_000) + &"]".repeat(30_000);
    assert!(set("unknown", &deep).contains("nested too deep"));
}

#[test]
fn without_a_whole_state_of_this_version_nothing_is_written() {
    let refused = |change: &dyn Fn(&mut Shelf)| {
        let mut shelf = Shelf::made(1);
        change(&mut shelf);
        shelf.write(&[]).unwrap_err().message
    };
    let state = ".agent-memory/state.json";
    let gone = refused(&|own| {
        own.0.remove(std::path::Path::new(state));
    });
    assert!(gone.contains("no `state.json` that can be read"));
    assert!(refused(&|own| own.put(state, "{")).contains("no `state.json` that can be read"));
    assert!(
        refused(&|own| own.change(state, "Version\": 2", "Version\": 1")).contains("`schemaVersion` is not")
    );
    let lacks = refused(&|own| own.change(state, "maintenance", "maint"));
    assert_eq!(lacks, "The state has no object `maintenance`.");
    let shelf = Shelf::made(1);
    let mut documents = shelf.documents();
    for document in &mut documents {
        std::sync::Arc::make_mut(document).offset = 1;
    }
    let refusal = canonical_write(&documents, &[], &[], "", now()).unwrap_err();
    assert!(refusal.message.contains("Only a part of"));
}

#[test]
fn records_are_named_by_their_paths_whatever_their_ids_are() {
    let mut shelf = Shelf::made(1);
    shelf.change(
        ".agent-memory/state.json",
        "\"title\": \"Rust\"",
        "\"id\": \"own.id\",\n \"title\": \"Rust\"",
    );
    let documents = shelf.documents();
    let state = documents.iter().find(|own| own.path.ends_with("state.json")).unwrap();
    let paths: Vec<String> = (0..state.records.len()).map(|own| path_of(state, own).unwrap()).collect();
    let ids: Vec<&str> = state.records.iter().map(|own| own.memory().unwrap().id().unwrap()).collect();
    let differ: Vec<_> = paths.iter().zip(&ids).filter(|(path, id)| path != id).collect();
    assert_eq!(differ, [(&"gotchas.2".to_owned(), &"own.id")]);
    for (path, record) in paths.iter().zip(&state.records) {
        assert_eq!(value_at(state, path).unwrap().as_bytes(), &*state.raw(record));
    }
}
