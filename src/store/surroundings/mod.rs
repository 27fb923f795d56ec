//! Searches what lies beside the stores: transcripts and databases of agents, histories of shells, files of editors,
//! the trash, and git. Nothing there is ever changed.

pub mod git_objects;
pub mod places;
pub mod raw_search;

use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::format::FORMATS;
use crate::model::{PathText, SurroundingFinding, SurroundingReport};
use places::SurroundingFile;
use raw_search::RawSearch;

/// Hears how many bytes more were searched. The search stops if it returns false.
pub type ByteProgress<'p> = &'p (dyn Fn(u64) -> bool + Sync);

/// Searches all files beside the stores at `roots` for values. `projects` are folders whose git work trees are
/// searched, too.
pub fn search(
    disk: &dyn Disk,
    (home, roots, projects): (Option<&Path>, &[PathBuf], &[PathBuf]),
    values: &[Vec<u8>],
    progress: ByteProgress<'_>,
) -> SurroundingReport {
    let Some(search) = RawSearch::of(values) else { return SurroundingReport::default() };
    let patterns: Vec<_> = FORMATS.iter().flat_map(|own| own.about().surroundings).copied().collect();
    let mut unread = Vec::new();
    let files = places::files(disk, home, roots, &patterns, &mut unread);
    let mut report = search_files(disk, &files, &search, progress);
    report.unread.splice(0..0, unread);
    let trees = git_objects::work_trees(disk, roots.iter().chain(projects));
    for tree in trees {
        if report.stopped {
            break;
        }
        git_objects::search(&tree, &search, &mut report);
    }
    report.found.sort_by_key(|own| own.kind);
    without_values(&mut report, &search);
    report
}

/// Takes out names that have a value: the report is kept in a receipt.
fn without_values(report: &mut SurroundingReport, search: &RawSearch) {
    let has = |own: &str| search.count(own.as_bytes()) > 0;
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

/// Returns a path that may be kept in a receipt: a name that has a value is left out.
fn told_path(path: &Path, search: &RawSearch) -> String {
    let has = |own: &Path| search.count(own.as_os_str().as_encoded_bytes()) > 0;
    match path.ancestors().find(|own| !has(own)) {
        Some(own) if own == path => path.to_text().into_owned(),
        Some(own) => format!("{}/… (its name has it)", own.to_text()),
        None => "a file whose name has it".into(),
    }
}

fn search_files(
    disk: &dyn Disk,
    files: &[SurroundingFile],
    search: &RawSearch,
    progress: ByteProgress<'_>,
) -> SurroundingReport {
    let outcomes = super::parallel::map_parallel(files, |own| search.file(disk, &own.path, progress));
    let mut report = SurroundingReport::default();
    for (own, outcome) in files.iter().zip(outcomes) {
        let path = || told_path(&own.path, search);
        match outcome {
            Ok(searched) => {
                report.files += 1;
                report.bytes += searched.bytes;
                report.stopped |= searched.stopped;
                if searched.matches > 0 {
                    let (kind, matches) = (own.kind, searched.matches);
                    report.found.push(SurroundingFinding { kind, path: path(), matches, detail: None });
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => report.unread.push(format!("{}: {error}", path())),
        }
    }
    report
}
