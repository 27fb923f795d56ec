//! What memories say of themselves outside front matter, and how the files of families are written that palimp only
//! reads.

use std::collections::HashSet;
use std::path::Path;

use super::family::{Grammar, SectionRule};
use crate::format::notes::note_file::stem;
use crate::model::Moment;

/// The start of the comment before a memory that OpenClaw promoted. What follows is its key.
pub const PROMOTION: &str = "<!-- openclaw-memory-promotion:";
/// The length of `YYYY-MM-DD`.
const DAY: usize = 10;
/// Fields at the start of a text of Codex. They say where it comes from.
const ORIGIN: [&str; 6] =
    ["thread_id:", "updated_at:", "rollout_path:", "rollout_summary_file:", "cwd:", "git_branch:"];

#[derive(Default)]
pub struct PartFacts {
    pub created: Option<Moment>,
    pub tags: Vec<String>,
}

/// Returns how a file of an OpenClaw workspace is written: daily files and `MEMORY.md` have sections.
pub fn openclaw_kinds(path: &Path) -> (Grammar, &'static str) {
    let sections = |kind| Grammar::Sections(SectionRule { level: 2, kind, has_short_ids: false });
    match () {
        () if path == Path::new("MEMORY.md") => (sections("section"), "note"),
        () if is_daily(path) => (sections("daily"), "daily"),
        () => (Grammar::Topics, "note"),
    }
}

pub fn codex_kinds(path: &Path) -> (Grammar, &'static str) {
    let sections = |level, kind, has_short_ids| Grammar::Sections(SectionRule { level, kind, has_short_ids });
    match () {
        () if path == Path::new("MEMORY.md") => (sections(1, "section", true), "note"),
        () if path == Path::new("raw_memories.md") => (sections(2, "note", false), "note"),
        () if path == Path::new("memory_summary.md") || path.starts_with("rollout_summaries") => {
            (Grammar::Topics, "summary")
        }
        () => (Grammar::Topics, "note"),
    }
}

/// True for `memory/YYYY-MM-DD.md` and `memory/YYYY-MM-DD-slug.md`.
pub fn is_daily(path: &Path) -> bool {
    path.parent() == Some(Path::new("memory")) && stem(path).get(..DAY).and_then(day).is_some()
}

/// Returns the day of a promoted memory's source, or of a daily file.
pub fn openclaw_facts(path: &Path, text: &str) -> PartFacts {
    let promoted = promotion_key(text.lines().next().unwrap_or_default()).and_then(first_day);
    let of_file = || stem(path).get(..DAY).and_then(day);
    PartFacts { created: promoted.or_else(of_file), ..PartFacts::default() }
}

/// Returns the last `updated_at` of a text of Codex, and its keywords.
pub fn codex_facts(_: &Path, text: &str) -> PartFacts {
    PartFacts { created: last_update(text), tags: keywords(text) }
}

/// Returns the day in the name of a file: `scan_2026_04_12.md`, `2026-07-03.md`.
pub fn day_of_name(path: &Path, _: &str) -> PartFacts {
    let name = stem(path).replace('_', "-");
    PartFacts { created: first_day(&name), ..PartFacts::default() }
}

/// Returns the day of the first line that says when a file was updated: `**Last Updated**: 2026-02-03`.
pub fn day_of_update(_: &Path, text: &str) -> PartFacts {
    let says = |line: &&str| {
        let line = line.trim_start_matches(['*', '_', '#', '>', '-', ' ']).to_lowercase();
        line.starts_with("last updated") || line.starts_with("last update")
    };
    let created = text.lines().filter(says).find_map(first_day);
    PartFacts { created, ..PartFacts::default() }
}

/// Returns the key of a promoted memory, if this is its comment.
pub fn promotion_key(line: &str) -> Option<&str> {
    let (key, _) = line.trim_start().strip_prefix(PROMOTION)?.split_once("-->")?;
    Some(key.trim()).filter(|key| !key.is_empty())
}

/// A title is any line but a comment, without the mark of a bullet.
pub fn plain_title(line: &str) -> Option<&str> {
    let is_comment = line.starts_with("<!--") && line.ends_with("-->");
    let own = line.trim_start_matches(['-', '*', '+', ' ']);
    (!is_comment && !own.is_empty()).then_some(own)
}

/// A title of Codex is no version mark, and no field that says where a text comes from.
pub fn codex_title(line: &str) -> Option<&str> {
    let is_origin = ORIGIN.iter().any(|own| line.starts_with(own));
    let is_version = line.strip_prefix('v').is_some_and(|own| own.parse::<u32>().is_ok());
    (!is_origin && !is_version).then_some(line)
}

fn day(text: &str) -> Option<Moment> {
    let is_form = text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    Moment::of(text).filter(|_| is_form && text.len() == DAY)
}

fn first_day(text: &str) -> Option<Moment> {
    (0..text.len()).find_map(|at| day(text.get(at..at + DAY)?))
}

fn last_update(text: &str) -> Option<Moment> {
    let of_mark = |(at, mark): (usize, &str)| {
        let rest = text[at + mark.len()..].trim_start_matches(['`', '*']).strip_prefix([':', '='])?;
        let own =
            rest.trim_start().split(|c: char| c.is_whitespace() || matches!(c, ',' | ')' | '`')).next()?;
        Moment::of(own)
    };
    text.match_indices("updated_at").filter_map(of_mark).max()
}

/// Returns what follows `keywords:`, and the lists below headings `keywords`.
fn keywords(text: &str) -> Vec<String> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    let mut is_below = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('#') {
            is_below = line.trim_start_matches('#').trim() == "keywords";
            continue;
        }
        let list = line.strip_prefix("keywords:").or_else(|| is_below.then_some(line));
        for word in list.into_iter().flat_map(|own| own.trim_start_matches("- ").split(',')) {
            let word = word.trim().trim_matches('`');
            if !word.is_empty() && known.insert(word) {
                found.push(word.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_update_and_the_keywords_of_a_text_are_found() {
        let text = "# Task Group: a\n- x.md (cwd=/a, updated_at=2026-05-02T12:22:06+00:00, thread_id=1)\n- y.md \
            (updated_at=2026-05-04T09:56:29+00:00)\n\n### keywords\n\n- one, `two` , one\n\n## Other\n- three\nkeywords: four\n";
        let facts = codex_facts(Path::new("MEMORY.md"), text);
        assert_eq!(facts.created, Moment::of("2026-05-04T09:56:29Z"));
        assert_eq!(facts.tags, ["one", "two", "four"]);
        assert_eq!(codex_facts(Path::new("a"), "updated_at: never").created, None);
    }

    #[test]
    fn a_day_is_in_a_name_or_in_a_line_about_the_last_update() {
        let of_name = |path: &str| day_of_name(Path::new(path), "").created;
        assert_eq!(of_name("sessions/2026-07-03.md"), Moment::of("2026-07-03"));
        assert_eq!(of_name("scan_2026_04_12_late.md"), Moment::of("2026-04-12"));
        assert_eq!(of_name("plan-2026.md"), None);
        let of_text = |text: &str| day_of_update(Path::new("progress.md"), text).created;
        assert_eq!(of_text("# Progress\n\n**Last Updated**: 2026-02-03 by hand\n"), Moment::of("2026-02-03"));
        assert_eq!(of_text("It was last updated 2026-02-03.\n"), None);
    }

    #[test]
    fn a_day_is_in_the_name_of_a_daily_file_or_in_a_key() {
        assert!(is_daily(Path::new("memory/2026-01-02-late.md")));
        assert!(!is_daily(Path::new("memory/2026-01.md")) && !is_daily(Path::new("2026-01-02.md")));
        let text = "<!-- openclaw-memory-promotion:memory:memory/é/2026-01-03.md:1:2 -->\n- x\n";
        assert_eq!(openclaw_facts(Path::new("MEMORY.md"), text).created, Moment::of("2026-01-03"));
        assert_eq!(openclaw_facts(Path::new("MEMORY.md"), "x").created, None);
    }
}
