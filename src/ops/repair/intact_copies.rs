//! Finds intact copies of a torn memory: in the same file, a trace copy, an archive, a backup, undo data.

use std::path::Path;

use super::RepairContext;
use super::fix::ProblemFix;
use super::line_damage::{TornRecord, leaves};
use super::lost_text::SILENT;
use crate::model::{Document, PathText, Record, Role};
use crate::ops::backup_restore::{CopyFacts, compare};
use crate::ops::erase::ErasedRecords;
use crate::ops::repair::repair_caches::{FileCopy, IntactCopies, IntactCopy, StoreRecord};
use crate::text::json_salvage::complete_object;
use crate::text::tidy_lines::tidy_lines;

fn added(kept: &[FileCopy]) -> Vec<(&Path, &[u8], &str)> {
    let mut all = Vec::new();
    for own in kept {
        let lines = own.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        all.extend(lines.map(|line| (&*own.file, line, &*own.from)));
    }
    all.sort();
    all
}

fn lines_of(record: &Record) -> String {
    match record.lines {
        0 | 1 => format!("line {}", record.line),
        lines => format!("lines {} to {}", record.line, record.line + lines - 1),
    }
}

impl<'a> RepairContext<'a> {
    pub(super) fn others(&self) -> &IntactCopies<'a> {
        self.shared.others.get_or_init(|| {
            let mut own = IntactCopies { added: added(&self.material.tombstones), ..IntactCopies::default() };
            for document in &self.store().documents {
                let of = document.records.iter().filter_map(|own| Some((own.named_id()?, own)));
                match document.role {
                    Role::Tombstones => {
                        let session = self.session_at(&document.path);
                        for (id, record) in of {
                            own.deleted.entry(id).or_default().insert(session);
                            let all = own.tombstones.entry((&document.path, id)).or_default();
                            all.count += 1;
                            all.whole = all.whole.or(record.memory().map(|_| record.line));
                        }
                    }
                    Role::Records | Role::Archive | Role::Backup if document.is_held() => {
                        let session = self.session_at(&document.path);
                        of.for_each(|(id, record)| {
                            own.here.entry(id).or_default().push(StoreRecord { document, record, session });
                        });
                    }
                    _ => {}
                }
            }
            let copies: Vec<_> =
                self.material.copies.iter().filter(|own| crate::model::is_log(&own.file)).collect();
            let gone =
                if copies.is_empty() { ErasedRecords::default() } else { self.material.erased.clone() };
            let facts = CopyFacts { gone, ..CopyFacts::default() };
            for kept in copies {
                let Ok(found) = compare(self.context, &kept.file, &kept.bytes, &facts) else { continue };
                for item in found.items.into_iter().filter(|item| item.can_come) {
                    let Some(id) = item.id else { continue };
                    let of = own.kept.entry((&kept.file, id)).or_default();
                    if !of.iter().any(|(was, _)| *was == item.was) {
                        of.push((item.was, kept.from.clone()));
                    }
                }
            }
            own
        })
    }

    pub(super) fn of_torn(&self, torn: TornRecord<'_>) -> Vec<ProblemFix> {
        let TornRecord { document, content, .. } = torn;
        let of_copy = || self.of_copy(torn);
        let Some(own) = complete_object(content) else { return of_copy() };
        let Some(read) = self.read_alone(document, &own.bytes(content)) else { return of_copy() };
        let memory = read.records.first().and_then(Record::memory);
        let others = self.others();
        let kept = content.get(..own.kept).unwrap_or_default();
        let is_cut = |id: &str| own.is_cut_text && kept.ends_with(id.as_bytes());
        let id = memory.and_then(|memory| memory.id()).filter(|id| !is_cut(id));
        let mut fixes = Vec::new();
        if let Some(id) = id {
            let same = others.here.get(id).into_iter().flatten();
            // A record with damage of its own has an id, too.
            let is_intact =
                |own: &&StoreRecord<'_>| own.document.path == document.path && own.record.memory().is_some();
            if let Some(StoreRecord { document: own, record: whole, .. }) = same.into_iter().find(is_intact) {
                let (edits, out) = leaves(document, torn.problem, torn.record);
                let title = format!("move it to quarantine: the memory is intact on {}", lines_of(whole));
                let is_it = own.raw(whole).starts_with(kept);
                let reason = if is_it { "It begins as that one does." } else { "They have the same id." };
                let confidence = if is_it { 98 } else { 55 };
                fixes.push(ProblemFix::edit(&title, confidence, reason, (&document.path, edits, out)));
            } else {
                let torn = TornRecord { content: kept, ..torn };
                fixes.extend(self.whole_of(document, id).into_iter().map(|own| self.filled(torn, own)));
            }
        }
        if fixes.is_empty() {
            fixes.extend(of_copy());
        }
        fixes.extend(self.of_salvage(torn, &own));
        fixes
    }

    /// Returns the intact memories with this id from elsewhere in the session, each on one line.
    fn whole_of(&self, document: &Document, id: &str) -> Vec<IntactCopy> {
        let others = self.others();
        let session = self.session_at(&document.path);
        let here = others.here.get(id).into_iter().flatten().filter(|own| own.session == session);
        let here = here.filter_map(|StoreRecord { document: own, record, .. }| {
            let raw = own.raw(record).into_owned();
            let is_erased =
                self.erased().is_some_and(|all| all.is_erased(&own.path, &raw, record.memory(), None));
            let is_record = || self.is_record(document, &raw);
            (!is_erased && is_record())
                .then(|| (raw.clone(), format!("{}:{}", own.path.to_text(), record.line)))
        });
        let kept = others.kept.get(&(document.path.as_path(), id.to_owned())).into_iter().flatten().cloned();
        let mut all: Vec<IntactCopy> = Vec::new();
        for (raw, from) in here.chain(kept) {
            let line = if raw.contains(&b'\n') {
                tidy_lines(&raw, &|_| false).map(|own| own.bytes)
            } else {
                Some(raw)
            };
            let Some(line) = line.filter(|line| !line.contains(&b'\n')) else { continue };
            if !all.iter().any(|(own, _)| *own == line) {
                all.push((line, from));
            }
        }
        all
    }

    /// Returns the fix that replaces a torn record with its intact copy.
    pub(super) fn filled(&self, torn: TornRecord<'_>, (whole, from): IntactCopy) -> ProblemFix {
        let is_it = whole.starts_with(torn.content.strip_suffix(b"}").unwrap_or(torn.content));
        let says = self.says(torn.document, &whole);
        let (edits, out) = torn.becomes(whole);
        let (confidence, reason) = match is_it {
            _ if !says => (SILENT, "That copy has no text."),
            true => (99, "It begins with the bytes that survived."),
            false => (85, "It has the same id, and may be an earlier version."),
        };
        let title = format!("fill it from {from}");
        ProblemFix::edit(&title, confidence, reason, (&torn.document.path, edits, out))
    }
}
