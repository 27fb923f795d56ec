//! When erasures were checked again, and what was found: JSON lines without content.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Vault;
use super::pending_erasure::json_lines;
use crate::store::CommitError;

const FILE: &str = "erasure-checks.jsonl";
/// The most checks that are kept beside the last one of each step. The oldest go first.
const MOST: usize = 1_000;

/// A later check of erasures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureCheckLine {
    /// When it was made.
    pub at: String,
    /// The step of the erasure.
    pub step: u64,
    /// The number of places where something was found.
    pub found: usize,
    /// True if everything could be searched.
    pub complete: bool,
}

impl Vault<'_> {
    /// Returns the checks, oldest first. A line that can't be read is left out.
    pub fn erasure_checks(&self) -> Result<Vec<ErasureCheckLine>, CommitError> {
        self.readable_lines(FILE)
    }

    /// Keeps checks.
    pub fn keep_erasure_checks(&self, lines: Vec<ErasureCheckLine>) -> Result<(), CommitError> {
        let mut all = self.erasure_checks()?;
        all.extend(lines);
        self.write_own_file(&self.path(FILE), &json_lines(kept(&all))?)
    }
}

/// Returns the last check of each step, and the newest of the others. There are no more steps than receipts.
fn kept(all: &[ErasureCheckLine]) -> Vec<&ErasureCheckLine> {
    let (mut steps, mut others) = (HashSet::new(), 0);
    let is_kept = |own: &&ErasureCheckLine| {
        let is_last = steps.insert(own.step);
        others += usize::from(!is_last);
        is_last || others <= MOST
    };
    let mut newest_first: Vec<&ErasureCheckLine> = all.iter().rev().filter(is_kept).collect();
    newest_first.reverse();
    newest_first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    #[test]
    fn the_last_check_of_each_step_is_kept_and_the_file_does_not_grow_without_end() {
        let (folder, data) = (crate::folder::new(), crate::folder::new());
        let vault = Vault::open(&RealDisk, data.path(), folder.path()).unwrap();
        let line =
            |step: u64, at: usize| ErasureCheckLine { at: at.to_string(), step, found: at, complete: true };
        vault.keep_erasure_checks(vec![line(1, 0), line(2, 1), line(1, 2)]).unwrap();
        for part in 0..3 {
            vault.keep_erasure_checks((0..MOST).map(|at| line(3, part * MOST + at)).collect()).unwrap();
        }
        let all = vault.erasure_checks().unwrap();
        let of = |step: u64| all.iter().filter(|own| own.step == step).collect::<Vec<_>>();
        assert_eq!((of(1), of(2)), (vec![&line(1, 2)], vec![&line(2, 1)]));
        assert_eq!(of(3).last(), Some(&&line(3, 3 * MOST - 1)));
        assert_eq!(all.len(), MOST + 3);
        assert!(all.windows(2).all(|own| own[0].found < own[1].found), "the order stays");
    }
}
