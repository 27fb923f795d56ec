//! The places beside the stores that receipts name, looked at again.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use serde::Serialize;

use crate::disk::Disk;
use crate::model::{SurroundingFinding, SurroundingKind, SurroundingReport, path_from_text};
use crate::store::surroundings::keyed_file::has_digested;
use crate::store::surroundings::{ByteProgress, is_whole_path};
use crate::text::keyed_search::KeyedSearch;

/// Why a place is not looked at for words.
const WORDS: &str = "it had words of a topic, and these are not kept";
/// What is said of a place that had words beside what can be searched for.
const ALSO_WORDS: &str = "words of a topic were not searched for: these are not kept";

/// What is known of a place now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurroundingState {
    /// It has something that was erased.
    HasIt,
    /// All that was found there can be searched for, and none of it is there.
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
    pub now: SurroundingState,
    /// Why it was not looked at, or what was not searched for there.
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
        own: &NamedPlace<'_>,
        search: &KeyedSearch<'_>,
        progress: ByteProgress<'_>,
    ) -> SurroundingCheck {
        let unchecked = |why: &str| (SurroundingState::Unchecked, Some(why.to_owned()));
        let place = own.place;
        let (now, why) = match has_digested_at(disk, place, search, progress) {
            Err(why) => unchecked(&why),
            Ok(None) => (SurroundingState::Gone, None),
            Ok(Some(true)) => (SurroundingState::HasIt, None),
            Ok(Some(false)) => match own.doubt {
                Some(why) => unchecked(why),
                None => (SurroundingState::NotFound, own.has_words.then(|| ALSO_WORDS.to_owned())),
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

/// The places that a receipt names, and why their check may miss something, if so.
pub type NamedPlaces<'r> = (&'r SurroundingReport, Option<&'static str>);

/// A place, as all receipts name it.
struct NamedPlace<'r> {
    place: &'r SurroundingFinding,
    has_words: bool,
    doubt: Option<&'static str>,
}

/// Looks again at the places that receipts name, each once.
pub fn look_again<'r>(
    disk: &dyn Disk,
    named: Vec<NamedPlaces<'r>>,
    search: &KeyedSearch<'_>,
    progress: ByteProgress<'_>,
) -> Vec<SurroundingCheck> {
    let mut places: BTreeMap<_, NamedPlace<'_>> = BTreeMap::new();
    for (report, doubt) in named {
        for place in &report.found {
            let of = NamedPlace { place, has_words: false, doubt: None };
            let own = places.entry((place.kind, &place.path, &place.detail)).or_insert(of);
            own.has_words |= place.words > 0;
            own.doubt = own.doubt.or(doubt);
            if place.matches > own.place.matches {
                own.place = place;
            }
        }
    }
    let places: Vec<NamedPlace<'_>> = places.into_values().collect();
    crate::store::parallel::map_parallel(&places, |own| SurroundingCheck::of(disk, own, search, progress))
}

/// True if a place has one of the values; `None` if it is gone. An error says why it was not looked at.
fn has_digested_at(
    disk: &dyn Disk,
    place: &SurroundingFinding,
    search: &KeyedSearch<'_>,
    progress: ByteProgress<'_>,
) -> Result<Option<bool>, String> {
    if place.kind == SurroundingKind::Git {
        return Err("git objects are searched for a value alone".into());
    }
    if place.matches == 0 {
        return Err(WORDS.into());
    }
    if !is_whole_path(&place.path) {
        return Err("its whole name is not kept".into());
    }
    match has_digested(disk, &path_from_text(&place.path), search, progress) {
        Ok(None) => Err("the search was stopped".into()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::disk::{RealDisk, write_new};
    use crate::text::keyed_search::ValueKey;

    fn report(places: &[(&Path, u64, u64)]) -> SurroundingReport {
        let of = |(path, matches, words): &(&Path, u64, u64)| SurroundingFinding {
            kind: SurroundingKind::History,
            path: path.to_str().unwrap().to_owned(),
            matches: *matches,
            words: *words,
            line: None,
            detail: None,
        };
        SurroundingReport { found: places.iter().map(of).collect(), ..SurroundingReport::default() }
    }

    #[test]
    fn a_place_is_not_found_only_if_all_that_was_found_there_can_be_searched_for() {
        let (folder, key) = (crate::folder::new(), ValueKey([7; 32]));
        let digests = [key.digest(b"marzipan and tea")];
        let search = KeyedSearch::of(&key, &digests);
        let names = ["held", "clean", "worded", "doubted", "gone"].map(|own| folder.path().join(own));
        let [held, clean, worded, doubted, gone] = names.each_ref();
        write_new(held, b"echo marzipan and tea").unwrap();
        [clean, worded, doubted].iter().for_each(|own| write_new(own, b"ls").unwrap());
        let sure = report(&[(held, 1, 0), (clean, 1, 0), (worded, 1, 2), (doubted, 1, 0), (gone, 1, 0)]);
        let unsure = report(&[(held, 1, 0), (doubted, 2, 0)]);
        let named = [(&sure, None), (&unsure, Some("its key is missing"))];
        let checks = look_again(&RealDisk, Vec::from(named), &search, &|_| true);
        let state = |path: &Path| {
            let own = checks.iter().find(|own| own.place.path == path.to_str().unwrap()).unwrap();
            (own.now, own.why.as_deref())
        };
        assert_eq!(state(held), (SurroundingState::HasIt, None));
        assert_eq!(state(clean), (SurroundingState::NotFound, None));
        assert_eq!(state(worded), (SurroundingState::NotFound, Some(ALSO_WORDS)));
        assert_eq!(state(doubted), (SurroundingState::Unchecked, Some("its key is missing")));
        assert_eq!(state(gone), (SurroundingState::Gone, None));
    }
}
