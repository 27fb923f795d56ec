//! Finds intact copies of a torn memory: in the same file, a trace copy, an archive, a backup, undo data.

use std::collections::HashMap;
use std::path::Path;

use super::RepairContext;
use super::fix::ProblemFix;
use super::line_damage::{ProblemRecord, SILENT, leaves};
use super::repair_context::{FileCopy, IntactCopies, IntactCopy, StoreRecord, UnpairedRecord};
use crate::model::{Document, PathText, Record, Role, is_log};
use crate::ops::backup_restore::{CopyFacts, compare};
use crate::ops::own_operations;
use crate::text::digest::digest;
use crate::text::json_salvage::complete_object;
use crate::text::tidy_lines::tidy_lines;

/// If more copies than this begin the same way, none is proposed.
const SEVERAL: usize = 3;

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
            let facts = CopyFacts { gone: self.material.erased.clone(), ..CopyFacts::default() };
            for kept in self.material.copies.iter().filter(|own| is_log(&own.file)) {
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

    pub(super) fn of_torn(&self, torn: ProblemRecord<'_>) -> Vec<ProblemFix> {
        let ProblemRecord { document, content, .. } = torn;
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
                let title = format!("move it to quarantine: the memory is intact on {}", lines_of(whole));
                let is_it = own.raw(whole).starts_with(kept);
                let reason = if is_it { "It begins as that one does." } else { "They have the same id." };
                let (confidence, goes) =
                    (if is_it { 98 } else { 55 }, leaves(document, torn.problem, torn.record));
                fixes.push(ProblemFix::edit(&title, confidence, reason, goes));
            } else {
                let torn = ProblemRecord { content: kept, ..torn };
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
    fn filled(&self, torn: ProblemRecord<'_>, (whole, from): IntactCopy) -> ProblemFix {
        let is_it = whole.starts_with(torn.content.strip_suffix(b"}").unwrap_or(torn.content));
        let says = self.says(torn.document, &whole);
        let (confidence, reason) = match is_it {
            _ if !says => (SILENT, "That copy has no text."),
            true => (99, "It begins with the bytes that survived."),
            false => (85, "It has the same id, and may be an earlier version."),
        };
        ProblemFix::edit(&format!("fill it from {from}"), confidence, reason, torn.becomes(whole))
    }

    /// Returns the fixes that fill in a torn record from a copy that begins the same way and has no
    /// other copy.
    fn of_copy(&self, torn: ProblemRecord<'_>) -> Vec<ProblemFix> {
        let singles = self.shared.singles.get_or_init(|| self.without_copy());
        let first = singles.partition_point(|own| own.raw.as_slice() < torn.content);
        let alike = singles[first..].iter().take_while(|own| own.raw.starts_with(torn.content));
        let others: Vec<&UnpairedRecord<'_>> =
            alike.filter(|own| own.document.path != torn.document.path).take(SEVERAL + 1).collect();
        if others.len() > SEVERAL {
            return Vec::new();
        }
        let fix = |own: &&UnpairedRecord<'_>| {
            let from = format!("{}:{}", own.document.path.to_text(), own.record.line);
            let mut fix = self.filled(torn, (own.raw.clone(), from));
            if others.len() > 1 {
                fix.confidence = 70;
                fix.reason =
                    format!("{} memories without a copy begin with the bytes that survived.", others.len());
            }
            fix
        };
        others.iter().map(fix).collect()
    }

    /// Returns the intact records in one place only, sorted by bytes. Empty if the format has no copies.
    fn without_copy(&self) -> Vec<UnpairedRecord<'a>> {
        if own_operations(self.store()).are_copies.is_none() {
            return Vec::new();
        }
        let is_held_log = |own: &&Document| {
            matches!(own.role, Role::Records | Role::Archive) && own.is_held() && is_log(&own.path)
        };
        let logs = self.store().documents.iter().map(|own| &**own).filter(is_held_log);
        let mut singles: HashMap<u128, (usize, UnpairedRecord<'a>)> = HashMap::new();
        for document in logs {
            for record in document.records.iter().filter(|own| own.memory().is_some() && own.lines == 1) {
                let raw = document.raw(record).into_owned();
                let single = UnpairedRecord { raw, document, record };
                singles.entry(digest(&single.raw)).or_insert((0, single)).0 += 1;
            }
        }
        let erased = self.erased();
        let is_erased = |own: &UnpairedRecord<'_>| {
            erased.is_some_and(|all| all.is_erased(&own.document.path, &own.raw, own.record.memory(), None))
        };
        let single = singles.into_values().filter(|(count, _)| *count == 1).map(|(_, own)| own);
        let mut single: Vec<UnpairedRecord<'a>> = single.filter(|own| !is_erased(own)).collect();
        single.sort_by(|a, b| a.raw.cmp(&b.raw));
        single
    }
}
