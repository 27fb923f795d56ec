//! Renders the projections as the format's own tool does.

use super::main_text::{items, text};
use super::projection::{PROJECTION_MARK, PROJECTIONS, VERSION};
use crate::format::record_reader::object_of;
use crate::text::json::Json;
use crate::text::json_scanner::Tape;

/// The values that projections are made from.
pub struct ProjectionSource<'a> {
    pub bundle: Json<'a>,
    pub generated: String,
    pub provider: String,
}

/// Returns the projections of a state: their paths in the repository, and their texts. None if it has no bundle.
pub fn pages(state: &[u8]) -> Vec<(&'static str, String)> {
    let mut tape = Tape::default();
    let Ok(state) = object_of(&mut tape, state) else { return Vec::new() };
    let hash = text(state, "bundleHash").unwrap_or_default();
    let source = ProjectionSource::of(state, state);
    let page = |source: &ProjectionSource<'_>, word| marker_line(word, &hash) + &source.page(word);
    source.map_or(Vec::new(), |source| PROJECTIONS.map(|(word, path)| (path, page(&source, word))).into())
}

/// Returns the first line of a projection, without its line end.
pub fn marker_line(word: &str, hash: &str) -> String {
    format!("<!-- {PROJECTION_MARK}file={word} version={VERSION} bundleHash={hash} -->")
}

/// True if a text is a page, whatever its line ends.
pub fn is_page(text: &str, page: &str) -> bool {
    text.replace("\r\n", "\n").trim_end() == page.replace("\r\n", "\n").trim_end()
}

fn member(value: Json<'_>, name: &str) -> String {
    value.get(name).map(|value| value.plain()).unwrap_or_default()
}

impl<'a> ProjectionSource<'a> {
    /// Reads a state or a checkpoint, with the provider of `state`. `None` if it has no bundle.
    pub fn of(owner: Json<'a>, state: Json<'_>) -> Option<Self> {
        let provider = state.path(&["provider", "name"]).and_then(|name| name.text());
        let generated = text(owner, "generatedAt").or_else(|| text(owner, "createdAt"));
        Some(ProjectionSource {
            bundle: owner.get("bundle")?,
            generated: generated.unwrap_or_default().into_owned(),
            provider: provider.unwrap_or_default().into_owned(),
        })
    }

    /// Returns the text of a page, after the line of its marker.
    pub fn page(&self, word: &str) -> String {
        let page = match word {
            "readme" => return self.readme(),
            "project-map" => self.project_map(),
            "current-focus" => self.current_focus(),
            "gotchas" => self.gotchas(),
            _ => self.next_steps(),
        };
        format!("\n{}\n", page.trim_end())
    }

    fn text(&self, path: &[&str]) -> String {
        self.bundle.path(path).map(|value| value.plain()).unwrap_or_default()
    }

    /// Returns a heading with a list below it, after an empty line.
    fn list(&self, heading: &str, path: &[&str], none: &str, piece: &dyn Fn(Json<'a>) -> String) -> String {
        let mut pieces: Vec<String> = items(self.bundle, path).map(piece).collect();
        if pieces.is_empty() {
            pieces.push(none.to_owned());
        }
        format!("\n\n## {heading}\n\n- {}", pieces.join("\n- "))
    }

    /// Returns the items of a section, each with a heading of its own. `piece` gets their numbers from 1.
    fn items(&self, section: &str, none: &str, piece: &dyn Fn(Json<'a>, usize) -> String) -> String {
        let numbered = items(self.bundle, &[section]).zip(1..);
        let pieces: Vec<String> = numbered.map(|(item, number)| piece(item, number)).collect();
        if pieces.is_empty() { none.to_owned() } else { pieces.join("\n\n") }
    }

    fn entry_file(&self) -> String {
        self.text(&["project", "recommendedEntryFile"])
    }

    fn readme(&self) -> String {
        let (generated, provider, entry) = (&self.generated, &self.provider, self.entry_file());
        format!(
            "\n{README_START}- Last generated: {generated}\n- Provider: `{provider}`\n\
             - Recommended entry file: `{entry}`\n\n{README_END}"
        )
    }

    fn project_map(&self) -> String {
        let plain = |value: Json<'_>| value.plain();
        let code = |value: Json<'_>| format!("`{}`", value.plain());
        let noted = |name: &'static str| {
            move |value: Json<'_>| format!("`{}`: {}", member(value, "path"), member(value, name))
        };
        let module = |value: Json<'_>| {
            let [path, name, does] = ["path", "name", "responsibility"].map(|name| member(value, name));
            format!("`{path}` ({name}): {does}")
        };
        let names = ["summary", "primaryEcosystem", "packageManager", "workspaceManager"];
        let [summary, ecosystem, packages, workspace] = names.map(|name| self.text(&["project", name]));
        let entry = self.entry_file();
        let map = |heading, name, none, piece: &dyn Fn(Json<'a>) -> String| {
            self.list(heading, &["projectMap", name], none, piece)
        };
        let dense = "No high-density source areas recorded.";
        [
            format!(
                "# Project Map\n\n{summary}\n\n## Engineering Facts\n\n- Primary ecosystem: {ecosystem}\n\
                 - Package manager: {packages}\n- Workspace mechanism: {workspace}\n\
                 - Recommended entry file: `{entry}`"
            ),
            self.list("Key Paths", &["project", "keyPaths"], "No key paths recorded.", &code),
            map("Modules", "modules", "No modules recorded.", &module),
            map("Entrypoints", "entrypoints", "No entrypoints recorded.", &noted("role")),
            map("Dense Source Areas", "denseSourceAreas", dense, &noted("note")),
            map("Architecture Notes", "architectureNotes", "No architecture notes recorded.", &plain),
            map("First Files To Read", "firstFilesToRead", "No first-read files recorded.", &code),
        ]
        .concat()
    }

    fn current_focus(&self) -> String {
        let focus = |name: &'static str| ["currentFocus", name];
        let snapshot = |name: &'static str| ["currentFocus", "validationSnapshot", name];
        let plain = |value: Json<'_>| value.plain();
        let result = |value: Json<'_>| {
            let [status, command, says] = ["status", "command", "summary"].map(|name| member(value, name));
            format!("{} {command}: {says}", status.to_uppercase())
        };
        let command = |value: Json<'_>| {
            let words: Vec<String> = items(value, &["command"]).map(|word| word.plain()).collect();
            format!("`{}` ({}): {}", words.join(" "), member(value, "label"), member(value, "purpose"))
        };
        let validated = self.bundle.path(&["currentFocus", "validationSnapshot"]);
        let validated = validated.and_then(|value| text(value, "validatedAt"));
        let validated = validated.as_deref().unwrap_or("not recorded");
        let [status, says] = ["status", "summary"].map(|name| self.text(&snapshot(name)));
        let state = "No current state bullets recorded.";
        let results = ("Validation Results", "No validation results recorded.");
        let actions = ("Suggested Next Actions", "No suggested next actions recorded.");
        let commands = ("Agent-Recommended Validation Commands", "No validation commands recorded.");
        [
            format!("# Current Focus\n\n{}", self.text(&focus("summary"))),
            self.list("Current State", &focus("currentState"), state, &plain),
            self.list("Known Risks", &focus("knownRisks"), "No known risks recorded.", &plain),
            format!(
                "\n\n## Validation Snapshot\n\n- Status: {status}\n- Validated at: {validated}\n- Summary: {says}"
            ),
            self.list(results.0, &snapshot("results"), results.1, &result),
            self.list(actions.0, &snapshot("suggestedNextActions"), actions.1, &plain),
            self.list(commands.0, &["validationCommands"], commands.1, &command),
        ]
        .concat()
    }

    fn gotchas(&self) -> String {
        let items = self.items("gotchas", "No confirmed gotchas have been recorded yet.", &|item, _| {
            let [title, symptom, cause, path] =
                ["title", "symptom", "cause", "correctPath"].map(|name| member(item, name));
            format!("## {title}\n\nSymptom: {symptom}\n\nCause: {cause}\n\nCorrect path: {path}")
        });
        format!("# Gotchas\n\n{GOTCHAS}\n\n{items}")
    }

    fn next_steps(&self) -> String {
        let items = self.items("nextSteps", "No next steps have been recorded yet.", &|item, number| {
            let [title, why, start, done] = ["title", "why", "start", "done"].map(|name| member(item, name));
            format!("## {number}. {title}\n\nWhy: {why}\n\nStart: {start}\n\nDone when: {done}")
        });
        format!("# Next Steps\n\n{items}")
    }
}

const GOTCHAS: &str =
    "Keep this file short, concrete, and limited to traps that are genuinely expensive to rediscover.";

pub(super) const README_START: &str = include_str!("../../../assets/agent_memory/readme_start.md");
pub(super) const README_END: &str = include_str!("../../../assets/agent_memory/readme_end.md");
