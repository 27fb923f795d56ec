//! The demo's `agent-memory` store and its projections. Only the format's own tool can begin such a store.

use std::path::Path;

use serde_json::{Value, json};

use super::demo_memory::DemoMemory;
use super::stores::DemoInputs;
use crate::demo::{DemoFile, PlantedProblem};
use crate::format::agent_memory_pages;
use crate::format::record_reader::whole_object;
use crate::format::writing::Result;
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Moment};
use crate::text::canonical::sha256_indented;
use crate::text::json_scanner::Tape;

const REPOSITORY: &str = "web";
/// The number of events outside the story.
const EVENTS: i64 = 12;
const CHECKPOINTS: usize = 3;
const BUNDLE: &str = include_str!("../../assets/demo/bundle.json");
/// The focus at earlier checkpoints.
const EARLIER: [&str; 2] = ["Search without a page of its own", "The cart in the customer's own currency"];

/// Returns the store's files and their problems.
pub fn write(given: &mut DemoInputs<'_>) -> Result<(Vec<DemoFile>, Vec<PlantedProblem>)> {
    let now = given.now;
    let repository = Path::new(REPOSITORY);
    let root = repository.join(".agent-memory");
    let mut told = given.story.of("web");
    for number in 0..EVENTS {
        let mut all = given.material.tell("decision", now.plus(-(2 * number + 6) * DAY), given.chance);
        let kind = if number % 3 == 0 { "imported_session" } else { "tool_run" };
        all.iter_mut().for_each(|own| kind.clone_into(&mut own.kind));
        told.extend(all);
    }
    told.sort_by_key(|own| own.when);
    let log: String = told.iter().zip(1..).map(|(own, number)| event(own, number) + "\n").collect();
    let bundles: Vec<String> = (1..=CHECKPOINTS).map(|number| bundle(number, now)).collect();
    let mut files = vec![
        (root.join("history/events.jsonl"), log.into_bytes()),
        (root.join("sources.json"), sources(now)),
        (root.join("config.json"), br#"{"retention":{"enabled":false}}"#.to_vec()),
    ];
    for (number, bundle) in (1..).zip(&bundles) {
        let path = root.join(format!("history/checkpoints/chk-{number:06}.json"));
        files.push((path, checkpoint(number, bundle, &told)));
    }
    for path in ["src/main.rs", "Cargo.toml", "imports/notebook/1.jsonl", "imports/chat/1.jsonl"] {
        files.push((repository.join(path), Vec::new()));
    }
    let latest = bundles.last().map_or("{}", String::as_str);
    let states = bundles.iter().map(|bundle| state(bundle, told.len(), now)).collect::<Vec<_>>();
    let (projections, planted) = projections(repository, &states, &hash(latest));
    files.extend(states.into_iter().next_back().map(|state| (root.join("state.json"), state)));
    files.extend(projections);
    Ok((files, [planted, vec![(root.join("sources.json"), Some(1), Code::SyncFailed)]].concat()))
}

fn hash(bundle: &str) -> String {
    let mut tape = Tape::default();
    let value = whole_object(&mut tape, bundle.as_bytes()).ok();
    value.and_then(sha256_indented).unwrap_or_default()
}

/// Returns when the bundle was last written.
fn written(now: Moment) -> String {
    now.plus(-4 * DAY - HOUR).to_rfc3339()
}

/// Returns a bundle. Each later one has one more gotcha, one more step and another focus.
fn bundle(number: usize, now: Moment) -> String {
    let mut bundle: Value =
        serde_json::from_str(&BUNDLE.replace("{validated}", &written(now))).unwrap_or_default();
    for (list, more) in [("gotchas", 1), ("nextSteps", 0)] {
        if let Some(items) = bundle.get_mut(list).and_then(Value::as_array_mut) {
            items.truncate(number + more);
        }
    }
    if let Some(focus) = EARLIER.get(number - 1) {
        bundle["currentFocus"]["summary"] = json!(focus);
    }
    bundle.to_string()
}

fn checkpoint(number: usize, bundle: &str, told: &[DemoMemory]) -> Vec<u8> {
    let event = number * (told.len() / CHECKPOINTS);
    let created = told.get(event - 1).map(|own| own.when.to_rfc3339()).unwrap_or_default();
    let hash = hash(bundle);
    let checkpoint = format!(
        r#"{{"bundle":{bundle},"bundleHash":"{hash}","createdAt":"{created}","eventId":"evt-{event:06}","id":"chk-{number:06}","summary":"Updated gotchas, next steps and current focus."}}"#
    );
    checkpoint.into()
}

fn state(bundle: &str, events: usize, now: Moment) -> Vec<u8> {
    let (hash, at) = (hash(bundle), written(now));
    let state = format!(
        r#"{{"bundle":{bundle},"bundleHash":"{hash}","generatedAt":"{at}","generatorVersion":"0.3.0","maintenance":{{"historyEventCount":{events},"importSourceCount":2,"lastRecalledAt":"{at}","lastRecalledEventId":"evt-{events:06}","latestCheckpointId":"chk-{CHECKPOINTS:06}","recallCursors":{{}}}},"provider":{{"name":"local"}},"schemaVersion":2}}"#
    );
    state.into()
}

fn event(own: &DemoMemory, number: usize) -> String {
    let source = if own.kind == "imported_session" { "notebook" } else { "agent-memory.local" };
    let event = json!({
        "id": format!("evt-{number:06}"), "kind": own.kind, "sourceId": source, "externalItemId": null,
        "createdAt": own.when.to_rfc3339(), "contentHash": format!("{number:016x}"), "summary": own.main,
        "signals": {"decisions": [own.more], "gotchas": [], "nextStepHints": [], "keyPaths": ["src"],
            "validationObservations": []},
        "sourceRef": "agent-memory:recall"
    });
    event.to_string()
}

fn sources(now: Moment) -> Vec<u8> {
    let (first, last) = (now.plus(-60 * DAY).to_rfc3339(), written(now));
    let source = |id: &str, status: &str, error: &str| {
        format!(
            r#"{{"createdAt":"{first}","id":"{id}","lastImportedCount":4,"lastSyncError":{error},"lastSyncStatus":"{status}","lastSyncedAt":"{last}","path":"imports/{id}","type":"transcripts","updatedAt":"{last}"}}"#
        )
    };
    let failed = source("chat", "failed", "\"no such folder\"");
    format!("[{},{failed}]", source("notebook", "passed", "null")).into()
}

/// Returns the projections of the last state and the entry block. One projection is of the first state.
fn projections(repository: &Path, states: &[Vec<u8>], hash: &str) -> (Vec<DemoFile>, Vec<PlantedProblem>) {
    let stale = Path::new("docs/agent-memory/next-steps.md");
    let pages = |state: &Vec<u8>| agent_memory_pages(state).into_iter();
    let old = states.first().into_iter().flat_map(pages).filter(|(path, _)| Path::new(path) == stale);
    let new = states.last().into_iter().flat_map(pages).filter(|(path, _)| Path::new(path) != stale);
    let mut files: Vec<DemoFile> =
        new.chain(old).map(|(path, text)| (repository.join(path), text.into_bytes())).collect();
    let entry = format!(
        "# Web\n\n<!-- agent-memory:entry version=3 bundleHash={hash} start -->\nRead `.agent-memory`.\n\
         <!-- agent-memory:entry end -->\n"
    );
    files.push((repository.join("README.md"), entry.into_bytes()));
    let planted = repository.join(".agent-memory/..").join(stale);
    (files, vec![(planted, Some(1), Code::ProjectionStale)])
}
