//! The lines that a problem is on, and what each of its fixes makes of them.

use std::ops::Range;

use super::Bench;
use super::damage::{self, is_log, range, stretch};
use super::fix::{Act, Fix};
use super::line::{after_edits, touched, without_end};
use crate::model::{Document, Problem};

/// The lines that a problem is on, and what each fix makes of them.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// As they are; empty where they can't be told.
    pub before: Vec<u8>,
    /// The fixes, each with the lines as it leaves them; nothing where it is of other files.
    pub fixes: Vec<(Fix, Option<Vec<u8>>)>,
}

impl Bench<'_> {
    /// What a problem is about in its bytes, with its fixes.
    pub fn beside(&self, problem: &Problem) -> Beside {
        let fixes = self.fixes(problem);
        let Some(document) = self.document(problem) else {
            return Beside { before: Vec::new(), fixes: fixes.into_iter().map(|own| (own, None)).collect() };
        };
        let place = place(document, problem, &fixes);
        let shown = |fix: Fix| {
            let after = match &fix.act {
                Act::Edits(_, edits, _) => Some(after_edits(document, place.clone(), edits)),
                _ => None,
            };
            (fix, after)
        };
        let before = without_end(damage::bytes(document, place.clone()).unwrap_or_default());
        Beside { before, fixes: fixes.into_iter().map(shown).collect() }
    }
}

/// The part of a file that a problem is about: of a log its whole lines.
fn place(document: &Document, problem: &Problem, fixes: &[Fix]) -> Range<usize> {
    let record = problem.record.and_then(|number| document.records.get(number as usize));
    let own = match (record, problem.record) {
        (Some(_), Some(number)) if is_log(document) => stretch(document, number as usize),
        (Some(record), _) => Some(range(record)),
        _ => None,
    };
    own.unwrap_or_else(|| {
        let edits = fixes.iter().find_map(|own| match &own.act {
            Act::Edits(_, edits, _) => Some(touched(document, edits)),
            Act::Rebuild => None,
        });
        edits.unwrap_or_default()
    })
}
