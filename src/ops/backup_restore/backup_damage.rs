//! What is broken in a backup, as a sentence with line numbers.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::Refusal;
use crate::format::record_reader::Reading;
use crate::model::{PathText, Severity};
use crate::ops::backup_restore::comparison::BackupComparison;

/// At most this many broken lines are named.
const NAMED: usize = 5;

/// Says what is broken in a backup of a file. If its end is missing, it is damaged, too.
pub fn damage(file: &Path, read: &Reading, is_cut: bool) -> Option<String> {
    let is_broken = |record: u32| read.records.get(record as usize).is_some_and(|own| own.memory().is_none());
    let counts = read.problems.iter().filter(|own| own.severity == Severity::Error);
    let counts = counts.filter(|own| own.record.is_none_or(is_broken));
    let lines: BTreeSet<u32> = counts.filter_map(|own| own.line).collect();
    let what = match (lines.len(), is_cut) {
        (0, false) => return None,
        (0, true) => "its end is missing".to_owned(),
        (1, _) => format!("line {} is broken", named(&lines)),
        _ => format!("lines {} are broken", named(&lines)),
    };
    Some(format!("✖ the backup of {} is damaged: {what}", file.to_text()))
}

fn named(lines: &BTreeSet<u32>) -> String {
    let first: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
    match lines.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Adds the backup's damage to a refusal of a restore, as the reason.
pub fn because_of(comparison: &BackupComparison, refused: Refusal) -> Refusal {
    let Some(damage) = &comparison.damage else { return refused };
    let way = match &comparison.whole_only {
        None if comparison.items.iter().any(|item| item.can_come) => {
            " Without --replace, intact memories of the backup can be restored."
        }
        _ => "",
    };
    let message = format!("{}: {}{way}", damage.trim_start_matches("✖ "), refused.message);
    Refusal { message, ..refused }
}
