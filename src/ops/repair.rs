//! `repair`, narrow: torn lines, glued objects, surplus braces.
//!
//! Safe is what can lose nothing: whole objects on one line get a line each, a brace too many
//! goes, and what is no record is moved to quarantine byte for byte. Of a line that starts torn
//! that is the torn part; whole objects behind it stay. What is derived is made
//! anew, whether it is stale for what is repaired or for another reason.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{NO_PACKED, Result, Scene, backups, base, plan_and_after, writes};
use crate::check::derived;
use crate::format::reading::is_record;
use crate::format::writing::Recorded;
use crate::model::{
    Body, Change, Code, Document, Entry, Moment, Plan, Problem, Record, Role, Span, Store, container, is_log,
};
use crate::store::derive;
use crate::text::torn::{first_name, whole_behind};

/// What a repair takes out of the files, to be kept in quarantine first.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// The changes.
    pub plan: Option<Plan>,
    /// The exact bytes that leave the store: where they were, and themselves.
    pub quarantined: Vec<(PathBuf, u64, Vec<u8>)>,
}

/// Repairs whatever can be repaired without a loss.
pub fn all_safe(scene: &Scene<'_>) -> Result<Repair> {
    let (_, writes) = writes(scene.store)?;
    // That nothing is to be repaired is not said of what was not seen.
    let none = Plan::of("repair", scene.store.whole()?);
    let mut repair = Repair::default();
    let mut changes = Vec::new();
    let mut count = 0;
    for document in scene.store.documents.iter().filter(|own| is_repairable(own)) {
        let (edits, out) = repaired(scene, document, &(0..usize::MAX));
        count += edits.len();
        repair.quarantined.extend(out.into_iter().map(|(at, bytes)| (document.path.clone(), at, bytes)));
        if !edits.is_empty() {
            changes.push(Change::edits(&document.path, base(document), edits));
        }
    }
    if changes.is_empty() {
        let anew = derived::disagreeing(scene.store, scene.now);
        let made_of = derive::made_of(scene.store, &[]);
        repair.plan = (!anew.is_empty()).then_some(Plan { derived: anew, made_of, ..none });
        return Ok(repair);
    }
    let told = writes.recorded(scene, Recorded::Repair, &changes, count)?;
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    all.extend(told);
    let (mut plan, after) = plan_and_after("repair", scene, count, all)?;
    // What is stale for another reason is made anew with it.
    let touched: HashSet<PathBuf> = plan.all().map(|change| change.path.clone()).collect();
    let anew = derived::disagreeing_with(scene.store, &after, scene.now).into_iter();
    plan.derived.extend(anew.filter(|change| !touched.contains(&change.path)));
    repair.plan = Some(plan);
    Ok(repair)
}

/// What `repair --all-safe` does about a problem, if anything.
/// `anew` are the files of the store that `reindex` would make anew.
pub fn repairs(store: &Store, problem: &Problem, anew: &HashSet<&Path>) -> Option<&'static str> {
    if derived::is_repaired(problem, anew) {
        return Some("rebuild it from the memories");
    }
    let place = store.documents.binary_search_by(|document| document.path.cmp(&problem.file)).ok()?;
    if !is_repairable(&store.documents[place]) {
        return None;
    }
    match problem.code {
        Code::TornLine => Some("move the torn part of the line to quarantine"),
        Code::GluedRecords => Some("give each memory a line of its own"),
        Code::ExtraBrace => Some("remove the extra closing brace"),
        _ => None,
    }
}

/// A file of more bytes is not looked at while someone waits.
const LARGE: usize = 1 << 20;

/// The line that a problem is in, and what a safe repair makes of it; `None` where there is none, or its file
/// is too large to tell while someone waits.
pub fn of_line(store: &Store, entry: &Entry, problem: &Problem, now: Moment) -> Option<[Vec<u8>; 2]> {
    repairs(store, problem, &HashSet::new())?;
    let document = store.document(entry);
    if document.bytes.len() > LARGE {
        return None;
    }
    let at = document.records.get(entry.record as usize)?.span.start as usize;
    let is_end = |byte: &u8| *byte == b'\n';
    let from = document.bytes.get(..at)?.iter().rposition(is_end).map_or(0, |end| end + 1);
    let rest = document.bytes.get(from..)?;
    let to = from + rest.iter().position(is_end).unwrap_or(rest.len());
    let scene = Scene { store, now, random: [0; 16], packed: &NO_PACKED };
    let mut after = document.bytes.get(from..to)?.to_vec();
    for (gone, come) in repaired(&scene, document, &(from..to)).0.into_iter().rev() {
        let [start, end] = [gone.start, gone.end].map(|own| own.clamp(from, to) - from);
        after.splice(start..end, come);
    }
    Some([document.bytes.get(from..to)?.to_vec(), after])
}

/// Whether a document is a log that is repaired line by line.
fn is_repairable(document: &Document) -> bool {
    matches!(document.role, Role::Records | Role::Tombstones | Role::Archive)
        && is_log(&document.path)
        && container(&document.path).is_none()
}

type Edits = Vec<(Range<usize>, Vec<u8>)>;

/// The edits that repair what starts in a part of a log, and what they take out of it.
fn repaired(scene: &Scene<'_>, document: &Document, part: &Range<usize>) -> (Edits, Vec<(u64, Vec<u8>)>) {
    let known =
        document.problems.iter().filter_map(|problem| Some((problem.record?, problem.code))).collect();
    let mut repair =
        Mend { scene, document, names: OnceCell::new(), known, edits: Edits::new(), out: Vec::new() };
    let is_in = |(_, own): &(usize, &Record)| part.contains(&(own.span.start as usize));
    for (number, record) in document.records.iter().enumerate().filter(is_in) {
        match &record.body {
            Body::Broken if repair.has(number, Code::TornLine) => repair.torn(number),
            Body::Broken => {}
            Body::Read(_) => repair.whole(number),
        }
    }
    (repair.edits, repair.out)
}

struct Mend<'a> {
    scene: &'a Scene<'a>,
    document: &'a Document,
    /// The first members of the file's whole records.
    names: OnceCell<HashSet<Vec<u8>>>,
    known: HashSet<(u32, Code)>,
    edits: Edits,
    /// What leaves the file, and where it was.
    out: Vec<(u64, Vec<u8>)>,
}

impl<'a> Mend<'a> {
    fn has(&self, record: usize, code: Code) -> bool {
        self.known.contains(&(record as u32, code))
    }

    fn range(&self, number: usize) -> Option<Range<usize>> {
        let span = self.document.records.get(number)?.span;
        Some(span.start as usize..span.end as usize)
    }

    /// A line break for what parts two records, and no brace too many.
    fn whole(&mut self, number: usize) {
        let Some(Range { end, .. }) = self.range(number) else { return };
        let bytes = &self.document.bytes;
        let next = self.range(number + 1).filter(|next| !bytes[end..next.start].contains(&b'\n'));
        match next {
            Some(next) => self.edits.push((end..next.start, b"\n".to_vec())),
            None if self.has(number, Code::ExtraBrace) => {
                let rest = &bytes[end..];
                let filler = rest.iter().take_while(|byte| matches!(byte, b'}' | b' ' | b'\t' | 0)).count();
                self.edits.push((end..end + filler, Vec::new()));
            }
            None => {}
        }
    }

    /// Whole objects stay, a line each; all else of the stretch goes to quarantine.
    fn torn(&mut self, number: usize) {
        let Some(range) = self.range(number) else { return };
        let bytes = &self.document.bytes;
        let content = &bytes[range.clone()];
        let Some(stay) = whole_behind(content, &|object| self.is_record(object)) else { return };
        let stay: Vec<Range<usize>> = stay.into_iter().map(|own| own.range).collect();
        let mut at = 0;
        let end = content.len();
        for own in stay.iter().cloned().chain(std::iter::once(end..end)) {
            if own.start > at {
                self.out.push(((range.start + at) as u64, content[at..own.start].to_vec()));
            }
            at = own.end;
        }
        if stay.is_empty() {
            return self.removed(range);
        }
        let lines: Vec<&[u8]> = stay.into_iter().map(|own| &content[own]).collect();
        self.edits.push((range, lines.join(&b'\n')));
    }

    /// A stretch leaves with its line, or with what parts it from the record before it.
    fn removed(&mut self, range: Range<usize>) {
        match self.edits.last_mut() {
            Some((parting, with)) if parting.end == range.start && with == b"\n" => {
                *parting = parting.start..range.end;
                with.clear();
            }
            _ => {
                let span = Span { start: range.start as u64, end: range.end as u64 };
                self.edits.extend(crate::text::lines::holes(&self.document.bytes, &[span]));
            }
        }
    }

    /// Whether an object is like the records of its file, or what the format asks of one.
    fn is_record(&self, object: &[u8]) -> bool {
        let names = self.names.get_or_init(|| {
            let whole = self.document.records.iter().filter(|record| record.view().is_some());
            whole.filter_map(|record| Some(first_name(&self.document.raw(record))?.to_vec())).collect()
        });
        if first_name(object).is_some_and(|name| names.contains(name)) {
            return true;
        }
        let Ok((format, _)) = writes(self.scene.store) else { return false };
        is_record(format, (self.document.role, &self.document.path), object, self.scene.now)
    }
}
