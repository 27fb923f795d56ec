//! What palimp writes into `agent-memory` stores on a real disk: each verb, from its plan to its
//! files, and back. The checks repeat the validation of the format's own tool.

mod recall;
mod repository;

use repository::*;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::agent_memory::{AgentMemoryBuilder, PROJECTIONS, gotcha, hash};
use crate::support::plans;
use palimp::disk::host::Host;
use palimp::disk::{RealDisk, ThisMachine};
use palimp::model::{Change, ChangeKind, CommitReceipt, Entry, Extent, Moment, Plan, Store};
use palimp::ops::{self, FieldAssignment, RecordDraft, Refusal, WriteContext};
use palimp::store::hidden_names::is_ours;
use palimp::store::{CommitError, Place, load, write::Writer};

use serde_json::{Value, json};

const NOW: &str = "2026-02-01T12:00:00Z";
const LATER: &str = "2026-12-01T08:00:00.120Z";

#[test]
fn an_edit_is_one_canonical_write_and_goes_back_and_forth() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    let (before, problems) = (own.shelf(), own.problems());
    fs::set_permissions(own.path("AGENTS.md"), fs::Permissions::from_mode(0o664)).unwrap();
    let before = {
        let mut before = before;
        before.insert("AGENTS.md".into(), own.shelf()[Path::new("AGENTS.md")].clone());
        before
    };
    let (plan, receipt) =
        own.done(edit("gotchas.1", &[set("text", "The clock \"runs\" — ahead"), set("cause", "Heat.")]));
    assert_eq!((plan.records, receipt.step, plan.derived.len()), (1, 1, 0));
    let wanted = [
        ".agent-memory/history/checkpoints/chk-000002.json",
        ".agent-memory/history/events.jsonl",
        ".agent-memory/state.json",
        "AGENTS.md",
        "docs/agent-memory/README.md",
        "docs/agent-memory/current-focus.md",
        "docs/agent-memory/gotchas.md",
        "docs/agent-memory/next-steps.md",
        "docs/agent-memory/project-map.md",
    ];
    assert_eq!(changed(&before, &own.shelf()), wanted);
    let first = plan.changes.first().unwrap();
    assert_eq!(
        (first.kind(), first.path.to_str().unwrap()),
        (ChangeKind::Create, "history/checkpoints/chk-000002.json")
    );
    assert_eq!(plan.changes[1].path, Path::new("state.json"));
    assert_eq!(plan.changes.last().unwrap().path, Path::new("history/events.jsonl"));
    let now = own.json("state.json")["bundle"]["gotchas"][1].clone();
    assert_eq!((&now["title"], &now["cause"]), (&json!("The clock \"runs\" — ahead"), &json!("Heat.")));
    assert_eq!(own.json("state.json")["bundle"]["gotchas"][0], gotcha("The drawer sticks"));
    let event = own.events().pop().unwrap();
    assert_eq!((&event["id"], &event["sourceRef"]), (&json!("evt-000002"), &json!("palimp:edit")));
    assert!(!event["summary"].as_str().unwrap().contains("Heat"), "{event}");
    assert_eq!(own.shelf()[Path::new("AGENTS.md")].0 & 0o777, 0o664);
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn fields_that_are_no_strings_are_json_and_the_main_text_is_found_wherever_it_is() {
    let patient = AgentMemoryBuilder::new().config("/recall/backlogWarnThreshold", json!(10));
    let own = Repository::of(&patient);
    let problems = own.problems();
    own.done(edit("project", &[set("keyPaths", r#"["README.md", "src"]"#), set("text", "A till.")]));
    own.done(edit("currentFocus", &[set("validationSnapshot.summary", "Fine."), set("text", "Selling.")]));
    own.done(edit("validationCommands.0", &[set("text", r#"["make", "check"]"#)]));
    own.done(edit("projectMap", &[set("modules.0.responsibility", "Takes it.")]));
    let bundle = own.json("state.json")["bundle"].clone();
    assert_eq!(bundle["project"]["keyPaths"], json!(["README.md", "src"]));
    assert_eq!(bundle["project"]["summary"], "A till.");
    assert_eq!(bundle["currentFocus"]["summary"], "Selling.");
    assert_eq!(bundle["currentFocus"]["validationSnapshot"]["summary"], "Fine.");
    assert_eq!(bundle["validationCommands"][0]["command"], json!(["make", "check"]));
    assert_eq!(bundle["projectMap"]["modules"][0]["responsibility"], "Takes it.");
    assert_eq!(event_ids(&own).last().unwrap(), "evt-000005");
    own.assert_sound(&problems);
}

#[test]
fn items_of_lists_are_set_by_their_number_and_the_words_of_a_command_as_they_are_shown() {
    let patient = AgentMemoryBuilder::new().config("/recall/backlogWarnThreshold", json!(10));
    let own = Repository::of(&patient);
    let problems = own.problems();
    let command = || own.json("state.json")["bundle"]["validationCommands"][0]["command"].clone();
    own.done(edit("validationCommands.0", &[set("text", "make check all")]));
    assert_eq!(command(), json!(["make", "check", "all"]));
    own.done(edit("validationCommands.0", &[set("command.1", "test")]));
    assert_eq!(command(), json!(["make", "test", "all"]));
    own.done(edit("validationCommands.0", &[set("validationCommands.0.command.2", "some of it")]));
    assert_eq!(command(), json!(["make", "test", "some of it"]));
    let store = own.store();
    let text = [set("text", "make test more of it")];
    let refusal = own.planned(&store, edit("validationCommands.0", &text)).unwrap_err();
    assert!(refusal.message.contains("not JSON"), "where a word ends can't be told: {refusal:?}");
    own.assert_sound(&problems);
}

#[test]
fn an_edit_that_changes_nothing_plans_nothing() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    let store = own.store();
    let plan = own.planned(&store, edit("gotchas.0", &[set("title", "The drawer sticks")])).unwrap();
    assert!(plan.is_empty());
}

#[test]
fn what_the_format_has_not_is_refused_with_the_reason() {
    let own = Repository::of(&kept().source(json!({})));
    let (before, store) = (own.shelf(), own.store());
    let refused = |plan: &dyn Fn(&WriteContext<'_>) -> Result<Plan, Refusal>, why: &str| {
        let refusal = own.planned(&store, plan).unwrap_err();
        assert!(refusal.message.contains(why), "{refusal:?}");
    };
    let field = [set("summary", "x")];
    let edit = |id: &'static str, field: &[FieldAssignment<'_>], why: &str| {
        refused(&|context| ops::edit::edit(context, &entry(context.store, id), field), why);
    };
    edit("evt-000001", &field, "comes from the format's own tool");
    edit("chk-000001", &field, "old copy of the bundle");
    edit("talks", &field, "import sources");
    edit("gotchas.0", &[set("title", " ")], "own tool would refuse");
    edit("projectMap", &[set("text", "x")], "no text of its own");
    edit("project", &[set("keyPaths", "a")], "not JSON");
    edit("project", &[set("keyPaths", "a")], "`keyPaths.0` is the first of a list");
    edit("project", &[set("nothing.here", "a")], "no `project.nothing.here`");
    edit("gotchas.0", &[set("importance", "0.9")], "`gotchas.0` has title, symptom, cause, correctPath");
    edit("project", &[set("keyPaths.9", "a")], "no `project.keyPaths.9`");
    let one = |id: &str| entries(&store, &[id]);
    refused(&|context| plans::tag(context, &one("gotchas.0"), &["x".into()], &[]), "no tags");
    refused(&|context| plans::importance(context, &one("gotchas.0")[0], 0.9), "no importance");
    refused(
        &|context| ops::add::add(context, &RecordDraft { kind: "tool_run", ..RecordDraft::default() }),
        "from its own tool",
    );
    refused(&|context| ops::archive::archive(context, &one("gotchas.0")), "the bundle can't be archived");
    refused(&|context| ops::archive::unarchive(context, &[]), "palimp undo");
    refused(
        &|context| {
            ops::undelete::undelete(context, &one("gotchas.0"), &palimp::ops::erase::ErasedRecords::default())
        },
        "none of these is deleted",
    );
    refused(&|context| ops::delete::delete(context, &one("talks"), &Default::default()), "import sources");
    refused(
        &|context| ops::delete::delete(context, &one("project"), &Default::default()),
        "own tool would refuse",
    );
    refused(&|context| ops::delete::delete(context, &one("chk-000004"), &Default::default()), "stays");
    refused(&|context| ops::compact::compact(context, Some("s")), "no session");
    assert!(
        ops::init::init("agent-memory", Path::new("x"), own.now).unwrap_err().message.contains("own tool")
    );
    assert_same(&own.shelf(), &before);
}

#[test]
fn parts_of_the_bundle_that_are_deleted_are_one_canonical_write() {
    let own = Repository::of(&kept());
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(delete(&["gotchas.0", "nextSteps.0", "gotchas.2"]));
    assert_eq!(plan.records, 3);
    let bundle = own.json("state.json")["bundle"].clone();
    assert_eq!(
        (&bundle["gotchas"], &bundle["nextSteps"]),
        (&json!([gotcha("The clock drifts")]), &json!([]))
    );
    assert_eq!(own.events().len(), 6);
    let summary = own.events()[5]["summary"].as_str().unwrap().to_owned();
    assert!(summary.ends_with("removed gotchas.0, gotchas.2, nextSteps.0"), "{summary}");
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn events_and_checkpoints_are_archived_first_and_a_bundle_item_goes_in_the_same_plan() {
    let own = Repository::of(&kept());
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(delete(&["gotchas.1", "evt-000002", "chk-000001", "evt-000001"]));
    assert_eq!(plan.records, 4);
    assert_eq!(event_ids(&own), ["evt-000003", "evt-000004", "evt-000005", "evt-000006"]);
    assert!(!own.root().join("history/checkpoints/chk-000001.json").exists());
    let batch = own.root().join("archive/prune-20260201T120000000Z");
    let manifest: Value = serde_json::from_slice(&fs::read(batch.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["archivedEventIds"], json!(["evt-000001", "evt-000002"]));
    let was = &before[Path::new(".agent-memory/history/checkpoints/chk-000001.json")].1;
    assert_eq!(&fs::read(batch.join("checkpoints/chk-000001.json")).unwrap(), was);
    let lines = String::from_utf8(before[Path::new(".agent-memory/history/events.jsonl")].1.clone()).unwrap();
    let two: String = lines.split_inclusive('\n').take(2).collect();
    assert_eq!(fs::read_to_string(batch.join("events.jsonl")).unwrap(), two);
    assert_eq!(fs::metadata(&batch).unwrap().permissions().mode() & 0o777, 0o700);
    // Copies come first, removals last, and no file is written twice.
    let kinds: Vec<ChangeKind> = plan.changes.iter().map(Change::kind).collect();
    assert!(kinds.is_sorted_by_key(|kind| {
        [ChangeKind::Create, ChangeKind::Rewrite, ChangeKind::Remove].iter().position(|own| own == kind)
    }));
    let mut paths: Vec<&Path> = plan.changes.iter().map(|change| &*change.path).collect();
    paths.sort();
    assert!(paths.windows(2).all(|two| two[0] != two[1]), "{paths:?}");
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
    assert!(!batch.exists());
}

#[test]
fn without_retention_events_stay_and_the_reason_is_told() {
    let own = Repository::of(&AgentMemoryBuilder::new().event(json!({})));
    let store = own.store();
    for refusal in [
        own.planned(&store, delete(&["evt-000001"])).unwrap_err(),
        own.planned(&store, archive(&["evt-000001"])).unwrap_err(),
        own.planned(&store, |context| ops::compact::compact(context, None)).unwrap_err(),
    ] {
        assert!(refusal.message.contains("retention"), "{refusal:?}");
    }
}

#[test]
fn archiving_is_a_prune_batch_and_what_is_archived_is_left_alone() {
    let own = Repository::of(&kept());
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(archive(&["evt-000001", "chk-000002"]));
    assert_eq!((plan.records, own.events().len()), (2, 4));
    own.assert_sound(&problems);
    let store = own.store();
    let refusal = own.planned(&store, delete(&["evt-000001"])).unwrap_err();
    assert!(refusal.message.contains("archive batch"), "{refusal:?}");
    own.goes_back_and_forth(&before);
}

#[test]
fn compacting_does_what_retention_says_and_nothing_twice() {
    let mut own = Repository::of(&kept());
    own.now = moment("2026-07-01T00:00:00Z");
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(|context| ops::compact::compact(context, None));
    assert_eq!(plan.records, 5);
    assert_eq!(event_ids(&own), ["evt-000004", "evt-000005"]);
    own.assert_sound(&problems);
    let store = own.store();
    assert!(own.planned(&store, |context| ops::compact::compact(context, None)).unwrap().is_empty());
    own.goes_back_and_forth(&before);
}

#[test]
fn what_was_written_since_the_plan_is_a_conflict_and_nothing_is_changed() {
    type Other = fn(&str) -> String;
    let since: [(&str, Other); 3] = [
        (".agent-memory/state.json", |text| text.replace("The drawer sticks", "The drawer stuck")),
        (".agent-memory/history/events.jsonl", |text| {
            text.to_owned() + &text.replace("evt-000001", "evt-000002")
        }),
        (".agent-memory/history/checkpoints/chk-000002.json", |_| "{}\n".into()),
    ];
    for (path, change) in since {
        let own = Repository::of(&AgentMemoryBuilder::new());
        let store = own.store();
        let plan = own.planned(&store, edit("gotchas.1", &[set("cause", "Heat.")])).unwrap();
        let text = fs::read_to_string(own.path(path)).unwrap_or_default();
        own.put(&own.path(path), change(&text).as_bytes());
        let before = own.shelf();
        let error = own.commit(&store, &plan).unwrap_err();
        assert_eq!(error.code(), "E_CONCURRENT_MOD", "{path}: {error}");
        assert!(error.to_string().contains("Nothing was changed") || error.to_string().contains("put back"));
        assert_same(&own.shelf(), &before);
    }
}

/// At the conflict, the batch exists already and is removed again. The other's checkpoint stays.
#[test]
fn a_conflict_half_way_undoes_what_was_made_and_nothing_else() {
    let own = Repository::of(&kept());
    let store = own.store();
    let plan = own.planned(&store, delete(&["gotchas.1", "evt-000001"])).unwrap();
    own.put(&own.root().join("history/checkpoints/chk-000005.json"), b"{}\n");
    let before = own.shelf();
    let error = own.commit(&store, &plan).unwrap_err();
    assert!(error.to_string().contains("Nothing was changed"), "{error}");
    assert_same(&own.shelf(), &before);
    assert!(!own.root().join("archive").exists());
}

#[test]
fn a_projection_that_a_person_wrote_in_meanwhile_keeps_what_they_wrote() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    let (store, problems) = (own.store(), own.problems());
    let plan = own.planned(&store, edit("gotchas.1", &[set("cause", "Heat.")])).unwrap();
    own.put(&own.path("AGENTS.md"), (own.text("AGENTS.md") + "More.\n").as_bytes());
    own.commit(&store, &plan).unwrap();
    assert!(own.text("AGENTS.md").ends_with("More.\n"));
    own.assert_sound(&problems);
    own.undo().unwrap();
    assert!(own.text("AGENTS.md").ends_with("More.\n"));
    own.assert_sound(&problems);
}

#[test]
fn undo_is_refused_once_the_store_was_written_again() {
    let own = Repository::of(&kept());
    let (_, first) = own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    own.done(edit("gotchas.1", &[set("cause", "Cold.")]));
    let before = own.shelf();
    let error = own.with_writer(&own.store(), |writer| writer.undo(Some(first.step))).unwrap_err();
    assert_eq!(error.code(), "E_CONCURRENT_MOD");
    assert!(error.to_string().contains("changed since") && error.to_string().contains("Nothing was changed"));
    // One event is enough: the tool begins and ends each run with one.
    own.undo().unwrap();
    let events = own.text(".agent-memory/history/events.jsonl");
    let last = events.lines().last().unwrap().replace("evt-000006", "evt-000007");
    own.put(&own.root().join("history/events.jsonl"), (events + &last + "\n").as_bytes());
    assert!(own.undo().unwrap_err().to_string().contains("changed since"));
    assert_ne!(own.shelf(), before);
}

#[test]
fn what_is_beside_the_store_and_is_missing_stays_missing_and_is_told() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    fs::remove_file(own.path("docs/agent-memory/gotchas.md")).unwrap();
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    assert_eq!(plan.lines.len(), 1, "{:?}", plan.lines);
    assert!(plan.lines[0].starts_with("docs/agent-memory/gotchas.md is missing"), "{:?}", plan.lines);
    assert_eq!(own.problems(), problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn an_entry_file_that_is_a_link_within_the_repository_is_written_through() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    fs::rename(own.path("AGENTS.md"), own.path("GUIDE.md")).unwrap();
    std::os::unix::fs::symlink("GUIDE.md", own.path("AGENTS.md")).unwrap();
    let (before, problems) = (own.shelf(), own.problems());
    own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    assert!(fs::symlink_metadata(own.path("AGENTS.md")).unwrap().is_symlink());
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn faults_that_a_bundle_had_before_do_not_stand_in_the_way() {
    let faulty = AgentMemoryBuilder::new().bundle(&[("/nextSteps/0/why", json!(""))]);
    let own = Repository::of(&faulty);
    assert!(!own.problems().is_empty());
    own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    assert_eq!(own.faults(), [] as [String; 0]);
}

#[test]
fn stores_that_the_formats_own_tool_made_stay_sound() {
    for name in ["init-only", "full-cycle"] {
        let Some(own) = Repository::real(name) else { continue };
        let (before, problems) = (own.shelf(), own.problems());
        own.done(edit("project", &[set("text", "Said anew.")]));
        own.assert_sound(&problems);
        own.goes_back_and_forth(&before);
        let store = own.store();
        if name == "init-only" {
            continue;
        }
        let events = event_ids(&own);
        let step = store.entries.iter().filter_map(|entry| store.id(entry));
        let step = step.into_iter().find(|id| id.starts_with("nextSteps.")).unwrap();
        own.done(delete(&[&events[0], &events[1], step]));
        own.assert_sound(&problems);
        own.goes_back_and_forth(&before);
        own.done(|context| ops::compact::compact(context, None));
        own.assert_sound(&problems);
    }
}
