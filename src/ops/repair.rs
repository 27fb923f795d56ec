//! `repair`, narrow: torn lines, glued objects, surplus braces.
//!
//! Safe is what can lose nothing: whole objects on one line get a line each, a brace too many
//! goes, and what is no record is moved to quarantine byte for byte.

use std::collections::HashSet;
use std::path::PathBuf;

use super::{Refusal, Scene, backups, base, plan, writes};
use crate::model::{Body, Change, Code, Document, Plan, Problem, Role, Store};

/// What a repair takes out of the files, to be kept in quarantine first.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// The changes.
    pub plan: Option<Plan>,
    /// The exact bytes that leave the store: where they stood, and themselves.
    pub quarantined: Vec<(PathBuf, u64, Vec<u8>)>,
}

/// Repairs whatever can be repaired without a loss.
pub fn all_safe(scene: &Scene<'_>) -> Result<Repair, Refusal> {
    let (_, writes) = writes(scene.store)?;
    // That nothing is to be repaired is not said of what was not seen.
    scene.store.whole()?;
    let mut repair = Repair::default();
    let mut changes = Vec::new();
    let mut count = 0;
    for document in scene.store.documents.iter().filter(|own| is_mended(own)) {
        let (edits, out) = mended(document);
        count += edits.len();
        repair.quarantined.extend(out.into_iter().map(|(at, bytes)| (document.path.clone(), at, bytes)));
        if !edits.is_empty() {
            changes.push(Change::edits(&document.path, base(document), edits));
        }
    }
    if changes.is_empty() {
        return Ok(repair);
    }
    let told = writes.repaired(scene, &changes, count)?;
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    all.extend(told);
    repair.plan = Some(plan("repair", scene, count, all)?);
    Ok(repair)
}

/// What `repair --all-safe` does about a problem, if anything.
pub fn repairs(store: &Store, problem: &Problem) -> Option<&'static str> {
    let document = store.documents.iter().find(|document| document.path == problem.file)?;
    if !is_mended(document) {
        return None;
    }
    match problem.code {
        Code::TornLine => Some("move the torn line to quarantine"),
        Code::GluedRecords => Some("give each record a line of its own"),
        Code::ExtraBrace => Some("remove the brace too many"),
        _ => None,
    }
}

/// Whether a document is a log that is repaired line by line.
fn is_mended(document: &Document) -> bool {
    matches!(document.role, Role::Records | Role::Tombstones | Role::Archive)
        && document.path.extension().is_some_and(|end| end == "jsonl")
        && !document.path.to_string_lossy().contains("!/")
}

type Edits = Vec<(std::ops::Range<usize>, Vec<u8>)>;

/// The edits that mend a log, and what they take out of it.
fn mended(document: &Document) -> (Edits, Vec<(u64, Vec<u8>)>) {
    let mut edits: Edits = Vec::new();
    let mut out = Vec::new();
    let bytes = &document.bytes;
    let known: HashSet<(u32, Code)> =
        document.problems.iter().filter_map(|problem| Some((problem.record?, problem.code))).collect();
    let has = |record: usize, code: Code| known.contains(&(record as u32, code));
    for (number, record) in document.records.iter().enumerate() {
        let (start, end) = (record.span.start as usize, record.span.end as usize);
        let next = document.records.get(number + 1).map(|next| next.span.start as usize);
        let same_line = next.filter(|next| !bytes[end..*next].contains(&b'\n'));
        match &record.body {
            Body::Broken if has(number, Code::TornLine) => {
                out.push((record.span.start, bytes[start..end].to_vec()));
                // Behind another record it leaves with what parts the two.
                if edits.last().is_none_or(|(range, _)| range.end != end) {
                    edits.extend(crate::text::lines::holes(bytes, &[record.span]));
                }
            }
            Body::Broken => {}
            Body::Read(_) => match same_line {
                Some(_) if has(number + 1, Code::TornLine) => {
                    edits.push((end..document.records[number + 1].span.end as usize, Vec::new()));
                }
                Some(next) => edits.push((end..next, b"\n".to_vec())),
                None if has(number, Code::ExtraBrace) => {
                    let rest = &bytes[end..];
                    let filler =
                        rest.iter().take_while(|byte| matches!(byte, b'}' | b' ' | b'\t' | 0)).count();
                    edits.push((end..end + filler, Vec::new()));
                }
                None => {}
            },
        }
    }
    edits.dedup();
    (edits, out)
}
