//! The result of a search.

use std::ops::Range;

use serde::Serialize;

use crate::model::EntryRef;
use crate::query::result_pick::PickSummary;
use crate::query::saved_query::SavedQueryRefusal;

/// One result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The entry.
    pub at: EntryRef,
    /// The rank; `None` for a broken record.
    pub rank: Option<f64>,
    /// The decay, 0 to 1; 0 for a broken record.
    pub decay: f64,
}

/// A word that no searched memory has, and the word of these memories that is searched instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimilarWord {
    /// The word as typed.
    pub typed: String,
    /// The other word, folded. It has only letters.
    pub taken: String,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The results, in the order of the request.
    pub hits: Vec<Hit>,
    /// The part of the query whose removal would add the most results, and their number.
    pub blocker: Option<(Range<usize>, usize)>,
    /// How many memories fit except for a condition on their time, which is not known.
    pub timeless: usize,
    /// The words that were searched instead of those typed, because no memory has these.
    pub similar: Vec<SimilarWord>,
    /// Which wider term finds something, as a part of a sentence, if nothing was found.
    pub wider: Option<String>,
    /// The outcome of the pick, if the results were picked.
    pub picked: Option<PickSummary>,
    /// The reason if nothing was searched because a saved query is not run.
    pub refused: Option<SavedQueryRefusal>,
}

impl Results {
    /// Says how many memories no condition on a time can find. `None` if there are none.
    pub fn timeless_note(&self) -> Option<String> {
        match self.timeless {
            0 => None,
            1 => Some("1 memory has no known time and is not among them".to_owned()),
            several => Some(format!("{several} memories have no known time and are not among them")),
        }
    }

    /// Says which words were searched instead of those typed. `None` if all are as typed.
    pub fn similar_note(&self) -> Option<String> {
        let word = |own: &SimilarWord| format!("nothing has “{}”; shown is “{}”", own.typed, own.taken);
        let words: Vec<String> = self.similar.iter().map(word).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Returns what is to be said about the results.
    pub fn notes(&self) -> Vec<String> {
        [self.similar_note(), self.wider.clone(), self.timeless_note()].into_iter().flatten().collect()
    }

    /// Returns the results, or the reason why a saved query is not run.
    pub fn answered(self) -> Result<Results, SavedQueryRefusal> {
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(self),
        }
    }
}
