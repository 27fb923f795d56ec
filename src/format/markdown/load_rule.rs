//! What programs load of a file at their start, as data. All was looked up on 2026-11-29.

use crate::model::{LoadLimit, LoadSettings, PathText};

pub struct LoadRule {
    pub reader: &'static str,
    /// The file, relative to the root.
    pub file: &'static str,
    /// The folder above the root that shows that it is this program; empty if any other may be.
    pub below: &'static str,
    /// The most bytes or characters without settings.
    pub most: usize,
    /// True if the limit counts bytes.
    pub has_bytes: bool,
    /// How much of the limit a character takes.
    pub size: fn(char) -> usize,
    pub cut: LoadCut,
    /// The name of the setting of the limit, if there is one.
    pub setting: &'static str,
    /// The name of the setting that turns the file off, if there is one.
    pub switch: &'static str,
    /// The setting of a limit together with the files before it, and its value without settings.
    pub shared: (&'static str, usize),
    /// The version of the program that the limit is from.
    pub source: &'static str,
}

/// What is loaded of a file over its limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LoadCut {
    /// The lines before the first that goes beyond it, or beyond this number. Front matter and comments may not count.
    Lines {
        most: usize,
        with_front_matter: bool,
    },
    /// A file is cut if it is longer than both `times` its limit and `least` characters. These per cent of the larger one
    /// are then loaded from its start and from its end.
    Ends {
        times: usize,
        least: usize,
        start: usize,
        end: usize,
    },
    Unknown,
}

/// The index of Claude Code by its documentation, and of Qwen Code, which has the same form, by
/// `packages/core/src/memory/prompt.ts`.
pub const CLAUDE: &[LoadRule] = &[
    LoadRule {
        reader: "Qwen Code",
        below: ".qwen",
        has_bytes: false,
        size: char::len_utf16,
        cut: LoadCut::Lines { most: 200, with_front_matter: true },
        source: "Qwen Code 037e657b",
        ..CLAUDE_INDEX
    },
    CLAUDE_INDEX,
];
const CLAUDE_INDEX: LoadRule = LoadRule {
    reader: "Claude Code",
    file: "MEMORY.md",
    below: "",
    most: 25_000,
    has_bytes: true,
    size: char::len_utf8,
    cut: LoadCut::Lines { most: 200, with_front_matter: false },
    setting: "",
    switch: "",
    shared: ("", usize::MAX),
    source: "Claude Code 2.1.281",
};

/// The files of Hermes by `tools/memory_tool.py`. Earlier versions show all of a long one.
pub const HERMES: &[LoadRule] = &[
    HERMES_MEMORY,
    LoadRule {
        file: "USER.md",
        most: 1_375,
        setting: "user_char_limit",
        switch: "user_profile_enabled",
        ..HERMES_MEMORY
    },
];
const HERMES_MEMORY: LoadRule = LoadRule {
    reader: "Hermes",
    most: 2_200,
    has_bytes: false,
    // A line end is one character.
    size: |c| if c == '\r' { 0 } else { 1 },
    cut: LoadCut::Ends { times: 2, least: 4_000, start: 70, end: 20 },
    setting: "memory_char_limit",
    switch: "memory_enabled",
    source: "Hermes Agent 029cfb25",
    ..CLAUDE_INDEX
};

/// The memories of OpenClaw by `src/agents/embedded-agent-helpers/bootstrap.ts`. Earlier versions keep 70 % and 20 %:
/// what palimp shows as left out is left out by all versions.
pub const OPENCLAW: &[LoadRule] = &[LoadRule {
    reader: "OpenClaw",
    most: 20_000,
    has_bytes: false,
    size: char::len_utf16,
    cut: LoadCut::Ends { times: 1, least: 0, start: 75, end: 25 },
    setting: "bootstrapMaxChars",
    shared: ("bootstrapTotalMaxChars", 60_000),
    source: "OpenClaw 04871316",
    ..CLAUDE_INDEX
}];

/// The summary of Codex by `codex-rs/memories/read/src/lib.rs`: 2,500 tokens of about four bytes; once 5,000.
pub const CODEX: &[LoadRule] = &[LoadRule {
    reader: "Codex",
    file: "memory_summary.md",
    most: 10_000,
    cut: LoadCut::Unknown,
    source: "Codex of 2026",
    ..CLAUDE_INDEX
}];

impl LoadRule {
    /// Returns how much of the limit a text takes.
    pub fn len(&self, text: &str) -> usize {
        text.chars().map(self.size).sum()
    }

    /// Returns the most bytes or characters with these settings. What is loaded before the file takes a part of them.
    pub fn most_with(&self, settings: &LoadSettings) -> usize {
        let most = settings.number(self.setting).unwrap_or(self.most);
        let before: usize = settings.before.iter().map(|size| most.min(*size)).sum();
        let shared = settings.number(self.shared.0).unwrap_or(self.shared.1);
        most.min(shared.saturating_sub(before))
    }

    /// Returns the limit for people, if this is the most bytes or characters.
    pub fn limit(&self, most: usize) -> LoadLimit {
        match self.cut {
            LoadCut::Lines { most: lines, .. } if self.has_bytes => LoadLimit::LinesOrBytes(lines, most),
            LoadCut::Lines { most: lines, .. } => LoadLimit::LinesOrCharacters(lines, most),
            _ if self.has_bytes => LoadLimit::Bytes(most),
            _ => LoadLimit::Characters(most),
        }
    }

    /// Returns where the limit is from: a file of settings, or a version of the program.
    pub fn limit_source(&self, settings: &LoadSettings) -> String {
        let file = settings.file.as_ref().filter(|_| settings.number(self.setting).is_some());
        file.map_or_else(|| self.source.to_owned(), |file| file.to_text().into_owned())
    }
}
