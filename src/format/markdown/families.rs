//! The families, as data.

use std::path::Path;

use super::family::{Family, FamilyLoad, FileId, Grammar};
use super::settings::SettingsPlace;
use super::{Markdown, assembly, facts, instructions, layout, load_rule, places, settings, topic_file};
use crate::format::detection::{Evidence, FolderProbe};
use crate::format::notes::rules::NoteRules;
use crate::format::{FormatInfo, StorePlace};
use crate::model::{DecayTable, Moment, SurroundingKind, SurroundingPattern};
use crate::text::json::Json;

/// What programs other than palimp keep beside the memories of each family, below the home folder.
const CLAUDE_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(SurroundingKind::Transcript, ".claude/projects/**/*.jsonl"),
    SurroundingPattern::new(SurroundingKind::History, ".claude/history.jsonl"),
    SurroundingPattern::new(SurroundingKind::History, ".claude.json"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".claude/projects/**/tool-results/**"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".claude/todos/**"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".claude/debug/**"),
    SurroundingPattern::new(SurroundingKind::History, ".claude/shell-snapshots/**"),
    SurroundingPattern::new(SurroundingKind::History, ".claude/paste-cache/**"),
    SurroundingPattern::new(SurroundingKind::Editor, ".claude/file-history/**"),
    SurroundingPattern::new(SurroundingKind::Editor, ".claude/backups/**"),
];
const SERENA_SURROUNDINGS: &[SurroundingPattern] =
    &[SurroundingPattern::new(SurroundingKind::Transcript, ".serena/logs/**")];
const HERMES_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(SurroundingKind::Database, ".hermes/*.db*"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".hermes/sessions/**"),
];
const OPENCLAW_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(SurroundingKind::Database, ".openclaw/memory/*.sqlite*"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".openclaw/agents/**/*.jsonl"),
];
const CODEX_SURROUNDINGS: &[SurroundingPattern] = &[
    SurroundingPattern::new(SurroundingKind::Database, ".codex/*.sqlite*"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".codex/sessions/**"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".codex/archived_sessions/**"),
    SurroundingPattern::new(SurroundingKind::Transcript, ".codex/log/**"),
    SurroundingPattern::new(SurroundingKind::History, ".codex/history.jsonl"),
];
const BASIC_MEMORY_SURROUNDINGS: &[SurroundingPattern] =
    &[SurroundingPattern::new(SurroundingKind::Database, ".basic-memory/*.db*")];
const GEMINI_SURROUNDINGS: &[SurroundingPattern] =
    &[SurroundingPattern::new(SurroundingKind::Transcript, ".gemini/tmp/**")];

const fn about(
    (name, places): (&'static str, &'static [StorePlace]),
    evidence: fn(&Path, &dyn FolderProbe) -> Evidence,
    assemble: fn(&crate::format::AssemblyInput<'_>, Moment) -> crate::format::Assembly,
) -> FormatInfo {
    FormatInfo {
        name,
        places,
        in_checkout: true,
        has_file_times: true,
        has_other_files: false,
        ranks_by_sum: false,
        has_references: true,
        has_checksums: false,
        outside_files: &[],
        keys_are_ids: true,
        facets: &[],
        surroundings: &[],
        unsearched: &["metadata", "originSessionId", "modified", "created", "permalink"],
        reading_order: &[],
        title_fields: &["description", "title", "name"],
        evidence,
        placement: layout::place,
        assemble,
        decay,
        main_text,
    }
}

const fn rules(read: fn(&Path, &[u8], Moment) -> crate::format::record_reader::Reading) -> NoteRules {
    NoteRules {
        is_note: |_| true,
        read,
        folder: "",
        ids: &[],
        required: &[],
        relations: &[],
        lists: &["tags"],
        line_fields: &["name", "title", "description"],
        updated: "",
        time: "%Y-%m-%dT%H:%M:%S%.3fZ",
        reserved: &["memory"],
    }
}

const fn plain(about: FormatInfo, rules: NoteRules) -> Family {
    Family {
        about,
        rules,
        index: None,
        has_entries: false,
        file_kinds: None,
        file_id: FileId::Path,
        loads: FamilyLoad::Nothing,
        settings: None,
        has_mem_references: false,
        has_front_matter: false,
        facts: facts::no_facts,
        title: facts::any_title,
        instructions: instructions::OF_PROJECTS,
        waiting: None,
        read_only: None,
    }
}

const fn plain_with(
    surroundings: &'static [SurroundingPattern],
    about: FormatInfo,
    rules: NoteRules,
) -> Family {
    plain(FormatInfo { surroundings, ..about }, rules)
}

static CLAUDE: Family = Family {
    index: Some("MEMORY.md"),
    file_id: FileId::StemAtTop,
    loads: FamilyLoad::Rules(load_rule::CLAUDE),
    has_front_matter: true,
    facts: facts::day_of_name,
    ..plain_with(
        CLAUDE_SURROUNDINGS,
        about(("markdown/claude", places::CLAUDE), layout::claude, |parts, now| {
            assembly::assemble(&CLAUDE, parts, now)
        }),
        rules(|path, bytes, now| topic_file::read(&CLAUDE, path, bytes, now)),
    )
};

static SERENA: Family = Family {
    has_mem_references: true,
    loads: FamilyLoad::Names,
    ..plain_with(
        SERENA_SURROUNDINGS,
        about(("markdown/serena", places::SERENA), layout::serena, |parts, now| {
            assembly::assemble(&SERENA, parts, now)
        }),
        rules(|path, bytes, now| topic_file::read(&SERENA, path, bytes, now)),
    )
};

static MEMORY_BANK: Family = Family {
    file_id: FileId::StemAtTop,
    loads: FamilyLoad::Unknown,
    facts: facts::day_of_update,
    ..plain(
        about(("markdown/memory-bank", places::MEMORY_BANK), layout::memory_bank, |parts, now| {
            assembly::assemble(&MEMORY_BANK, parts, now)
        }),
        rules(|path, bytes, now| topic_file::read(&MEMORY_BANK, path, bytes, now)),
    )
};

/// With approval on, Hermes stages each write in a file (`tools/write_approval.py` at 00067189, read 2026-11-28).
static HERMES: Family = Family {
    has_entries: true,
    waiting: Some("pending/memory"),
    loads: FamilyLoad::Rules(load_rule::HERMES),
    settings: Some(SettingsPlace { files: &["../config.yaml"], read: settings::hermes, before: &[] }),
    ..plain_with(
        HERMES_SURROUNDINGS,
        FormatInfo {
            placement: layout::hermes_place,
            ..about(("markdown/hermes", places::HERMES), layout::hermes, |parts, now| {
                assembly::assemble(&HERMES, parts, now)
            })
        },
        rules(|path, bytes, now| topic_file::read(&HERMES, path, bytes, now)),
    )
};

/// OpenClaw's model appends to daily files; its nightly job promotes from them into `MEMORY.md`, by line numbers.
static OPENCLAW: Family = Family {
    file_kinds: Some(facts::openclaw_kinds),
    loads: FamilyLoad::Rules(load_rule::OPENCLAW),
    settings: Some(SettingsPlace {
        files: &["../openclaw.json", "../../openclaw.json", "../.openclaw/openclaw.json"],
        read: settings::openclaw,
        // `HEARTBEAT.md` is not loaded each time.
        before: &["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md"],
    }),
    facts: facts::openclaw_facts,
    instructions: instructions::OF_WORKSPACES,
    title: facts::plain_title,
    read_only: Some(
        "palimp opens a workspace of OpenClaw only to read: its nightly job rewrites these files, and finds what it \
         promotes by line numbers that a change would shift.",
    ),
    ..plain_with(
        OPENCLAW_SURROUNDINGS,
        FormatInfo {
            placement: layout::openclaw_place,
            // The workspace is the agent's home folder.
            has_other_files: true,
            ..about(("markdown/openclaw", places::OPENCLAW), layout::openclaw, |parts, now| {
                assembly::assemble(&OPENCLAW, parts, now)
            })
        },
        rules(|path, bytes, now| topic_file::read(&OPENCLAW, path, bytes, now)),
    )
};

/// Codex's background job writes these files from its database `memories_1.sqlite`, and keeps them in git.
static CODEX: Family = Family {
    file_kinds: Some(facts::codex_kinds),
    file_id: FileId::Stem,
    loads: FamilyLoad::Rules(load_rule::CODEX),
    facts: facts::codex_facts,
    title: facts::codex_title,
    read_only: Some(
        "palimp opens Codex's folder only to read: its background job rewrites these files from its database, so a \
         change would not last.",
    ),
    ..plain_with(
        CODEX_SURROUNDINGS,
        FormatInfo {
            // It is a git repository.
            has_other_files: true,
            ..about(("markdown/codex", places::CODEX), layout::codex, |parts, now| {
                assembly::assemble(&CODEX, parts, now)
            })
        },
        rules(|path, bytes, now| topic_file::read(&CODEX, path, bytes, now)),
    )
};

/// basic-memory's index holds all text of its notes.
static BASIC_MEMORY: Family = Family {
    read_only: Some(
        "palimp opens notes of basic-memory only to read: its index has a copy of every text, which a change or an \
         erasure here would not reach.",
    ),
    ..plain_with(
        BASIC_MEMORY_SURROUNDINGS,
        about(("markdown/basic-memory", places::BASIC_MEMORY), layout::basic_memory, |parts, now| {
            assembly::assemble(&BASIC_MEMORY, parts, now)
        }),
        NoteRules {
            ids: &["permalink"],
            ..rules(|path, bytes, now| topic_file::read(&BASIC_MEMORY, path, bytes, now))
        },
    )
};

/// Gemini CLI's memories are a list in a file of instructions.
static BULLETS: Family = Family {
    file_kinds: Some(|_| (Grammar::Bullets, "note")),
    loads: FamilyLoad::Whole,
    title: facts::plain_title,
    read_only: Some(
        "palimp opens GEMINI.md only to read: its memories are a list in a file of instructions, which Gemini CLI \
         rewrites.",
    ),
    ..plain_with(
        GEMINI_SURROUNDINGS,
        FormatInfo {
            placement: layout::bullets_place,
            has_other_files: true,
            ..about(("markdown/bullets", places::BULLETS), layout::bullets, |parts, now| {
                assembly::assemble(&BULLETS, parts, now)
            })
        },
        rules(|path, bytes, now| topic_file::read(&BULLETS, path, bytes, now)),
    )
};

static PLAIN: Family = Family {
    loads: FamilyLoad::Unknown,
    ..plain(
        about(("markdown", places::PLAIN), layout::plain, |parts, now| {
            assembly::assemble(&PLAIN, parts, now)
        }),
        rules(|path, bytes, now| topic_file::read(&PLAIN, path, bytes, now)),
    )
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

/// Nothing decays unless it says when it was made.
fn decay() -> DecayTable {
    DecayTable::new(&[], None, 0.1)
}

fn main_text(_: Json<'_>) -> (String, Vec<&'static str>) {
    (String::new(), Vec::new())
}
