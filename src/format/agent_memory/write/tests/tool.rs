//! What the format's own tool checks and renders, written again in a few lines.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::super::super::projection_text::{README_END, README_START};
use super::shelf::Shelf;

pub fn hash(bundle: &Value) -> String {
    let text = serde_json::to_string_pretty(bundle).unwrap();
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns what the tool's validation would refuse.
pub fn faults(shelf: &Shelf) -> Vec<String> {
    let mut faults = Vec::new();
    let state = shelf.json("state.json");
    let own = hash(&state["bundle"]);
    let mut expect = |holds: bool, what: String| faults.extend((!holds).then_some(what));
    expect(state["bundleHash"] == own.as_str(), "hash of the state".into());
    let mut last = 0;
    let events = shelf.events();
    for event in &events {
        let number: u64 = event["id"].as_str().unwrap().strip_prefix("evt-").unwrap().parse().unwrap();
        expect(number > last, format!("{} does not rise", event["id"]));
        last = number;
        let filled = |name: &str| !event[name].as_str().unwrap().trim().is_empty();
        let names = ["kind", "sourceId", "createdAt", "contentHash", "summary", "sourceRef"];
        expect(names.iter().all(|name| filled(name)), format!("{} lacks a text", event["id"]));
        for list in event["signals"].as_object().unwrap().values() {
            let texts = list.as_array().unwrap();
            expect(
                texts.iter().all(|own| !own.as_str().unwrap().trim().is_empty()),
                "an empty signal".into(),
            );
        }
    }
    let maintenance = &state["maintenance"];
    expect(maintenance["historyEventCount"] == events.len(), "count of events".into());
    let sources = shelf.json("sources.json");
    expect(maintenance["importSourceCount"] == sources.as_array().unwrap().len(), "count of sources".into());
    let latest = maintenance["latestCheckpointId"].as_str().unwrap();
    let mut seen = false;
    for path in shelf.0.keys().filter(|path| path.parent().is_some_and(|own| own.ends_with("checkpoints"))) {
        let text = String::from_utf8(shelf.0[path].clone()).unwrap();
        let checkpoint: Value = serde_json::from_str(&text).unwrap();
        expect(checkpoint["bundleHash"] == hash(&checkpoint["bundle"]), format!("{}", path.display()));
        expect(path.file_stem().unwrap().to_str() == checkpoint["id"].as_str(), "name".into());
        if checkpoint["id"] == latest && path.starts_with(".agent-memory/history") {
            seen = true;
            expect(checkpoint["bundle"] == state["bundle"], "the latest checkpoint drifts".into());
        }
    }
    expect(seen, "no latest checkpoint".into());
    for (word, path) in super::super::super::projection::PROJECTIONS {
        let wanted = format!("<!-- agent-memory:projection file={word} version=3 bundleHash={own} -->\n");
        expect(shelf.text(path).starts_with(&wanted), format!("marker of {path}"));
    }
    let entry = state["bundle"]["project"]["recommendedEntryFile"].as_str().unwrap();
    let wanted = format!("<!-- agent-memory:entry version=3 bundleHash={own} start -->\n");
    let has = |file: &str| shelf.0.contains_key(Path::new(file)) && shelf.text(file).contains(&wanted);
    expect(has(entry), "entry block".into());
    faults
}

fn s(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(items: &Value, none: &str, piece: &dyn Fn(&Value) -> String) -> String {
    let items = items.as_array().unwrap();
    if items.is_empty() {
        return format!("- {none}");
    }
    items.iter().map(|item| format!("- {}", piece(item))).collect::<Vec<_>>().join("\n")
}

/// Renders the projections as the tool does.
pub fn pages(state: &Value) -> Vec<(&'static str, String)> {
    let bundle = &state["bundle"];
    let (project, map, focus) = (&bundle["project"], &bundle["projectMap"], &bundle["currentFocus"]);
    let snapshot = &focus["validationSnapshot"];
    let code = |own: &Value| format!("`{}`", s(own));
    let plain = |own: &Value| s(own).to_owned();
    let noted = |name: &'static str| move |own: &Value| format!("`{}`: {}", s(&own["path"]), s(&own[name]));
    let readme = format!(
        "\n{README_START}- Last generated: {}\n- Provider: `{}`\n- Recommended entry file: `{}`\n\n{README_END}",
        s(&state["generatedAt"]),
        s(&state["provider"]["name"]),
        s(&project["recommendedEntryFile"])
    );
    let map = format!(
        "# Project Map\n\n{}\n\n## Engineering Facts\n\n- Primary ecosystem: {}\n- Package manager: {}\n\
         - Workspace mechanism: {}\n- Recommended entry file: `{}`\n\n## Key Paths\n\n{}\n\n## Modules\n\n{}\n\n\
         ## Entrypoints\n\n{}\n\n## Dense Source Areas\n\n{}\n\n## Architecture Notes\n\n{}\n\n\
         ## First Files To Read\n\n{}",
        s(&project["summary"]),
        s(&project["primaryEcosystem"]),
        s(&project["packageManager"]),
        s(&project["workspaceManager"]),
        s(&project["recommendedEntryFile"]),
        list(&project["keyPaths"], "No key paths recorded.", &code),
        list(&map["modules"], "No modules recorded.", &|own| {
            format!("`{}` ({}): {}", s(&own["path"]), s(&own["name"]), s(&own["responsibility"]))
        }),
        list(&map["entrypoints"], "No entrypoints recorded.", &noted("role")),
        list(&map["denseSourceAreas"], "No high-density source areas recorded.", &noted("note")),
        list(&map["architectureNotes"], "No architecture notes recorded.", &plain),
        list(&map["firstFilesToRead"], "No first-read files recorded.", &code),
    );
    let current = format!(
        "# Current Focus\n\n{}\n\n## Current State\n\n{}\n\n## Known Risks\n\n{}\n\n## Validation Snapshot\n\n\
         - Status: {}\n- Validated at: {}\n- Summary: {}\n\n## Validation Results\n\n{}\n\n\
         ## Suggested Next Actions\n\n{}\n\n## Agent-Recommended Validation Commands\n\n{}",
        s(&focus["summary"]),
        list(&focus["currentState"], "No current state bullets recorded.", &plain),
        list(&focus["knownRisks"], "No known risks recorded.", &plain),
        s(&snapshot["status"]),
        snapshot["validatedAt"].as_str().unwrap_or("not recorded"),
        s(&snapshot["summary"]),
        list(&snapshot["results"], "No validation results recorded.", &|own| {
            format!("{} {}: {}", s(&own["status"]).to_uppercase(), s(&own["command"]), s(&own["summary"]))
        }),
        list(&snapshot["suggestedNextActions"], "No suggested next actions recorded.", &plain),
        list(&bundle["validationCommands"], "No validation commands recorded.", &|own| {
            let words: Vec<&str> = own["command"].as_array().unwrap().iter().map(s).collect();
            format!("`{}` ({}): {}", words.join(" "), s(&own["label"]), s(&own["purpose"]))
        }),
    );
    let mut gotchas =
        "# Gotchas\n\nKeep this file short, concrete, and limited to traps that are genuinely expensive \
                       to rediscover."
            .to_owned();
    for own in bundle["gotchas"].as_array().unwrap() {
        let [title, symptom, cause, path] =
            ["title", "symptom", "cause", "correctPath"].map(|name| s(&own[name]));
        gotchas += &format!("\n\n## {title}\n\nSymptom: {symptom}\n\nCause: {cause}\n\nCorrect path: {path}");
    }
    if bundle["gotchas"].as_array().unwrap().is_empty() {
        gotchas += "\n\nNo confirmed gotchas have been recorded yet.";
    }
    let mut steps = "# Next Steps".to_owned();
    for (number, own) in bundle["nextSteps"].as_array().unwrap().iter().enumerate() {
        let [title, why, start, done] = ["title", "why", "start", "done"].map(|name| s(&own[name]));
        let number = number + 1;
        steps += &format!("\n\n## {number}. {title}\n\nWhy: {why}\n\nStart: {start}\n\nDone when: {done}");
    }
    if bundle["nextSteps"].as_array().unwrap().is_empty() {
        steps += "\n\nNo next steps have been recorded yet.";
    }
    let hash = s(&state["bundleHash"]);
    let names = super::super::super::projection::PROJECTIONS;
    names
        .into_iter()
        .zip([readme, map, current, gotchas, steps])
        .map(|((word, path), body)| {
            let mark = format!("<!-- agent-memory:projection file={word} version=3 bundleHash={hash} -->");
            (path, format!("{mark}\n{}\n", body.trim()))
        })
        .collect()
}

pub fn entry(hash: &str) -> String {
    format!(
        "<!-- agent-memory:entry version=3 bundleHash={hash} start -->\n## Project Memory\n\nRead it.\n\
         <!-- agent-memory:entry end -->"
    )
}

/// Checks that every page equals a new rendering.
pub fn assert_rendered(shelf: &Shelf) {
    for (path, wanted) in pages(&shelf.json("state.json")) {
        assert_eq!(shelf.text(path), wanted, "{path}");
    }
}
