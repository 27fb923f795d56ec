//! Finds changes of palimp that another program undid: it wrote a file as it had read it before.
//!
//! The lines from before a step must be there again, its own lines gone, and no later step may have done that. What
//! palimp only added is not looked at: another program may have removed it for a reason.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::model::plan::Splice;
use crate::model::{Act, Change, Code, Problem, Severity, Store};
use crate::store::Vault;
use crate::store::steps::UndoStep;

/// The most steps that are looked at, the newest first.
const STEPS: usize = 200;
/// The most bytes of their undo data.
const BYTES: u64 = 8 << 20;
/// The largest file that is searched, in bytes.
const LARGEST: u64 = 16 << 20;

/// What later steps of palimp did to a file.
#[derive(Default)]
struct LaterSteps {
    /// The lines that they removed.
    removed: Vec<u8>,
    /// The lines that they added.
    added: Vec<u8>,
    /// True if they wrote to it or made it, also without a line.
    is_written: bool,
    is_reported: bool,
}

/// Returns a problem for each file in which a change of palimp was undone.
pub fn problems(vault: &Vault<'_>, store: &Store) -> Vec<Problem> {
    let Ok(steps) = vault.entries() else { return Vec::new() };
    let mut room = BYTES;
    let mut later: HashMap<PathBuf, LaterSteps> = HashMap::new();
    let mut found = Vec::new();
    for (number, entry) in steps.iter().rev().take(STEPS) {
        let Some(left) = room.checked_sub(entry.len) else { break };
        room = left;
        let Ok(Some(step)) = vault.step(*number) else { continue };
        for undo in &step.changes {
            let later = later.entry(undo.path.clone()).or_default();
            if !later.is_reported && is_undone(store, undo, later) {
                found.push(problem(&step, *number, &undo.path));
                later.is_reported = true;
            }
            later.add(undo);
        }
    }
    found
}

fn problem(step: &UndoStep, number: u64, file: &Path) -> Problem {
    let message = format!(
        "Another program wrote it as it was before step {number} ({}). Make that change again if you want it.",
        step.line.verb
    );
    Problem::of_file(Code::ChangeUndone, Severity::Warning, file, message)
}

impl LaterSteps {
    fn add(&mut self, undo: &Change) {
        self.is_written |= !matches!(undo.act, Act::Create(_));
        match &undo.act {
            Act::Create(bytes) => self.removed.extend_from_slice(bytes),
            Act::Remove(bytes) => self.added.extend_from_slice(bytes),
            Act::Splice(splices) => {
                splices.iter().for_each(|own| self.removed.extend_from_slice(&own.becomes));
                splices.iter().for_each(|own| self.added.extend_from_slice(&own.was));
            }
            _ => {}
        }
    }
}

/// True if a file is as the change that undoes a step would make it, and no later step of palimp made it so.
fn is_undone(store: &Store, undo: &Change, later: &LaterSteps) -> bool {
    let own = store.document_at(&undo.path).filter(|own| own.len <= LARGEST);
    let Some(now) = own.map(|own| &*own.bytes) else { return false };
    match &undo.act {
        // If palimp wrote to it later, it may have brought it back in parts.
        Act::Create(bytes) => *now == **bytes && !later.is_written,
        Act::Splice(splices) => {
            let is_back = |own: &Splice| match own.was.is_empty() {
                // The line before it tells it from equal lines.
                true => {
                    let lines = [&own.line_before[..], &own.becomes[..]].concat();
                    has(now, &lines) && !has(&later.added, &own.becomes)
                }
                false => has(now, &own.becomes) && !has(now, &own.was) && !has(&later.removed, &own.was),
            };
            let mut replaced = splices.iter().filter(|splice| !only_added(splice)).peekable();
            replaced.peek().is_some() && replaced.all(is_back)
        }
        _ => false,
    }
}

/// True if the step only added lines. The one before them may have got its line end then.
fn only_added(undo: &Splice) -> bool {
    let last = undo.becomes.trim_ascii_end();
    let added = undo.was.strip_prefix(last);
    undo.becomes.is_empty()
        || added.is_some_and(|added| added.starts_with(b"\n") || added.starts_with(b"\r\n"))
}

fn has(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}
