//! The event that records a write, and the checkpoint of the write.

use std::collections::HashSet;

use super::super::main_text::{items, text};
use super::store_files::too_deep;
use crate::format::writing::Result;
use crate::text::canonical::sha256_indented;
use crate::text::json::Json;
use crate::text::json_edit::{quoted, scan};
use crate::text::json_scanner::Tape;

/// The name of palimp's write. The format's own tool writes the name of its command here.
const COMMAND: &str = "palimp:edit";
/// The source of the tool's own events. Recall has one cursor for these, and one for the others, which are imports.
pub const LOCAL: &str = "agent-memory.local";

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
        let content = scan(&mut Tape::default(), content.as_bytes()).ok().and_then(sha256_indented);
        let content = content.ok_or_else(too_deep)?;
        let summary = format!("palimp edited canonical memory for {project}: {}", self.summary);
        let signals = new_signals(before, bundle);
        Ok(event_line([self.event, "tool_run", LOCAL, self.at, &content, &summary, COMMAND], &signals))
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

/// Returns the line of an event, without a line end, in the format's order of members. `signals` is JSON.
pub fn event_line(texts: [&str; 7], signals: &str) -> String {
    let [id, kind, source, at, hash, summary, origin] = texts.map(quoted);
    format!(
        r#"{{"id":{id},"kind":{kind},"sourceId":{source},"externalItemId":null,"createdAt":{at},"contentHash":{hash},"summary":{summary},"signals":{signals},"sourceRef":{origin}}}"#
    )
}

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
        items(bundle, path).filter_map(|own| own.text()).map(Into::into).collect()
    };
    let pairs = |path: &[&str], first: &str, second: &str| -> Vec<String> {
        let member = |item, name| text(item, name).unwrap_or_default();
        items(bundle, path).map(|item| format!("{}: {}", member(item, first), member(item, second))).collect()
    };
    let modules = pairs(&["projectMap", "modules"], "path", "responsibility");
    let entrypoints = items(bundle, &["projectMap", "entrypoints"]).filter_map(|item| text(item, "path"));
    let entrypoints = entrypoints.map(Into::into).collect();
    let first_files = texts(&["projectMap", "firstFilesToRead"]);
    let observed = bundle.path(&["currentFocus", "validationSnapshot", "summary"]).and_then(|own| own.text());
    let observed = observed.map(Into::into).into_iter().collect();
    let results = pairs(&["currentFocus", "validationSnapshot", "results"], "command", "summary");
    let lists = [
        ("decisions", SIGNALS, [texts(&["projectMap", "architectureNotes"]), modules].concat()),
        ("gotchas", SIGNALS, pairs(&["gotchas"], "title", "cause")),
        ("nextStepHints", SIGNALS, pairs(&["nextSteps"], "title", "start")),
        ("keyPaths", PATHS, [texts(&["project", "keyPaths"]), entrypoints, first_files].concat()),
        ("validationObservations", SIGNALS, [observed, results].concat()),
    ];
    lists.map(|(name, most, texts)| {
        let mut seen = HashSet::new();
        let is_new = |text: &String| !text.trim().is_empty() && seen.insert(text.clone());
        (name, most, texts.into_iter().filter(is_new).collect())
    })
}
