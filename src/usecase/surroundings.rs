//! Searches what lies beside the stores for what an erasure takes away. It is named before and in the receipt, and
//! never changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::detectors::detect;
use crate::disk::host::Host;
use crate::format::text_of;
use crate::model::plan::count_with_noun;
use crate::model::{
    EntryRef, NotReached, ProviderKeys, Snapshot, Store, SurroundingFinding, SurroundingKind,
    SurroundingReport, path_from_text,
};
use crate::ops::erase::EraseOptions;
use crate::store::erase::SecretValues;
use crate::store::surroundings::{self, ByteProgress, SearchPlaces, SoughtTexts, git_objects};
use crate::usecase::planned_change::{PlannedChange, PlannedErasure};
use crate::usecase::value_holders::SHORTEST_VALUE;

/// A shorter text of a memory is in other files by chance.
const SHORTEST_TEXT: usize = 24;
/// At most this many texts of memories are searched for beside the stores.
const TEXTS: usize = 512;
/// At most this many places of a kind are named in lines for people.
const NAMED: usize = 20;

/// What removes it in the program that keeps it, by a part of the path.
const REMOVALS: [(&str, &str); 5] = [
    ("/.claude/projects/", "Claude Code removes all that it has of a project: `claude project purge PATH`"),
    ("/.codex/sessions/", "Codex removes a session: `codex delete SESSION`"),
    ("fish_history", "fish removes a command: `history delete --contains TEXT`"),
    ("/atuin/", "atuin removes commands: `atuin search --delete TEXT`"),
    (".bash_history", "bash removes a command: `history -d NUMBER`, then `history -w`"),
];

/// Searches beside the stores of a planned erasure, and notes what is found. `words` are those of the topic
/// that is erased, if it is one.
pub fn search_surroundings(
    host: Host<'_>,
    home: Option<&Path>,
    planned: &mut PlannedChange,
    words: &[String],
    progress: ByteProgress<'_>,
) {
    // Also values that stay, because memories that are left hold them.
    let values = planned.request.hidden_values.values();
    let Some(erasure) = planned.request.command.get::<EraseOptions>() else { return };
    // The text of a memory that stays is no secret.
    let gone = if erasure.keeps_memories { &[] } else { &*planned.changing };
    let (values, skipped) = wanted(&planned.request.snapshot, gone, values);
    let sought = SoughtTexts { values, words: words.to_vec() };
    // Also if no store has it: the only copy may be in a transcript.
    if sought.is_empty() {
        return;
    }
    let report = search(host, home, &planned.request.snapshot, &sought, progress);
    let mut report = SurroundingReport { skipped, ..report };
    // An editor's file in a store may be changed by the erasure itself.
    let is_changed = |own: &SurroundingFinding| planned.erasures.iter().any(|one| changes(one, own));
    report.found.retain(|own| !is_changed(own));
    planned.not_reached.beside = Some(report);
}

fn changes(erasure: &PlannedErasure, found: &SurroundingFinding) -> bool {
    let path = path_from_text(&found.path);
    erasure.plan.all().any(|own| erasure.store.root.join(&own.path) == path)
}

/// Searches what lies beside stores.
pub fn search(
    host: Host<'_>,
    home: Option<&Path>,
    snapshot: &Snapshot,
    sought: &SoughtTexts,
    progress: ByteProgress<'_>,
) -> SurroundingReport {
    let roots: Vec<PathBuf> = snapshot.stores.iter().map(|own| own.root.clone()).collect();
    let projects = snapshot.stores.iter().filter_map(|store| store.project.as_ref()?.folder());
    let projects: Vec<PathBuf> = projects.map(Path::to_owned).collect();
    let imports: Vec<PathBuf> = snapshot.stores.iter().flat_map(|own| imports(own)).collect();
    let places = SearchPlaces { home, roots: &roots, projects: &projects, imports: &imports };
    surroundings::search(host.disk, places, sought, progress)
}

/// Returns the places from which a store says that memories are imported. They are relative to the folder around it.
fn imports(store: &Store) -> Vec<PathBuf> {
    let around = store.root.parent().unwrap_or(&store.root);
    let views =
        store.entries.iter().filter_map(|entry| store.memory(entry)).filter(|own| own.kind() == "source");
    let paths = views.flat_map(|own| own.facets()).filter(|(name, _)| *name == "path");
    paths.map(|(_, path)| around.join(path_from_text(path))).collect()
}

/// Returns the values that are erased, the main texts of the memories that go, and the secrets in these: a transcript may
/// have the secret alone. Also how many texts are left out.
fn wanted(snapshot: &Snapshot, at: &[EntryRef], values: &SecretValues) -> (Vec<Vec<u8>>, usize) {
    let values = values.all().iter().map(|own| own.to_vec());
    let text = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        let text = text_of(store, entry).text.into_raw();
        let text = text.trim();
        (text.len() >= SHORTEST_TEXT).then(|| text.as_bytes().to_vec())
    };
    let texts: Vec<Vec<u8>> = at.iter().take(TEXTS).filter_map(text).collect();
    let skipped = at.len() - texts.len();
    let secrets = texts.iter().flat_map(|text| {
        let found = detect(text, None).into_iter().filter(|found| found.kind.is_secret());
        found.filter_map(|found| Some(text.get(found.hidden)?.to_vec()))
    });
    let secrets: Vec<Vec<u8>> = secrets.filter(|secret| secret.len() >= SHORTEST_VALUE).collect();
    let all: BTreeSet<Vec<u8>> = values.chain(texts).chain(secrets).collect();
    (all.into_iter().collect(), skipped)
}

/// Says what an erasure does not reach, one line for each place and each provider. Untrusted text.
pub fn not_reached_lines(own: &NotReached) -> Vec<String> {
    let mut lines: Vec<String> = own.beside.iter().flat_map(told).collect();
    if !own.rotate.is_empty() {
        lines.push("keys that open something until they are replaced, by provider:".into());
        lines.extend(own.rotate.iter().map(ProviderKeys::told).map(|line| format!("  {line}")));
    }
    lines
}

/// Says what was found beside the stores, one line for each place. Untrusted text.
pub fn told(report: &SurroundingReport) -> Vec<String> {
    let searched = count_with_noun(report.files, "file");
    let mut lines = Vec::new();
    match report.found.is_empty() {
        true if report.files == 0 && report.unread.is_empty() && !report.stopped => {
            lines.push("beside the stores: no file of another program is there to be searched".into())
        }
        true if report.files == 1 => {
            lines.push("beside the stores: 1 file was searched and does not have it".into())
        }
        true => lines.push(format!("beside the stores: none of the {searched} that were searched has it")),
        false => lines.push(format!("beside the stores, and not changed: {}", counts(&report.found))),
    }
    let mut named = 0;
    for (number, own) in report.found.iter().enumerate() {
        let is_first = number == 0 || report.found[number - 1].kind != own.kind;
        named = if is_first { 0 } else { named + 1 };
        if named < NAMED {
            lines.push(format!("  {}", line(own)));
        } else if named == NAMED {
            let more = report.found.iter().filter(|other| other.kind == own.kind).count() - NAMED;
            lines.push(format!("  and {more} more: --json names all"));
        }
    }
    if report.found.iter().any(|own| own.kind == SurroundingKind::Git) {
        lines.push(format!("  {}", git_objects::REWRITE));
    }
    let is_told = |own: &&SurroundingFinding| {
        matches!(own.kind, SurroundingKind::Transcript | SurroundingKind::History)
    };
    let is_found = |part: &str| report.found.iter().filter(is_told).any(|own| own.path.contains(part));
    lines.extend(REMOVALS.iter().filter(|(part, _)| is_found(part)).map(|(_, how)| format!("  {how}")));
    lines.extend(report.unread.iter().map(|own| format!("  not searched: {own}")));
    if report.skipped > 0 {
        let texts = count_with_noun(report.skipped as u64, "text");
        lines.push(format!(
            "  not searched for: {texts}, short ones, or more than are searched for; erase a value to search for it"
        ));
    }
    if report.stopped {
        lines.push("  the search was stopped: more may have it".into());
    }
    lines
}

fn line(own: &SurroundingFinding) -> String {
    let file = own.line.map_or_else(|| own.path.clone(), |line| format!("{}:{line}", own.path));
    let place = [Some(file), own.detail.clone()].into_iter().flatten().collect::<Vec<_>>().join(": ");
    match (own.matches, own.words) {
        (0, 0) => place,
        (values, 0) => format!("{place}, {}", times(values)),
        (0, words) => format!("{place}, the words {}", times(words)),
        (values, words) => format!("{place}, {}, the words {}", times(values), times(words)),
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        count => format!("{count} times"),
    }
}

fn counts(found: &[SurroundingFinding]) -> String {
    let kinds: BTreeSet<SurroundingKind> = found.iter().map(|own| own.kind).collect();
    let one = |kind: &SurroundingKind| {
        let count = found.iter().filter(|own| own.kind == *kind).count();
        let [one, several] = kind.words();
        if count == 1 { format!("1 {one}") } else { format!("{count} {several}") }
    };
    kinds.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_say_how_often_values_and_words_are_in_each_place() {
        let found = |path: &str, matches: u64, words: u64| SurroundingFinding {
            kind: SurroundingKind::History,
            path: path.to_owned(),
            matches,
            words,
            line: None,
            detail: None,
        };
        let all = [found("/a", 3, 0), found("/b", 1, 2), found("/c", 0, 2), found("/d", 0, 1)];
        let report = SurroundingReport { found: all.into(), files: 9, ..SurroundingReport::default() };
        assert_eq!(
            told(&report),
            [
                "beside the stores, and not changed: 4 histories of commands",
                "  /a, 3 times",
                "  /b, once, the words twice",
                "  /c, the words twice",
                "  /d, the words once",
            ]
        );
    }
}
