//! The event that records a write, and the checkpoint of the write.

use std::collections::HashSet;

use super::super::main_text::text;
use super::store_files::too_deep;
use crate::format::writing::Result;
use crate::text::canonical::sha256_indented;
use crate::text::json::Json;
use crate::text::json_edit::{quoted, scan};
use crate::text::json_scanner::Tape;

/// The name of palimp's write. The format's own tool writes the name of its command here.
const COMMAND: &str = "palimp:edit";
/// The source of local events. Recall counts events of other sources as imports.
const LOCAL: &str = "agent-memory.local";

/// The largest number of strings of each kind of signal, and of paths.
const SIGNALS: usize = 12;
const PATHS: usize = 16;

/// The data of one write, for its event and its checkpoint.
pub struct CanonicalWriteInfo<'a> {
    /// The event's id.
    pub event: &'a str,
    /// The checkpoint's id.
    pub checkpoint: &'a str,
    pub at: &'a str,
    /// The hash of the new bundle.
    pub hash: &'a str,
    /// What was done, in a few words.
    pub summary: &'a str,
}

impl CanonicalWriteInfo<'_> {
    /// Returns the event's line, without a line end, in the format's order of members. The signals hold
    /// only what this write added: recall would bring others back, even if they are deleted later.
    pub fn event(&self, before: Option<Json<'_>>, bundle: Json<'_>) -> Result<String> {
        let project = bundle.path(&["project", "name"]).and_then(|name| name.text()).unwrap_or_default();
        let content = format!(
            r#"{{"bundleHash":{},"commandName":{},"diffSummary":{}}}"#,
            quoted(self.hash),
            quoted(COMMAND),
            quoted(self.summary)
        );
        let mut tape = Tape::default();
        let content =
            scan(&mut tape, content.as_bytes()).ok().and_then(sha256_indented).ok_or_else(too_deep)?;
        let summary = format!("palimp edited canonical memory for {project}: {}", self.summary);
        Ok(format!(
            r#"{{"id":{},"kind":"tool_run","sourceId":{},"externalItemId":null,"createdAt":{},"contentHash":{},"summary":{},"signals":{},"sourceRef":{}}}"#,
            quoted(self.event),
            quoted(LOCAL),
            quoted(self.at),
            quoted(&content),
            quoted(&summary),
            new_signals(before, bundle),
            quoted(COMMAND),
        ))
    }

    /// Returns the checkpoint's text, not in canonical form.
    pub fn checkpoint(&self, bundle: Json<'_>) -> String {
        format!(
            r#"{{"bundle":{},"bundleHash":{},"createdAt":{},"eventId":{},"id":{},"summary":{}}}"#,
            bundle.spelled(),
            quoted(self.hash),
            quoted(self.at),
            quoted(self.event),
            quoted(self.checkpoint),
            quoted(self.summary),
        )
    }
}

/// Returns the signals that the bundle did not have before, as JSON.
fn new_signals(before: Option<Json<'_>>, bundle: Json<'_>) -> String {
    let known: HashSet<String> = before.into_iter().flat_map(signals).flat_map(|(.., texts)| texts).collect();
    let lists = signals(bundle).map(|(name, most, texts)| {
        let own = texts.iter().filter(|text| !known.contains(*text));
        let own: Vec<String> = own.take(most).map(|text| quoted(text)).collect();
        format!("{}:[{}]", quoted(name), own.join(","))
    });
    format!("{{{}}}", lists.join(","))
}

/// Returns the strings that recall and query use, each once: per list its name, its limit, its strings.
fn signals(bundle: Json<'_>) -> [(&'static str, usize, Vec<String>); 5] {
    let texts = |path: &[&str]| -> Vec<String> {
        let list = bundle.path(path);
        list.iter().flat_map(|list| list.items()).filter_map(|own| own.text()).map(Into::into).collect()
    };
    let pairs = |path: &[&str], first: &str, second: &str| -> Vec<String> {
        let list = bundle.path(path);
        let items = list.iter().flat_map(|list| list.items());
        items
            .map(|item| {
                let [first, second] = [first, second].map(|name| text(item, name).unwrap_or_default());
                format!("{first}: {second}")
            })
            .collect()
    };
    let paths = bundle.path(&["projectMap", "entrypoints"]);
    let paths = paths.iter().flat_map(|list| list.items()).filter_map(|item| text(item, "path"));
    let snapshot = ["currentFocus", "validationSnapshot"];
    let observed = bundle.path(&[snapshot[0], snapshot[1], "summary"]).and_then(|summary| summary.text());
    let lists = [
        (
            "decisions",
            SIGNALS,
            [
                texts(&["projectMap", "architectureNotes"]),
                pairs(&["projectMap", "modules"], "path", "responsibility"),
            ]
            .concat(),
        ),
        ("gotchas", SIGNALS, pairs(&["gotchas"], "title", "cause")),
        ("nextStepHints", SIGNALS, pairs(&["nextSteps"], "title", "start")),
        (
            "keyPaths",
            PATHS,
            [
                texts(&["project", "keyPaths"]),
                paths.map(Into::into).collect(),
                texts(&["projectMap", "firstFilesToRead"]),
            ]
            .concat(),
        ),
        (
            "validationObservations",
            SIGNALS,
            [
                observed.into_iter().map(Into::into).collect(),
                pairs(&[snapshot[0], snapshot[1], "results"], "command", "summary"),
            ]
            .concat(),
        ),
    ];
    lists.map(|(name, most, texts)| {
        let mut seen = HashSet::new();
        let is_new = |text: &String| !text.trim().is_empty() && seen.insert(text.clone());
        (name, most, texts.into_iter().filter(is_new).collect())
    })
}
