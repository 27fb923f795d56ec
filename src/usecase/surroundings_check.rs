//! The places beside the stores that receipts name, looked at again.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use serde::Serialize;

use crate::disk::Disk;
use crate::model::{SurroundingFinding, SurroundingKind, SurroundingReport, path_from_text};
use crate::store::surroundings::keyed_file::has_digested;
use crate::store::surroundings::{ByteProgress, is_whole_path};
use crate::text::keyed_search::KeyedSearch;

/// What is known of a place now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurroundingState {
    /// It has something that was erased.
    HasIt,
    /// Nothing of which the receipts have digests is in it.
    NotFound,
    /// It is not there any more.
    Gone,
    /// It was not looked at.
    Unchecked,
}

/// A place beside the stores, and what is known of it now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SurroundingCheck {
    /// The place, as it was found.
    #[serde(flatten)]
    pub place: SurroundingFinding,
    /// Its state.
    pub now: SurroundingState,
    /// Why it was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl SurroundingCheck {
    /// Returns the places that a search has just found.
    pub fn found(report: &SurroundingReport) -> Vec<SurroundingCheck> {
        let of = |place: &SurroundingFinding| SurroundingCheck {
            place: place.clone(),
            now: SurroundingState::HasIt,
            why: None,
        };
        report.found.iter().map(of).collect()
    }

    fn of(
        disk: &dyn Disk,
        place: &SurroundingFinding,
        search: &KeyedSearch<'_>,
        progress: ByteProgress<'_>,
    ) -> SurroundingCheck {
        let unchecked = |why: String| (SurroundingState::Unchecked, Some(why));
        let (now, why) = match place {
            own if own.kind == SurroundingKind::Git => {
                unchecked("git objects are searched for a value alone".into())
            }
            own if own.matches == 0 => unchecked("it had words of a topic, and these are not kept".into()),
            own if !is_whole_path(&own.path) => unchecked("its whole name is not kept".into()),
            own => match has_digested(disk, &path_from_text(&own.path), search, progress) {
                Ok(None) => unchecked("the search was stopped".into()),
                Ok(Some(true)) => (SurroundingState::HasIt, None),
                Ok(Some(false)) => (SurroundingState::NotFound, None),
                Err(error) if error.kind() == ErrorKind::NotFound => (SurroundingState::Gone, None),
                Err(error) => unchecked(error.to_string()),
            },
        };
        SurroundingCheck { place: place.clone(), now, why }
    }

    /// Returns a line for people. Untrusted text.
    pub fn told(&self) -> String {
        let state = match self.now {
            SurroundingState::HasIt => "still has it",
            SurroundingState::NotFound => "it was not found there now",
            SurroundingState::Gone => "gone",
            SurroundingState::Unchecked => "not looked at again",
        };
        let [kind, _] = self.place.kind.words();
        let parts = [Some(&self.place.path), self.place.detail.as_ref()].into_iter().flatten();
        let place = parts.map(String::as_str).collect::<Vec<_>>().join(": ");
        let why = self.why.as_ref().map(|own| format!(" ({own})")).unwrap_or_default();
        format!("  beside the stores: {place} ({kind}): {state}{why}")
    }
}

/// Looks again at the places that receipts name, each once.
pub fn look_again<'r>(
    disk: &dyn Disk,
    reports: impl Iterator<Item = &'r SurroundingReport>,
    search: &KeyedSearch<'_>,
    progress: ByteProgress<'_>,
) -> Vec<SurroundingCheck> {
    let mut places: BTreeMap<_, &SurroundingFinding> = BTreeMap::new();
    for own in reports.flat_map(|own| &own.found) {
        places.insert((own.kind, &own.path, &own.detail), own);
    }
    let places: Vec<&SurroundingFinding> = places.into_values().collect();
    crate::store::parallel::map_parallel(&places, |own| SurroundingCheck::of(disk, own, search, progress))
}
