//! Verbs that change `a-mem` stores on a real disk, with undo and redo; `check` finds nothing new.

mod maintenance;
mod notes;
mod site;

use site::*;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use palimp::disk::host::Host;
use palimp::disk::{RealDisk, ThisMachine};
use palimp::format::writing::NO_COMPRESSED_FILES;
use palimp::model::{Entry, Extent, Moment, Plan, State, Store};
use palimp::ops::delete::DeleteOptions;
use palimp::ops::{self, FieldAssignment, RecordDraft, Refusal, WriteContext};
use palimp::store::hidden_names::is_ours;
use palimp::store::{Place, load, packed_bytes, write::Writer};

const NOW: &str = "2026-02-15T12:00:00Z";
const STAMP: &str = "2026-02-15T12:00:00.000000+00:00";

#[test]
fn an_event_is_added_to_its_log_and_to_its_trace() {
    let site = healthy();
    let log = site.read("events/2026-02/events.jsonl");
    let record = r#"{"event_type": "gateway.tool_call", "status": "failure", "source": "me", "trace_id": "ghi",
        "metadata": {"tool_name": "deploy"}}"#;
    let plan = site.does(|context| add(context, "event", Some("no \"route\""), Some(record)));
    assert_eq!((plan.records, plan.changes.len(), plan.derived.len()), (1, 2, 0));
    let line = format!(
        "{{\"timestamp\": \"{STAMP}\", \"trace_id\": \"ghi\", \"status\": \"failure\", \"schema_version\": \"1.0\", \
         \"event_type\": \"gateway.tool_call\", \"source\": \"me\", \"metadata\": {{\"tool_name\": \"deploy\",\"error\": \"no \\\"route\\\"\"}}}}\n"
    );
    assert_eq!(site.read("events/2026-02/events.jsonl"), log.clone() + &line);
    assert_eq!(site.read("events/2026-02/traces/ghi.jsonl"), log + &line);
    let store = site.load();
    let own = of_file(&store, "2026-02").into_iter().next_back().unwrap();
    assert_eq!(palimp::format::text_of(&store, &own).text.raw(), "gateway.tool_call failure · no \"route\"");
}

#[test]
fn an_event_that_is_a_text_alone_gets_the_rest() {
    let site = Site::of(&[("knowledge/notes/lone.md", LONE)]);
    site.does(|context| add(context, "event", Some("lunch"), None));
    let store = site.load();
    let own = of_kind(&store, "event")[0];
    assert_eq!(palimp::format::text_of(&store, &own).text.raw(), "user.noted success · lunch");
    assert_eq!(store.entries.len(), 2);
    site.does(|context| {
        add(
            context,
            "event",
            Some("then"),
            Some(r#"{"timestamp": "2025-12-31T10:00:00+01:00", "trace_id": "t"}"#),
        )
    });
    let earlier = site.read("events/2025-12/traces/t.jsonl");
    assert!(earlier.starts_with("{\"timestamp\": \"2025-12-31T09:00:00.000000+00:00\""), "{earlier}");
}

#[test]
fn events_that_break_the_schema_are_refused() {
    let site = healthy();
    for (record, part) in [
        (r#"{"status": "odd"}"#, "one of success, failure, pending, timeout"),
        (r#"{"trace_id": "../x"}"#, "no separators"),
        (r#"{"trace_id": 7}"#, "`trace_id` should be a text"),
        (r#"{"metadata": []}"#, "JSON object"),
        (r#"{"actor": "me"}"#, "no field \"actor\""),
        (r#"{"timestamp": "2026-01-01"}"#, "with a zone"),
        (r#"{"timestamp": "2027-01-01T00:00:00Z"}"#, "in the future"),
    ] {
        site.refuses(part, |context| add(context, "event", None, Some(record)));
    }
    let both = Some(r#"{"metadata": {"error": "x"}}"#);
    site.refuses("leave out the text", |context| add(context, "event", Some("y"), both));
    site.refuses("neither tags nor importance", |context| {
        ops::add::add(
            context,
            &RecordDraft { kind: "event", text: Some("x"), importance: Some(1.0), ..RecordDraft::default() },
        )
    });
    site.refuses("event, note or profile", |context| add(context, "query", Some("x"), None));
}

#[test]
fn the_event_log_only_grows() {
    let site = healthy();
    let first = |context: &WriteContext<'_>| of_kind(context.store, "event")[0];
    site.refuses("the event log only grows", |context| {
        ops::edit::edit(context, &first(context), &[set("status", "failure")])
    });
    site.refuses("the event log only grows", |context| {
        crate::support::plans::tag(context, &[first(context)], &tags(&["x"]), &[])
    });
    site.refuses("the event log only grows", |context| {
        ops::delete::delete(context, &[first(context)], &DeleteOptions::default())
    });
    let remove = DeleteOptions { remove: true, ..DeleteOptions::default() };
    site.refuses("secrets can be erased", |context| ops::delete::delete(context, &[first(context)], &remove));
    site.refuses("only notes have an importance", |context| {
        crate::support::plans::importance(context, &first(context), 0.9)
    });
    site.refuses("nothing is ever removed", |context| ops::compact::compact(context, None));
}

#[test]
fn profiles_are_added_and_edited() {
    let site = healthy();
    site.does(|context| {
        edit(context, "helper", &[("preferences.verbose", "false"), ("preferences.tone", "42")])
    });
    let wanted = PROFILE
        .replace("true", "false")
        .replace("\"plain\"", "\"42\"")
        .replace("2026-01-30T00:00:00Z", STAMP);
    assert_eq!(site.read("profiles/helper.json"), wanted);
    site.does(|context| {
        let fields = [
            ("preferences.size", "12"),
            ("preferences.name", "a b"),
            ("session_count", "4"),
            ("capabilities.deploys.skill_level", "expert"),
            ("capabilities.builds.skill_level", "novice"),
        ];
        edit(context, "helper", &fields)
    });
    let profile: serde_json::Value = serde_json::from_str(&site.read("profiles/helper.json")).unwrap();
    assert_eq!(profile["preferences"]["size"], 12);
    assert_eq!(profile["preferences"]["name"], "a b");
    assert_eq!(profile["capabilities"]["deploys"]["skill_level"], "expert");
    assert_eq!(profile["capabilities"]["builds"]["skill_level"], "novice");
    assert_eq!(profile["session_count"], 4);
    let bad = |name: &'static str, value: &'static str| {
        move |context: &WriteContext<'_>| edit(context, "helper", &[(name, value)])
    };
    site.refuses("one of novice", bad("capabilities.deploys.skill_level", "god"));
    site.refuses("should be 0 or more", bad("session_count", "-1"));
    site.refuses("is not JSON", bad("session_count", "many"));
    site.refuses("a profile has no text", bad("text", "x"));
    site.does(|context| {
        add(context, "profile", None, Some(r#"{"agent_name": "other", "preferences": {"a": 1}}"#))
    });
    let other = "{\n  \"agent_name\": \"other\",\n  \"agent_version\": \"unknown\",\n  \"last_active\": \"2026-02-15T12:00:00.000000+00:00\",\n  \"session_count\": 0,\n  \"preferences\": {\"a\": 1}\n}\n";
    assert_eq!(site.read("profiles/other.json"), other);
    site.refuses("already exists", |context| add(context, "profile", Some("other"), None));
    site.refuses("names a file", |context| add(context, "profile", Some("a/b"), None));
    site.does(|context| edit(context, "failures", &[("text", "SELECT 2;")]));
    assert_eq!(site.read("queries/failures.sql"), "SELECT 2;\n");
}

#[test]
fn a_month_is_compressed_whole_and_comes_back_byte_for_byte() {
    let site = healthy();
    let before = site.tree();
    // Only one event is named. The torn line and other programs' files of the month go with it.
    let log = site.read("events/2026-01/events.jsonl") + "{\"timestamp\": \"2026-01-";
    site.write("events/2026-01/events.jsonl", log.as_bytes());
    let plan = site.does(|context| ops::archive::archive(context, &of_file(context.store, "2026-01")[..1]));
    assert_eq!(plan.records, 2);
    assert_eq!(gunzip(&fs::read(site.root().join("events/2026-01/events.jsonl.gz")).unwrap()), log);
    assert!(!site.has("events/2026-01/events.jsonl") && !site.has("events/2026-01/traces/abc.jsonl"));
    let told = site.read("events/2026-02/events.jsonl");
    let told = told.lines().last().unwrap();
    assert!(told.contains("memory.events_archived") && told.contains("\"months\": [\"2026-01\"]"), "{told}");
    assert!(told.contains("\"files\": 3, \"events\": 3"), "{told}");
    let archived = site.load();
    assert_eq!(archived.count(State::Archived), 2);
    site.refuses("unarchive it first", |context| {
        ops::edit::edit(context, &of_file(context.store, "2026-01")[0], &[set("status", "failure")])
    });
    site.refuses("was not read completely", |context| {
        ops::archive::unarchive(context, &of_file(context.store, "2026-01")[..1])
    });
    site.does(|context| ops::archive::unarchive(context, &of_file(context.store, "2026-01")[..1]));
    let mut wanted = before;
    wanted.insert("events/2026-01/events.jsonl".into(), log.into_bytes());
    let is_old = |path: &PathBuf| path.starts_with("events/2026-01") || !path.starts_with("events");
    let mut now = site.tree();
    now.retain(|path, _| is_old(path));
    wanted.retain(|path, _| is_old(path));
    assert_same(&now, &wanted);
    assert!(site.read("events/2026-02/events.jsonl").contains("memory.events_unarchived"));
}

#[test]
fn what_is_added_to_a_compressed_month_comes_back_behind_it() {
    let site = healthy();
    let (old, late) = (event("2026-01-02T00:00:00Z", "old"), event("2026-01-30T00:00:00Z", "late"));
    let log = site.read("events/2026-01/events.jsonl");
    site.write("events/2026-01/events.jsonl.gz", &gzip(old.trim_end()));
    site.does(|context| ops::archive::archive(context, &of_file(context.store, "2026-01/events.jsonl")));
    let packed = fs::read(site.root().join("events/2026-01/events.jsonl.gz")).unwrap();
    assert_eq!(gunzip(&packed), format!("{old}{log}"));
    site.write("events/2026-01/events.jsonl", late.as_bytes());
    site.does(|context| ops::archive::unarchive(context, &of_file(context.store, "2026-01/events.jsonl.gz")));
    assert_eq!(site.read("events/2026-01/events.jsonl"), format!("{old}{log}{late}"));
    // A month that is not over, compressed by another program: the event about the change goes into it.
    let site = Site::of(&[("events/2026-01/events.jsonl", &log)]);
    site.write("events/2026-02/events.jsonl.gz", &gzip(&old));
    site.does(|context| ops::archive::unarchive(context, &of_file(context.store, "2026-02")));
    let back = site.read("events/2026-02/events.jsonl");
    assert!(back.starts_with(&old) && back.contains("memory.events_unarchived"), "{back}");
}

#[test]
fn logs_directly_below_events_are_months_too() {
    let old = event("2026-01-17T12:00:00Z", "abc");
    let site = Site::of(&[
        ("events/2026-01.jsonl", &old),
        ("events/2026-02.jsonl", &event("2026-02-01T00:00:00Z", "b")),
        ("events/script-usage.jsonl", &event("2026-01-05T00:00:00Z", "c")),
        ("traces/abc.jsonl", &old),
    ]);
    site.does(|context| ops::archive::archive(context, &of_file(context.store, "2026-01")));
    assert!(site.has("events/2026-01.jsonl.gz") && site.has("traces/abc.jsonl"));
    assert!(site.read("events/2026-02.jsonl").contains("\"months\": [\"2026-01\"]"));
    assert_eq!(site.load().entries.len(), 4);
    site.refuses("is not the log of a month", |context| {
        ops::archive::archive(context, &of_file(context.store, "script-usage"))
    });
    site.does(|context| ops::archive::unarchive(context, &of_file(context.store, "2026-01")));
    assert_eq!(site.read("events/2026-01.jsonl"), old);
}

#[test]
fn only_what_is_over_is_archived() {
    let site = healthy();
    site.refuses("log of a past month", |context| {
        ops::archive::archive(context, &of_file(context.store, "2026-02"))
    });
    site.refuses("only deprecated notes", |context| {
        ops::archive::archive(context, &named(context.store, "lone"))
    });
    site.refuses("only months", |context| ops::archive::archive(context, &named(context.store, "helper")));
    site.does(|context| {
        ops::delete::delete(context, &named(context.store, "lone"), &DeleteOptions::default())
    });
    site.refuses("\"lone\" can be archived on 2027-02-15", |context| {
        ops::archive::archive(context, &named(context.store, "lone"))
    });
    let torn = healthy();
    let packed = gzip(&event("2026-01-02T00:00:00Z", "old"));
    torn.write("events/2026-01/events.jsonl.gz", &packed[..packed.len() - 9]);
    torn.refuses("can't be unpacked completely", |context| {
        ops::archive::archive(context, &of_file(context.store, "2026-01/events.jsonl"))
    });
    let twice = Site::of(&[("knowledge/notes/lone.md", LONE)]);
    twice.write("events/2026-01/events.jsonl.gz", &gzip(&event("2026-01-02T00:00:00Z", "old")));
    twice.write("archive/events/2026-01/events.jsonl", event("2026-01-03T00:00:00Z", "old").as_bytes());
    let store = twice.load();
    let packed =
        packed_bytes(&RealDisk, &store, &ops::archive::packed(&store, &store.entries).unwrap()).unwrap();
    let refusal = ops::archive::unarchive(&twice.context(&store, &packed), &store.entries).unwrap_err();
    assert!(refusal.message.contains("two archived files"), "{}", refusal.message);
    torn.refuses("can't be unpacked completely", |context| {
        let all: Vec<Entry> = context.store.entries.clone();
        ops::archive::unarchive(context, &all)
    });
}

#[test]
fn a_note_that_was_deprecated_a_year_ago_is_moved_and_comes_back() {
    let site = healthy();
    let before = site.tree();
    let plan = site.does(|context| ops::archive::archive(context, &named(context.store, "trace-pattern")));
    assert!(plan.derived.iter().all(|change| change.is_empty()));
    assert_eq!(site.read("archive/knowledge/notes/trace-pattern.md"), PATTERN);
    let store = site.load();
    assert_eq!(named(&store, "trace-pattern")[0].state, State::Archived);
    site.refuses("unarchive it first", |context| {
        ops::undelete::undelete(
            context,
            &named(context.store, "trace-pattern"),
            &palimp::ops::erase::ErasedRecords::default(),
        )
    });
    site.does(|context| ops::archive::unarchive(context, &named(context.store, "trace-pattern")));
    assert_same(&site.tree(), &before);
}

#[test]
fn an_empty_store_is_made() {
    let site = Site::empty();
    fs::remove_dir_all(site.root()).unwrap();
    let plan = ops::init::init("a-mem", &site.root(), site.now).unwrap();
    let paths: Vec<&str> = plan.changes.iter().filter_map(|change| change.path.to_str()).collect();
    let wanted = "README.md events knowledge/notes knowledge/tags.json knowledge/links.json profiles queries";
    assert_eq!(paths.join(" "), wanted);
    fs::create_dir_all(site.root()).unwrap();
    site.write_with(&site.load(), |writer| drop(writer.commit(&plan).unwrap()));
    assert!(site.root().join("knowledge/notes").is_dir() && site.root().join("queries").is_dir());
    assert_eq!(problems(&site.load()), BTreeSet::new());
    site.does(|context| add(context, "note", Some("First"), None));
    assert!(site.read("knowledge/tags.json").contains("tags"));
}

#[test]
fn indexes_that_are_right_keep_their_bytes() {
    let site = healthy();
    let odd = LINKS.replace("{\"id\": \"lone\"", "{   \"id\":\"lone\"");
    site.write("knowledge/links.json", odd.as_bytes());
    site.does(|context| edit(context, "timeout-fix", &[("confidence", "low")]));
    assert_eq!(site.read("knowledge/links.json"), odd);
    assert_eq!(site.read("knowledge/tags.json"), TAGS);
}

fn real(name: &str) -> Option<Site> {
    let from =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/a-mem").join(name).join(".chora/memory");
    if !from.is_dir() {
        eprintln!("skipped: {} is not there", from.display());
        return None;
    }
    let site = Site::empty();
    let mut tree = Tree::new();
    gather(&from, &from, &mut tree);
    tree.iter().for_each(|(path, bytes)| site.write(path, bytes));
    Some(site)
}

#[test]
fn stores_of_others_are_written_by_their_own_customs() {
    let Some(site) = real("own-writer") else { return };
    site.does(|context| add(context, "event", Some("hello"), Some(r#"{"trace_id": "t"}"#)));
    assert!(site.has("events/2026-02/traces/t.jsonl"));
    let plan = site.does(|context| edit(context, "backend-pattern-21", &[("confidence", "high")]));
    let changed: Vec<usize> = plan.derived.iter().filter(|own| !own.is_empty()).map(|_| 1).collect();
    assert_eq!(changed.len(), 0, "{:?}", plan.derived);
    site.does(|context| {
        crate::support::plans::tag(context, &named(context.store, "backend-pattern-21"), &tags(&["new"]), &[])
    });
    site.does(|context| {
        ops::delete::delete(context, &named(context.store, "backend-pattern-21"), &DeleteOptions::default())
    });
    site.does(|context| {
        ops::undelete::undelete(
            context,
            &named(context.store, "backend-pattern-21"),
            &palimp::ops::erase::ErasedRecords::default(),
        )
    });
    let log = site.read("events/2025-08/events.jsonl");
    site.does(|context| ops::archive::archive(context, &of_file(context.store, "2025-08")[..1]));
    assert_eq!(gunzip(&fs::read(site.root().join("events/2025-08/events.jsonl.gz")).unwrap()), log);
    site.does(|context| ops::archive::unarchive(context, &of_file(context.store, "2025-08")));
    assert_eq!(site.read("events/2025-08/events.jsonl"), log);
    site.does(|context| edit(context, "claude-code", &[("preferences.x", "1")]));
}

#[test]
fn stores_in_the_wild_can_be_written_too() {
    let Some(site) = real("in-the-wild") else { return };
    site.does(|context| add(context, "event", Some("hello"), None));
    site.does(|context| add(context, "note", Some("# New\n\nText.\n"), None));
    assert!(site.has("knowledge/new.md"));
    let notes = of_kind(&site.load(), "note").len();
    for at in (0..notes).step_by(crate::support::tries::count(5, 1)) {
        let own = |context: &WriteContext<'_>| of_kind(context.store, "note")[at];
        let is_fit =
            site.plan(|context| ops::edit::edit(context, &own(context), &[set("confidence", "high")]));
        match is_fit {
            Ok(plan) if plan.is_empty() => {}
            Ok(_) => drop(
                site.does(|context| ops::edit::edit(context, &own(context), &[set("confidence", "high")])),
            ),
            Err(refusal) => assert!(!refusal.message.is_empty()),
        }
    }
    site.does(|context| ops::archive::archive(context, &of_file(context.store, "events/2025-11.jsonl")[..1]));
    site.does(|context| ops::archive::unarchive(context, &of_file(context.store, "events/2025-11.jsonl.gz")));
}
