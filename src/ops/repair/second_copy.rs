//! Fills in a torn record from its intact copy, in formats that write each record into two files.

use std::collections::HashMap;

use super::RepairContext;
use super::fix::ProblemFix;
use super::line_damage::TornRecord;
use crate::model::{Document, PathText, Role};
use crate::ops::repair::repair_caches::UnpairedRecord;
use crate::ops::writes;
use crate::text::digest::digest;

/// If more copies than this begin the same way, none is proposed.
const SEVERAL: usize = 3;

impl<'a> RepairContext<'a> {
    /// Returns the fixes that fill in a torn record from a copy that begins the same way and has no
    /// other copy.
    pub(super) fn of_copy(&self, torn: TornRecord<'_>) -> Vec<ProblemFix> {
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
        if !writes(self.store()).is_ok_and(|(_, writes)| writes.own().are_copies.is_some()) {
            return Vec::new();
        }
        let is_log = |own: &&Document| matches!(own.role, Role::Records | Role::Archive) && own.is_held();
        let logs = self.store().documents.iter().map(|own| &**own).filter(is_log);
        let logs = logs.filter(|own| crate::model::is_log(&own.path));
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
