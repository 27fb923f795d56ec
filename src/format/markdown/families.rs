//! The families, as data.

use std::path::Path;

use super::facts::PartFacts;
use super::family::{Family, FamilyLoad, FileId, Grammar};
use super::settings::SettingsPlace;
use super::{Markdown, facts, instructions, layout, places, settings};
use crate::format::detection::{Evidence, FolderProbe};
use crate::format::notes::rules::NoteRules;
use crate::format::{FormatInfo, StorePlace};
use crate::model::SurroundingKind::{Database, Editor, History, Transcript};
use crate::model::{Store, SurroundingPattern};

/// What programs other than palimp keep beside the memories of each family, below the home folder.
const CLAUDE_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(Transcript, ".claude/projects/**/*.jsonl"),
    SurroundingPattern::new(History, ".claude/history.jsonl .claude.json"),
    SurroundingPattern::new(Transcript, ".claude/projects/**/tool-results/** .claude/todos/**"),
    SurroundingPattern::new(Transcript, ".claude/debug/**"),
    SurroundingPattern::new(History, ".claude/shell-snapshots/** .claude/paste-cache/**"),
    SurroundingPattern::new(Editor, ".claude/file-history/** .claude/backups/**"),
];
const SERENA_SURROUNDINGS: &[SurroundingPattern] = &[SurroundingPattern::new(Transcript, ".serena/logs/**")];
const HERMES_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(Database, ".hermes/*.db*"),
    SurroundingPattern::new(Transcript, ".hermes/sessions/**"),
];
const OPENCLAW_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(Database, ".openclaw/memory/*.sqlite*"),
    SurroundingPattern::new(Transcript, ".openclaw/agents/**/*.jsonl"),
];
const CODEX_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(Database, ".codex/*.sqlite*"),
    SurroundingPattern::new(Transcript, ".codex/sessions/** .codex/archived_sessions/** .codex/log/**"),
    SurroundingPattern::new(History, ".codex/history.jsonl"),
];
const BASIC_MEMORY_SURROUNDINGS: &[SurroundingPattern] =
    &[SurroundingPattern::new(Database, ".basic-memory/*.db*")];
const GEMINI_SURROUNDINGS: &[SurroundingPattern] = &[SurroundingPattern::new(Transcript, ".gemini/tmp/**")];

const fn about(
    name: &'static str,
    places: &'static [StorePlace],
    evidence: fn(&Path, &dyn FolderProbe) -> Evidence,
    surroundings: &'static [SurroundingPattern],
) -> FormatInfo {
    FormatInfo {
        name,
        places,
        in_checkout: true,
        has_file_times: true,
        keys_are_ids: true,
        surroundings,
        unsearched: &["metadata", "originSessionId", "modified", "created", "permalink"],
        title_fields: &["description", "title", "name"],
        instructions: instructions::OF_PROJECTS,
        is_in_session: |_| false,
        evidence,
        placement: layout::place,
        ..FormatInfo::USUAL
    }
}

const RULES: NoteRules = NoteRules {
    is_note: |_| true,
    folder: "",
    ids: &[],
    required: &[],
    relations: &[],
    lists: &["tags"],
    line_fields: &["name", "title", "description"],
    updated: "",
    time: "%Y-%m-%dT%H:%M:%S%.3fZ",
    reserved: &["memory"],
};

/// Each file is a memory, and no program is known that loads it.
const PLAIN: Family = Family {
    about: about("markdown", places::PLAIN, layout::plain, &[]),
    rules: RULES,
    index: None,
    has_entries: false,
    file_kinds: None,
    file_id: FileId::Path,
    loads: FamilyLoad::Unknown,
    settings: None,
    has_mem_references: false,
    has_front_matter: false,
    facts: |_, _| PartFacts::default(),
    title: |line| Some(line),
};

const CLAUDE: Family = Family {
    about: about("markdown/claude", places::CLAUDE, layout::claude, CLAUDE_SURROUNDINGS),
    index: Some("MEMORY.md"),
    file_id: FileId::StemAtTop,
    loads: FamilyLoad::Rules,
    has_front_matter: true,
    facts: facts::day_of_name,
    ..PLAIN
};

const SERENA: Family = Family {
    about: about("markdown/serena", places::SERENA, layout::serena, SERENA_SURROUNDINGS),
    has_mem_references: true,
    loads: FamilyLoad::Names,
    ..PLAIN
};

const MEMORY_BANK: Family = Family {
    about: about("markdown/memory-bank", places::MEMORY_BANK, layout::memory_bank, &[]),
    file_id: FileId::StemAtTop,
    facts: facts::day_of_update,
    ..PLAIN
};

/// With approval on, Hermes stages each write in a file (`tools/write_approval.py` at 00067189, read 2026-11-28).
const HERMES: Family = Family {
    about: FormatInfo {
        placement: layout::hermes_place,
        waiting: Some("pending/memory"),
        ..about("markdown/hermes", places::HERMES, layout::hermes, HERMES_SURROUNDINGS)
    },
    has_entries: true,
    loads: FamilyLoad::Rules,
    settings: Some(SettingsPlace { files: &["../config.yaml"], read: settings::hermes, before: &[] }),
    ..PLAIN
};

/// OpenClaw's model appends to daily files; its nightly job promotes from them into `MEMORY.md`, by line numbers.
const OPENCLAW: Family = Family {
    about: FormatInfo {
        placement: layout::openclaw_place,
        // The workspace is the agent's home folder.
        has_other_files: true,
        instructions: instructions::OF_WORKSPACES,
        read_only: Some(
            "palimp opens a workspace of OpenClaw only to read: its nightly job rewrites these files, and finds what \
             it promotes by line numbers that a change would shift.",
        ),
        ..about("markdown/openclaw", places::OPENCLAW, layout::openclaw, OPENCLAW_SURROUNDINGS)
    },
    file_kinds: Some(facts::openclaw_kinds),
    loads: FamilyLoad::Rules,
    settings: Some(SettingsPlace {
        files: &["../openclaw.json", "../../openclaw.json", "../.openclaw/openclaw.json"],
        read: settings::openclaw,
        // `HEARTBEAT.md` is not loaded each time.
        before: &["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md"],
    }),
    facts: facts::openclaw_facts,
    title: facts::plain_title,
    ..PLAIN
};

/// Codex's background job writes these files from its database `memories_1.sqlite`, and keeps them in git.
const CODEX: Family = Family {
    about: FormatInfo {
        // It is a git repository.
        has_other_files: true,
        read_only: Some(
            "palimp opens Codex's folder only to read: its background job rewrites these files from its database, so \
             a change would not last.",
        ),
        ..about("markdown/codex", places::CODEX, layout::codex, CODEX_SURROUNDINGS)
    },
    file_kinds: Some(facts::codex_kinds),
    file_id: FileId::Stem,
    loads: FamilyLoad::Rules,
    facts: facts::codex_facts,
    title: facts::codex_title,
    ..PLAIN
};

/// basic-memory's index holds all text of its notes.
const BASIC_MEMORY: Family = Family {
    about: FormatInfo {
        read_only: Some(
            "palimp opens notes of basic-memory only to read: its index has a copy of every text, which a change or \
             an erasure here would not reach.",
        ),
        ..about(
            "markdown/basic-memory",
            places::BASIC_MEMORY,
            layout::basic_memory,
            BASIC_MEMORY_SURROUNDINGS,
        )
    },
    rules: NoteRules { ids: &["permalink"], ..RULES },
    loads: FamilyLoad::Nothing,
    ..PLAIN
};

/// Gemini CLI's memories are a list in a file of instructions.
const BULLETS: Family = Family {
    about: FormatInfo {
        placement: layout::bullets_place,
        has_other_files: true,
        read_only: Some(
            "palimp opens GEMINI.md only to read: its memories are a list in a file of instructions, which Gemini CLI \
             rewrites.",
        ),
        ..about("markdown/bullets", places::BULLETS, layout::bullets, GEMINI_SURROUNDINGS)
    },
    file_kinds: Some(|_| (Grammar::Bullets, "note")),
    loads: FamilyLoad::Whole,
    title: facts::plain_title,
    ..PLAIN
};

/// Every family. The last one has no marks: it is read at its places, and with `--as markdown`.
pub static FAMILIES: [Markdown; 9] = [
    Markdown(&CLAUDE),
    Markdown(&SERENA),
    Markdown(&MEMORY_BANK),
    Markdown(&HERMES),
    Markdown(&OPENCLAW),
    Markdown(&CODEX),
    Markdown(&BASIC_MEMORY),
    Markdown(&BULLETS),
    Markdown(&PLAIN),
];

pub fn family(store: &Store) -> Option<&'static Family> {
    FAMILIES.iter().map(|Markdown(family)| *family).find(|family| family.about.name == store.format)
}
