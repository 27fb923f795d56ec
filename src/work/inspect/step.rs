//! What one step of the journal changed, file by file.

use std::path::Path;

use super::{Look, StepFile, StepShown};
use crate::model::{Act, Tell};

/// This many lines of a step are shown of a file.
const SHOWN: usize = 200;

impl Look<'_> {
    pub(super) fn step(&self, number: usize, step: u64) -> StepShown {
        let read = self.store(number).and_then(|store| {
            let kept = self.vault(store).step(step).map_err(|error| error.to_string())?;
            kept.ok_or_else(|| {
                "what it replaced is not kept any more: the journal has lengths alone".to_owned()
            })
        });
        let files = read.map(|own| {
            let data = own.changes.iter().filter(|change| !change.is_empty());
            data.rev().filter_map(|change| step_file(&change.path, &change.act)).collect()
        });
        StepShown { store: number, step, files }
    }
}

/// What a step did to a file, told by what undoes it.
fn step_file(path: &Path, back: &Act) -> Option<StepFile> {
    let mut file = StepFile { path: path.told().into_owned(), gone: 0, come: 0, lines: Vec::new() };
    match back {
        Act::Create(was) => file.take(false, was),
        Act::Remove(made) => file.take(true, made),
        Act::Splice(splices) => {
            for splice in splices {
                file.take(false, &splice.becomes);
                file.take(true, &splice.was);
            }
        }
        Act::Append(was) => file.take(false, was),
        Act::MakeFolder | Act::RemoveFolder | Act::Expire(_) => return None,
    }
    Some(file)
}

impl StepFile {
    fn take(&mut self, came: bool, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match came {
                true => self.come += 1,
                false => self.gone += 1,
            }
            if self.lines.len() < SHOWN {
                self.lines.push((came, line.to_vec()));
            }
        }
    }
}
