//! The families, as data.

use std::path::Path;

use super::family::{Family, FamilyLoad};
use super::{Markdown, assembly, layout, topic_file};
use crate::format::FormatInfo;
use crate::format::detection::{Evidence, FolderProbe};
use crate::format::notes::rules::NoteRules;
use crate::model::{DecayTable, Moment};
use crate::text::json::Json;

type Facts = (&'static str, &'static str, &'static [&'static str]);

const fn about(
    (name, place, more_places): Facts,
    is_below_home: bool,
    evidence: fn(&Path, &dyn FolderProbe) -> Evidence,
    assemble: fn(&crate::format::AssemblyInput<'_>, Moment) -> crate::format::Assembly,
) -> FormatInfo {
    FormatInfo {
        name,
        place,
        more_places,
        in_checkout: true,
        is_below_home,
        ranks_by_sum: false,
        has_references: true,
        has_checksums: false,
        outside_files: &[],
        keys_are_ids: true,
        facets: &[],
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
        is_named_by_stem: false,
        loads: FamilyLoad::Nothing,
        has_mem_references: false,
        has_front_matter: false,
    }
}

static CLAUDE: Family = Family {
    index: Some("MEMORY.md"),
    is_named_by_stem: true,
    has_front_matter: true,
    ..plain(
        about(
            (
                "markdown/claude",
                ".claude/projects/*/memory",
                &[
                    ".claude/agent-memory/*",
                    ".claude/agent-memory-local/*",
                    ".claude/memory",
                    ".agents/memory",
                ],
            ),
            true,
            layout::claude,
            |parts, now| assembly::assemble(&CLAUDE, parts, now),
        ),
        rules(|path, bytes, now| topic_file::read(&CLAUDE, path, bytes, now)),
    )
};

static SERENA: Family = Family {
    has_mem_references: true,
    loads: FamilyLoad::Names,
    ..plain(
        about(
            ("markdown/serena", ".serena/memories", &[".serena/memories/global"]),
            false,
            layout::serena,
            |parts, now| assembly::assemble(&SERENA, parts, now),
        ),
        rules(|path, bytes, now| topic_file::read(&SERENA, path, bytes, now)),
    )
};

static MEMORY_BANK: Family = Family {
    is_named_by_stem: true,
    loads: FamilyLoad::Whole,
    ..plain(
        about(
            ("markdown/memory-bank", "memory-bank", &["memory_bank", ".memory-bank"]),
            false,
            layout::memory_bank,
            |parts, now| assembly::assemble(&MEMORY_BANK, parts, now),
        ),
        rules(|path, bytes, now| topic_file::read(&MEMORY_BANK, path, bytes, now)),
    )
};

static HERMES: Family = Family {
    has_entries: true,
    loads: FamilyLoad::Whole,
    ..plain(
        about(("markdown/hermes", ".hermes/memories", &[]), true, layout::hermes, |parts, now| {
            assembly::assemble(&HERMES, parts, now)
        }),
        rules(|path, bytes, now| topic_file::read(&HERMES, path, bytes, now)),
    )
};

static PLAIN: Family = plain(
    about(("markdown", "", &[]), false, layout::plain, |parts, now| assembly::assemble(&PLAIN, parts, now)),
    rules(|path, bytes, now| topic_file::read(&PLAIN, path, bytes, now)),
);

/// Every family. The last one has no marks: it is read with `--as markdown`.
pub static FAMILIES: [Markdown; 5] =
    [Markdown(&CLAUDE), Markdown(&SERENA), Markdown(&MEMORY_BANK), Markdown(&HERMES), Markdown(&PLAIN)];

/// Nothing decays unless it says when it was made.
fn decay() -> DecayTable {
    DecayTable::new(&[], None, 0.1)
}

fn main_text(_: Json<'_>) -> (String, Vec<&'static str>) {
    (String::new(), Vec::new())
}
