//! Searches what lies beside the stores: transcripts and databases of agents, histories of shells, files of editors,
//! the trash, and git. Nothing there is ever changed.

mod blocks;
pub mod git_objects;
pub mod keyed_file;
pub mod places;
pub mod raw_search;

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::disk::Disk;
use crate::format::FORMATS;
use crate::model::{PathText, Span, SurroundingFinding, SurroundingReport};
pub use places::SearchPlaces;
use places::SurroundingFile;
pub use raw_search::SoughtTexts;
use raw_search::{FileSearch, RawSearch, SHORTEST_WORD};

/// A longer file is searched in parts, side by side.
const PART: u64 = 32 << 20;

/// Hears how many bytes more were searched. The search stops if it returns false.
pub type ByteProgress<'p> = &'p (dyn Fn(u64) -> bool + Sync);

/// Searches all files beside the stores, and the git work trees of these and of their projects.
pub fn search(
    disk: &dyn Disk,
    places: SearchPlaces<'_>,
    sought: &SoughtTexts,
    progress: ByteProgress<'_>,
) -> SurroundingReport {
    let mut report = SurroundingReport::default();
    if let count @ 1.. = sought.short_words() {
        let words = if count == 1 { "1 word".into() } else { format!("{count} words") };
        report.unread.push(format!("{words} of fewer than {SHORTEST_WORD} bytes"));
    }
    let Some(search) = RawSearch::of(sought) else { return report };
    let patterns: Vec<_> = FORMATS.iter().flat_map(|own| own.about().surroundings).copied().collect();
    let trees = git_objects::work_trees(disk, places.roots.iter().chain(places.projects));
    let files = places::files(disk, places, &trees, &patterns, &mut report.unread);
    let is_stopped = AtomicBool::new(false);
    // All threads end when one hears that the search is to stop.
    let going = |bytes: u64| {
        let is_going = !is_stopped.load(Ordering::Relaxed) && progress(bytes);
        is_stopped.fetch_or(!is_going, Ordering::Relaxed);
        is_going
    };
    let around: Vec<&Path> =
        [places.roots, places.projects, &trees].into_iter().flatten().map(|own| &**own).collect();
    let around: Vec<&Path> = around.into_iter().chain(places.home).collect();
    search_files(disk, (&files, &around), &search, &going, &mut report);
    for tree in trees {
        if is_stopped.load(Ordering::Relaxed) {
            report.stopped = true;
            break;
        }
        git_objects::search(&tree, &search, &going, &mut report);
    }
    report.found.sort_by_key(|own| (own.kind, own.matches == 0));
    if report.found.iter().any(|own| own.matches > 0) {
        report.sought = sought.searched_values();
    }
    without_values(&mut report, &search);
    report
}

/// Takes out names that have a value: the report is kept in a receipt.
fn without_values(report: &mut SurroundingReport, search: &RawSearch) {
    let has = |own: &str| search.has_value(own.as_bytes());
    for own in &mut report.found {
        if has(&own.path) {
            own.path = NAMED.into();
        }
        if own.detail.as_deref().is_some_and(has) {
            own.detail = Some(NAMED.into());
        }
    }
    report.unread.iter_mut().filter(|own| has(own)).for_each(|own| *own = NAMED.into());
}

const NAMED: &str = "a place whose name has it";
/// Follows the part of a path that has no value.
const CUT: &str = "/… (its name has it)";

/// True for a path with all its names: it leads to the file.
pub fn is_whole_path(told: &str) -> bool {
    Path::new(told).is_absolute() && !told.ends_with(CUT)
}

/// Returns a path that may be kept in a receipt: a name that has a value is left out.
fn told_path(path: &Path, search: &RawSearch) -> String {
    let has = |own: &Path| search.has_value(own.as_os_str().as_encoded_bytes());
    match path.ancestors().find(|own| !has(own)) {
        Some(own) if own == path => path.to_text().into_owned(),
        Some(own) => format!("{}{CUT}", own.to_text()),
        None => "a file whose name has it".into(),
    }
}

fn search_files(
    disk: &dyn Disk,
    (files, around): (&[SurroundingFile], &[&Path]),
    search: &RawSearch,
    progress: ByteProgress<'_>,
    report: &mut SurroundingReport,
) {
    let parts: Vec<FilePart<'_>> = files
        .iter()
        .flat_map(|own| parts(disk, &own.path).into_iter().map(move |part| (own, part)))
        .collect();
    let outcomes = super::parallel::map_parallel(&parts, |(own, part)| match part {
        Ok(part) => search.part(disk, (&own.path, *part), progress),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    });
    let mut found = by_file(&parts, outcomes);
    for own in files {
        match found.remove(&*own.path) {
            Some(Ok(searched)) => {
                add_file(report, disk, (own, name_below(&own.path, around)), searched, search);
            }
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                report.unread.push(format!("{}: {error}", told_path(&own.path, search)));
            }
            _ => {}
        }
    }
}

/// A file, and a part of it; an error if the file can't be examined.
type FilePart<'a> = (&'a SurroundingFile, io::Result<Span>);

/// Puts the searches of the parts of each file together. If one fails, that is said of the file.
fn by_file<'a>(
    parts: &[FilePart<'a>],
    outcomes: Vec<io::Result<FileSearch>>,
) -> HashMap<&'a Path, io::Result<FileSearch>> {
    let mut found = HashMap::new();
    for ((own, _), outcome) in parts.iter().zip(outcomes) {
        let all = found.entry(&*own.path).or_insert_with(|| Ok(FileSearch::default()));
        match (all, outcome) {
            (Ok(all), Ok(part)) => all.add(part),
            (all @ Ok(_), Err(error)) => *all = Err(error),
            (Err(_), _) => {}
        }
    }
    found
}

/// Returns the names of a path below the nearest of these folders. The names of the user and of a project are no finds.
fn name_below<'p>(path: &'p Path, around: &[&Path]) -> &'p Path {
    let below = around.iter().filter_map(|own| path.strip_prefix(own).ok());
    below.min_by_key(|own| own.as_os_str().len()).unwrap_or(path)
}

fn add_file(
    report: &mut SurroundingReport,
    disk: &dyn Disk,
    (own, name): (&SurroundingFile, &Path),
    searched: FileSearch,
    search: &RawSearch,
) {
    report.files += 1;
    report.bytes += searched.bytes;
    report.stopped |= searched.stopped;
    let (mut found, kind) = (searched.matches, own.kind);
    // Words of a topic are in the names of projects, so only values count there.
    found.values += search.count_values(name.as_os_str().as_encoded_bytes());
    if !found.is_zero() {
        let path = told_path(&own.path, search);
        let line = searched.first.and_then(|place| blocks::line_of(disk, &own.path, place));
        let (matches, words) = (found.values, found.words);
        report.found.push(SurroundingFinding { kind, path, matches, words, line, detail: None });
    }
}

fn parts(disk: &dyn Disk, path: &Path) -> Vec<io::Result<Span>> {
    let len = match disk.look(path) {
        Ok(item) => item.generation.len,
        Err(error) => return vec![Err(error)],
    };
    let part = |number: u64| Ok(Span { start: number * PART, end: len.min((number + 1) * PART) });
    (0..len.div_ceil(PART).max(1)).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{RealDisk, write_new};

    fn sought(value: &str, words: &[&str]) -> SoughtTexts {
        let words = words.iter().map(|own| (*own).to_owned()).collect();
        SoughtTexts { values: vec![value.into()], words }
    }

    #[test]
    fn places_with_words_of_a_topic_follow_those_with_values_and_short_words_are_said() {
        let folder = crate::folder::new();
        write_new(&folder.path().join(".bash_history"), b"cd Acme; ls ACME").unwrap();
        write_new(&folder.path().join(".zsh_history"), b"ls\ncd acme\necho marzipan-7 acme").unwrap();
        write_new(&folder.path().join(".lesshst"), b"nothing").unwrap();
        let at = SearchPlaces { home: Some(folder.path()), ..SearchPlaces::default() };
        let report = search(&RealDisk, at, &sought("marzipan-7", &["acme", "ab"]), &|_| true);
        let own =
            |own: &SurroundingFinding| (own.path.ends_with(".zsh_history"), own.matches, own.words, own.line);
        let found: Vec<_> = report.found.iter().map(own).collect();
        assert_eq!(found, [(true, 1, 2, Some(2)), (false, 0, 2, Some(1))]);
        assert_eq!((report.files, report.stopped), (3, false));
        assert_eq!(report.unread, ["1 word of fewer than 3 bytes"]);
    }

    #[test]
    fn a_search_that_is_stopped_reads_no_more_files() {
        let folder = crate::folder::new();
        write_new(&folder.path().join(".bash_history"), b"marzipan-7").unwrap();
        let at = SearchPlaces { home: Some(folder.path()), ..SearchPlaces::default() };
        let report = search(&RealDisk, at, &sought("marzipan-7", &[]), &|_| false);
        assert_eq!((report.bytes, report.stopped, report.found.len()), (0, true, 0));
    }
}
