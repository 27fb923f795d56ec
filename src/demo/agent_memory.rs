//! The demo's `agent-memory` store, in a repository with its projections.

use std::path::{Path, PathBuf};

use super::File;
use super::chance::Chance;
use super::json::Object;
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
    let mut tell = |about, at| column(&material.tell(about, chance), at).to_owned();
    let gotchas: Vec<String> = (0..=number)
        .map(|item| {
            Object::new()
                .text("title", &format!("Trap {}", item + 1))
                .text("symptom", "The build is red for no reason that the change explains.")
                .text(
                    "cause",
                    &if item == number { tell(About::Finding, 2) } else { "A stale cache.".into() },
                )
                .text("correctPath", "Clear the cache, and build again.")
                .finish()
        })
        .collect();
    let steps: Vec<String> = (0..number)
        .map(|item| {
            Object::new()
                .text("title", &format!("Step {}", item + 1))
                .text("why", "The next release needs it.")
                .text("start", "Read docs/agent-memory/current-focus.md.")
                .text("done", "The checks pass.")
                .finish()
        })
        .collect();
    let snapshot = Object::new()
        .texts::<&str>("results", &[])
        .text("status", "passed")
        .texts("suggestedNextActions", &["Run the tests again after the next change."])
        .text("summary", "All tests passed.")
        .text("validatedAt", &at(now, EVENTS));
    let focus = Object::new()
        .text("summary", &tell(About::Decision, 2))
        .texts("currentState", &[tell(About::Finding, 2)])
        .texts("knownRisks", &["Tests that depend on the clock."])
        .object("validationSnapshot", snapshot);
    let project = Object::new()
        .text("name", "orders")
        .text("summary", "The service that takes orders.")
        .text("primaryEcosystem", "rust")
        .text("packageManager", "cargo")
        .text("workspaceManager", "none")
        .text("recommendedEntryFile", "README.md")
        .texts("keyPaths", &["src", "docs"]);
    let area =
        |name: &str, text: &str| format!("[{}]", Object::new().text(name, text).text("path", "src").finish());
    let module =
        Object::new().text("name", "src").text("path", "src").text("responsibility", "Takes orders.");
    let map = Object::new()
        .texts("architectureNotes", &["Two services and an outbox."])
        .raw("denseSourceAreas", area("note", "Most of the logic lives here."))
        .raw("entrypoints", area("role", "The service's entry point."))
        .texts("firstFilesToRead", &["Cargo.toml"])
        .raw("modules", format!("[{}]", module.finish()));
    let command = Object::new()
        .texts("command", &["cargo", "test"])
        .text("label", "tests")
        .text("purpose", "All tests.");
    Object::new()
        .object("currentFocus", focus)
        .raw("gotchas", format!("[{}]", gotchas.join(",")))
        .raw("nextSteps", format!("[{}]", steps.join(",")))
        .object("project", project)
        .object("projectMap", map)
        .raw("validationCommands", format!("[{}]", command.finish()))
        .finish()
}

fn checkpoint(number: u32, bundle: &str, now: Moment) -> Vec<u8> {
    let event = number * (EVENTS / CHECKPOINTS);
    Object::new()
        .raw("bundle", bundle)
        .text("bundleHash", &hash(bundle))
        .text("createdAt", &at(now, event))
        .text("eventId", &format!("evt-{event:06}"))
        .text("id", &format!("chk-{number:06}"))
        .text("summary", "Updated gotchas, next steps and current focus.")
        .finish()
        .into_bytes()
}

fn state(bundle: &str, now: Moment) -> Vec<u8> {
    let maintenance = Object::new()
        .raw("historyEventCount", EVENTS)
        .raw("importSourceCount", 2)
        .text("lastRecalledAt", &at(now, EVENTS))
        .text("lastRecalledEventId", &format!("evt-{EVENTS:06}"))
        .text("latestCheckpointId", &format!("chk-{CHECKPOINTS:06}"))
        .object("recallCursors", Object::new());
    Object::new()
        .raw("bundle", bundle)
        .text("bundleHash", &hash(bundle))
        .text("generatedAt", &at(now, EVENTS))
        .text("generatorVersion", "0.3.0")
        .object("maintenance", maintenance)
        .object("provider", Object::new().text("name", "local"))
        .raw("schemaVersion", 2)
        .finish()
        .into_bytes()
}

fn events(material: &mut Material, chance: &mut Chance, now: Moment) -> Vec<u8> {
    let mut log = String::new();
    for number in 1..=EVENTS {
        let told = material.tell(About::Decision, chance);
        let imported = number % 3 == 0;
        let signals = Object::new()
            .texts("decisions", &[column(&told, 2)])
            .texts::<&str>("gotchas", &[])
            .texts::<&str>("nextStepHints", &[])
            .texts("keyPaths", &["src"])
            .texts::<&str>("validationObservations", &[]);
        log += &Object::new()
            .text("id", &format!("evt-{number:06}"))
            .text("kind", if imported { "imported_session" } else { "tool_run" })
            .text("sourceId", if imported { "notebook" } else { "agent-memory.local" })
            .raw("externalItemId", "null")
            .text("createdAt", &at(now, number))
            .text("contentHash", &format!("{:016x}", chance.bits()))
            .text("summary", column(&told, 3))
            .object("signals", signals)
            .text("sourceRef", "agent-memory:recall")
            .finish();
        log.push('\n');
    }
    log.into_bytes()
}

fn sources(now: Moment) -> Vec<u8> {
    let source = |id: &str, status: &str| {
        Object::new()
            .text("createdAt", &at(now, 1))
            .text("id", id)
            .raw("lastImportedCount", 4)
            .raw("lastSyncError", if status == "failed" { "\"no such folder\"" } else { "null" })
            .text("lastSyncStatus", status)
            .text("lastSyncedAt", &at(now, EVENTS))
            .text("path", &format!("imports/{id}"))
            .text("type", "transcripts")
            .text("updatedAt", &at(now, EVENTS))
            .finish()
    };
    format!("[{},{}]", source("notebook", "passed"), source("chat", "failed")).into_bytes()
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
