//! The demo's `agent-memory` store, in a repository with its projections.

use std::path::{Path, PathBuf};

use super::File;
use super::chance::Chance;
use super::json::quoted;
use super::log::Planted;
use super::material::{About, Material, column};
use crate::format::reading::whole_object;
use crate::model::time::DAY;
use crate::model::{Code, Moment};
use crate::text::canonical::sha256_indented;
use crate::text::scan::Tape;

/// The repository that the store is in.
const REPOSITORY: &str = "project";
const EVENTS: u32 = 14;
const CHECKPOINTS: u32 = 3;
const BUNDLE: &str = include_str!("../../assets/demo/bundle.json");

/// The store's files, and what is wrong with them.
pub fn write(material: &mut Material, chance: &mut Chance, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let repository = Path::new(REPOSITORY);
    let root = repository.join(".agent-memory");
    let bundles: Vec<String> =
        (1..=CHECKPOINTS).map(|number| bundle(material, chance, number, now)).collect();
    let mut files = vec![
        (root.join("history/events.jsonl"), events(material, chance, now)),
        (root.join("sources.json"), sources(now)),
        (root.join("config.json"), br#"{"retention":{"enabled":false}}"#.to_vec()),
    ];
    for (number, bundle) in (1..).zip(&bundles) {
        let path = root.join(format!("history/checkpoints/chk-{number:06}.json"));
        files.push((path, checkpoint(number, bundle, now)));
    }
    for path in ["src/main.rs", "Cargo.toml", "imports/notebook/1.jsonl", "imports/chat/1.jsonl"] {
        files.push((repository.join(path), Vec::new()));
    }
    let latest = bundles.last().map_or("{}", String::as_str);
    files.push((root.join("state.json"), state(latest, now)));
    let (projections, planted) = projections(repository, &hash(latest));
    files.extend(projections);
    (files, planted)
}

fn hash(bundle: &str) -> String {
    let mut tape = Tape::default();
    let value = whole_object(&mut tape, bundle.as_bytes()).ok();
    value.and_then(sha256_indented).unwrap_or_default()
}

fn at(now: Moment, number: u32) -> String {
    now.plus(-i64::from(EVENTS - number.min(EVENTS)) * 2 * DAY - DAY / 3).to_rfc3339()
}

/// A bundle: each later one has a gotcha and a step more, and another focus.
fn bundle(material: &mut Material, chance: &mut Chance, number: u32, now: Moment) -> String {
    let mut tell = |about, at| quoted(column(&material.tell(about, chance), at));
    let trap = |item: u32| {
        let cause = if item == number { tell(About::Finding, 2) } else { quoted("A stale cache.") };
        let number = item + 1;
        format!(
            r#"{{"title":"Trap {number}","symptom":"The build is red for no reason that the change explains.","cause":{cause},"correctPath":"Clear the cache, and build again."}}"#
        )
    };
    let gotchas: Vec<String> = (0..=number).map(trap).collect();
    let step = |number: u32| {
        format!(
            r#"{{"title":"Step {number}","why":"The next release needs it.","start":"Read docs/agent-memory/current-focus.md.","done":"The checks pass."}}"#
        )
    };
    let steps: Vec<String> = (1..=number).map(step).collect();
    let bundle =
        BUNDLE.replace("{focus}", &tell(About::Decision, 2)).replace("{now}", &tell(About::Finding, 2));
    let bundle = bundle.replace("{validated}", &at(now, EVENTS));
    let bundle = bundle.replace("{gotchas}", &format!("[{}]", gotchas.join(",")));
    bundle.replace("{steps}", &format!("[{}]", steps.join(",")))
}

fn checkpoint(number: u32, bundle: &str, now: Moment) -> Vec<u8> {
    let event = number * (EVENTS / CHECKPOINTS);
    let (hash, created) = (hash(bundle), at(now, event));
    let checkpoint = format!(
        r#"{{"bundle":{bundle},"bundleHash":"{hash}","createdAt":"{created}","eventId":"evt-{event:06}","id":"chk-{number:06}","summary":"Updated gotchas, next steps and current focus."}}"#
    );
    checkpoint.into()
}

fn state(bundle: &str, now: Moment) -> Vec<u8> {
    let (hash, at) = (hash(bundle), at(now, EVENTS));
    let state = format!(
        r#"{{"bundle":{bundle},"bundleHash":"{hash}","generatedAt":"{at}","generatorVersion":"0.3.0","maintenance":{{"historyEventCount":{EVENTS},"importSourceCount":2,"lastRecalledAt":"{at}","lastRecalledEventId":"evt-{EVENTS:06}","latestCheckpointId":"chk-{CHECKPOINTS:06}","recallCursors":{{}}}},"provider":{{"name":"local"}},"schemaVersion":2}}"#
    );
    state.into()
}

fn events(material: &mut Material, chance: &mut Chance, now: Moment) -> Vec<u8> {
    let mut log = String::new();
    for number in 1..=EVENTS {
        let told = material.tell(About::Decision, chance);
        let (kind, source) = match number % 3 {
            0 => ("imported_session", "notebook"),
            _ => ("tool_run", "agent-memory.local"),
        };
        let (at, hash) = (at(now, number), chance.bits());
        let (decision, summary) = (quoted(column(&told, 2)), quoted(column(&told, 3)));
        log += &format!(
            r#"{{"id":"evt-{number:06}","kind":"{kind}","sourceId":"{source}","externalItemId":null,"createdAt":"{at}","contentHash":"{hash:016x}","summary":{summary},"signals":{{"decisions":[{decision}],"gotchas":[],"nextStepHints":[],"keyPaths":["src"],"validationObservations":[]}},"sourceRef":"agent-memory:recall"}}"#
        );
        log.push('\n');
    }
    log.into_bytes()
}

fn sources(now: Moment) -> Vec<u8> {
    let (first, last) = (at(now, 1), at(now, EVENTS));
    let source = |id: &str, status: &str, error: &str| {
        format!(
            r#"{{"createdAt":"{first}","id":"{id}","lastImportedCount":4,"lastSyncError":{error},"lastSyncStatus":"{status}","lastSyncedAt":"{last}","path":"imports/{id}","type":"transcripts","updatedAt":"{last}"}}"#
        )
    };
    let failed = source("chat", "failed", "\"no such folder\"");
    format!("[{},{failed}]", source("notebook", "passed", "null")).into()
}

/// The projections and the entry block; one projection was made from an older state.
fn projections(repository: &Path, hash: &str) -> (Vec<File>, Vec<Planted>) {
    let file = |name: &str, id: &str| -> File {
        let marker =
            format!("<!-- agent-memory:projection file={id} version=3 bundleHash={hash} -->\n# {id}\n");
        (repository.join(format!("docs/agent-memory/{name}.md")), marker.into_bytes())
    };
    let mut files = vec![
        file("README", "readme"),
        file("project-map", "project-map"),
        file("current-focus", "current-focus"),
        file("gotchas", "gotchas"),
    ];
    let stale: PathBuf = "docs/agent-memory/next-steps.md".into();
    let older = "<!-- agent-memory:projection file=next-steps version=3 bundleHash=00 -->\n# next-steps\n";
    files.push((repository.join(&stale), older.as_bytes().to_vec()));
    let entry = format!(
        "# Orders\n\n<!-- agent-memory:entry version=3 bundleHash={hash} start -->\nRead `.agent-memory`.\n\
         <!-- agent-memory:entry end -->\n"
    );
    files.push((repository.join("README.md"), entry.into_bytes()));
    let planted = repository.join(".agent-memory/..").join(stale);
    (files, vec![(planted, None, Code::ProjectionStale)])
}
