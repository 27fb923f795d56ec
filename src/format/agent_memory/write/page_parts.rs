//! The parts of each projection that hold values, in order. palimp leaves all other text alone.

use super::super::main_text::text;
use crate::text::json::Json;

/// A part of a projection that holds values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// The heading above it, as a whole line.
    pub heading: &'static str,
    /// Its layout.
    pub form: PartForm,
    /// Its pieces as written: one for each value, at least one.
    pub pieces: Vec<String>,
}

/// The layout of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartForm {
    /// One line with this beginning.
    Line(&'static str),
    /// One paragraph, right under the heading.
    Paragraph,
    /// A list with one bullet per value.
    Bullets,
    /// One heading per value, and paragraphs with these beginnings. The last text means an empty list.
    Items(&'static [&'static str], &'static str),
}

impl PartForm {
    /// Returns the text between two pieces.
    pub fn between(self) -> &'static str {
        match self {
            PartForm::Items(..) => "\n\n",
            _ => "\n",
        }
    }
}

const GOTCHA: PartForm = PartForm::Items(
    &["Symptom: ", "Cause: ", "Correct path: "],
    "No confirmed gotchas have been recorded yet.",
);
const NEXT_STEP: PartForm =
    PartForm::Items(&["Why: ", "Start: ", "Done when: "], "No next steps have been recorded yet.");

/// Returns the parts of the projection with this word in its marker.
pub fn parts(word: &str, said: &ProjectionSource<'_>) -> Vec<PagePart> {
    match word {
        "readme" => said.readme(),
        "project-map" => said.project_map(),
        "current-focus" => said.current_focus(),
        "gotchas" => vec![said.items("# Gotchas", GOTCHA, "gotchas", &|item, _| {
            let [title, symptom, cause, path] =
                ["title", "symptom", "cause", "correctPath"].map(|name| member(item, name));
            format!("## {title}\n\nSymptom: {symptom}\n\nCause: {cause}\n\nCorrect path: {path}")
        })],
        "next-steps" => vec![said.items("# Next Steps", NEXT_STEP, "nextSteps", &|item, index| {
            let [title, why, start, done] = ["title", "why", "start", "done"].map(|name| member(item, name));
            let number = index + 1;
            format!("## {number}. {title}\n\nWhy: {why}\n\nStart: {start}\n\nDone when: {done}")
        })],
        _ => Vec::new(),
    }
}

/// The values that projections are made from.
pub struct ProjectionSource<'a> {
    /// The bundle.
    pub bundle: Json<'a>,
    /// When the state was generated.
    pub generated: String,
    /// The name of the state's provider.
    pub provider: String,
}

fn member(value: Json<'_>, name: &str) -> String {
    value.get(name).map(|own| own.plain()).unwrap_or_default()
}

fn line(heading: &'static str, start: &'static str, said: &str) -> PagePart {
    PagePart { heading, form: PartForm::Line(start), pieces: vec![format!("{start}{said}")] }
}

impl<'a> ProjectionSource<'a> {
    fn text(&self, path: &[&str]) -> String {
        self.bundle.path(path).map(|own| own.plain()).unwrap_or_default()
    }

    fn list(&self, path: &[&str]) -> Vec<Json<'a>> {
        self.bundle.path(path).iter().flat_map(|list| list.items()).collect()
    }

    fn bullets(
        &self,
        heading: &'static str,
        path: &[&str],
        none: &'static str,
        piece: &dyn Fn(Json<'a>) -> String,
    ) -> PagePart {
        let mut pieces: Vec<String> =
            self.list(path).into_iter().map(|item| format!("- {}", piece(item))).collect();
        if pieces.is_empty() {
            pieces.push(format!("- {none}"));
        }
        PagePart { heading, form: PartForm::Bullets, pieces }
    }

    fn items(
        &self,
        heading: &'static str,
        form: PartForm,
        section: &str,
        piece: &dyn Fn(Json<'a>, usize) -> String,
    ) -> PagePart {
        let items = self.list(&[section]).into_iter().enumerate();
        let mut pieces: Vec<String> = items.map(|(index, item)| piece(item, index)).collect();
        if let (true, PartForm::Items(_, none)) = (pieces.is_empty(), form) {
            pieces.push(none.to_owned());
        }
        PagePart { heading, form, pieces }
    }

    fn entry_file(&self) -> String {
        format!("`{}`", self.text(&["project", "recommendedEntryFile"]))
    }

    fn readme(&self) -> Vec<PagePart> {
        const HEADING: &str = "## Canonical System";
        vec![
            line(HEADING, "- Last generated: ", &self.generated),
            line(HEADING, "- Provider: ", &format!("`{}`", self.provider)),
            line(HEADING, "- Recommended entry file: ", &self.entry_file()),
        ]
    }

    fn project_map(&self) -> Vec<PagePart> {
        const FACTS: &str = "## Engineering Facts";
        let code = |own: Json<'_>| format!("`{}`", own.plain());
        let noted = |name: &'static str| {
            move |own: Json<'_>| format!("`{}`: {}", member(own, "path"), member(own, name))
        };
        let module = |own: Json<'_>| {
            let [path, name, does] = ["path", "name", "responsibility"].map(|name| member(own, name));
            format!("`{path}` ({name}): {does}")
        };
        let map = |name: &'static str| ["projectMap", name];
        let entrypoints = ("## Entrypoints", map("entrypoints"), "No entrypoints recorded.");
        let dense =
            ("## Dense Source Areas", map("denseSourceAreas"), "No high-density source areas recorded.");
        let notes = ("## Architecture Notes", map("architectureNotes"), "No architecture notes recorded.");
        let first = ("## First Files To Read", map("firstFilesToRead"), "No first-read files recorded.");
        let summary = self.text(&["project", "summary"]);
        vec![
            PagePart { heading: "# Project Map", form: PartForm::Paragraph, pieces: vec![summary] },
            line(FACTS, "- Primary ecosystem: ", &self.text(&["project", "primaryEcosystem"])),
            line(FACTS, "- Package manager: ", &self.text(&["project", "packageManager"])),
            line(FACTS, "- Workspace mechanism: ", &self.text(&["project", "workspaceManager"])),
            line(FACTS, "- Recommended entry file: ", &self.entry_file()),
            self.bullets("## Key Paths", &["project", "keyPaths"], "No key paths recorded.", &code),
            self.bullets("## Modules", &map("modules"), "No modules recorded.", &module),
            self.bullets(entrypoints.0, &entrypoints.1, entrypoints.2, &noted("role")),
            self.bullets(dense.0, &dense.1, dense.2, &noted("note")),
            self.bullets(notes.0, &notes.1, notes.2, &|own| own.plain()),
            self.bullets(first.0, &first.1, first.2, &code),
        ]
    }

    fn current_focus(&self) -> Vec<PagePart> {
        const SNAPSHOT: &str = "## Validation Snapshot";
        let focus = |name: &'static str| ["currentFocus", name];
        let snapshot = |name: &'static str| ["currentFocus", "validationSnapshot", name];
        let plain = |own: Json<'_>| own.plain();
        let result = |own: Json<'_>| {
            let [status, command, says] = ["status", "command", "summary"].map(|name| member(own, name));
            format!("{} {command}: {says}", status.to_uppercase())
        };
        let command = |own: Json<'_>| {
            let words = own.get("command");
            let words: Vec<String> =
                words.iter().flat_map(|words| words.items()).map(|word| word.plain()).collect();
            format!("`{}` ({}): {}", words.join(" "), member(own, "label"), member(own, "purpose"))
        };
        let validated = self.bundle.path(&["currentFocus", "validationSnapshot"]);
        let validated = validated.and_then(|own| text(own, "validatedAt").map(|when| when.into_owned()));
        let validated = validated.unwrap_or_else(|| "not recorded".into());
        let summary = self.text(&focus("summary"));
        let state = ("## Current State", focus("currentState"), "No current state bullets recorded.");
        let results = ("## Validation Results", snapshot("results"), "No validation results recorded.");
        let actions = "No suggested next actions recorded.";
        let actions = ("## Suggested Next Actions", snapshot("suggestedNextActions"), actions);
        let commands = ("## Agent-Recommended Validation Commands", "No validation commands recorded.");
        vec![
            PagePart { heading: "# Current Focus", form: PartForm::Paragraph, pieces: vec![summary] },
            self.bullets(state.0, &state.1, state.2, &plain),
            self.bullets("## Known Risks", &focus("knownRisks"), "No known risks recorded.", &plain),
            line(SNAPSHOT, "- Status: ", &self.text(&snapshot("status"))),
            line(SNAPSHOT, "- Validated at: ", &validated),
            line(SNAPSHOT, "- Summary: ", &self.text(&snapshot("summary"))),
            self.bullets(results.0, &results.1, results.2, &result),
            self.bullets(actions.0, &actions.1, actions.2, &plain),
            self.bullets(commands.0, &["validationCommands"], commands.1, &command),
        ]
    }
}
