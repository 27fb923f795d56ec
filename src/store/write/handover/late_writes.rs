//! What others wrote to a file after it was replaced: lines after its end, or something else.

use std::path::Path;

use super::wait_for_line_end::whole_lines;
use crate::disk::optional;
use crate::model::bytes::LineBounds;
use crate::model::plan::{apply, whole_lines as split};
use crate::model::snapshot::Generation;
use crate::model::{Bytes, PathText, Record, Span};
use crate::store::erase::{ErasureMatcher, ErasureTarget, is_log_or_copy};
use crate::store::hidden_names::OldFileName;
use crate::store::write::CommitContext;
use crate::text::digest::digest;
use crate::text::lines;

/// A late write to a replaced file.
pub enum LateWrite {
    Nothing,
    Lines {
        /// The line that was begun when the file was taken over: its rest is late.
        begun: Vec<u8>,
        /// The bytes after the part that was taken over.
        bytes: Vec<u8>,
    },
    /// A write in place, or a file that is no text to which lines can be added.
    Other {
        /// The whole file.
        bytes: Vec<u8>,
        /// The length of its beginning that was there before.
        after: usize,
    },
}

impl LateWrite {
    /// Returns what was written late to the old file at `path`; `None` if it can't be read yet. If
    /// time and length show no write, the file is read only if the answer must be `certain`. `held`
    /// is what was taken over, if this process still has it.
    pub fn of(
        context: &CommitContext<'_>,
        (path, old, held): (&Path, &OldFileName, Option<&Bytes>),
        own: &Generation,
        certain: bool,
    ) -> Option<LateWrite> {
        let is_untouched = own.modified < i128::from(old.since) * 1_000_000_000;
        if own.len == old.taken && is_untouched && !certain {
            return Some(LateWrite::Nothing);
        }
        let begun = |taken: &[u8]| taken[whole_lines(taken).len()..].to_vec();
        if let Some(held) = held {
            match context.host.disk.read_after(path, held).ok()?.0 {
                Some(late) if late.is_empty() => return Some(LateWrite::Nothing),
                Some(late) if takes_lines(context, path, old)? => {
                    let begun = held[held.line_start(held.len())..].to_vec();
                    return Some(LateWrite::Lines { begun, bytes: late });
                }
                _ => {}
            }
        }
        let (mut bytes, _) = context.host.disk.read(path, 0, None).ok()?;
        let taken = usize::try_from(old.taken).ok().and_then(|taken| bytes.get(..taken));
        let is_known = |taken| old.is_blanked() || old.digest == digest(taken);
        let is_it = taken.is_some_and(is_known);
        let is_unblanked = |taken: &[u8]| old.is_blanked() && !taken.starts_with(b"\n");
        match taken {
            Some(taken) if is_it && bytes.len() == taken.len() => Some(LateWrite::Nothing),
            Some(taken) if is_it && takes_lines(context, path, old)? => {
                Some(LateWrite::Lines { begun: begun(taken), bytes: bytes.split_off(old.taken as usize) })
            }
            // What was there before is known, and may be erased. If nothing was overwritten yet, it may be new.
            Some(taken) if is_it && !is_one_value(&old.file) && !is_unblanked(taken) => {
                Some(LateWrite::Other { after: taken.len(), bytes })
            }
            _ => Some(LateWrite::Other { bytes, after: 0 }),
        }
    }
}

/// True for a file of which a part says nothing.
fn is_one_value(file: &Path) -> bool {
    matches!(file.extension().and_then(|end| end.to_str()), Some("json" | "gz" | "tgz"))
}

/// True if late bytes can be added to the file's replacement: to a log always, to another text if
/// it exists. `None` if that is unknown.
fn takes_lines(context: &CommitContext<'_>, path: &Path, old: &OldFileName) -> Option<bool> {
    let Some(file) = context.file_of(old, path).ok()? else { return Some(false) };
    match is_one_value(&old.file) {
        true => Some(false),
        false if old.file.extension().is_some_and(|end| end == "jsonl") => Some(true),
        false => Some(optional(context.host.disk.look(&file)).ok()?.is_some()),
    }
}

/// Quarantines what another program wrote in place while the file was replaced, and says where:
/// it is unknown which records that changed. False if that is not durable. What an earlier erasure
/// removed is left out, except in a document that was changed since.
pub fn quarantine_late_write(context: &CommitContext<'_>, file: &Path, bytes: &[u8]) -> bool {
    let Some(relative) = context.relative(file) else { return false };
    // The sweep of the current erasure leaves a piece that has its number.
    let Ok(erasure) = context.vault.erasing() else { return false };
    let Some(without) = without_erased(context, file, b"", bytes) else { return false };
    let is_changed = without != bytes && !is_log_or_copy(&relative) && is_copy(context, bytes) == Some(false);
    let kept = if is_changed { bytes } else { &without };
    let is_there = context.host.disk.read(file, 0, None).is_ok_and(|(now, _)| now == kept);
    if kept.is_empty() || is_there {
        return true;
    }
    let (step, now) = (erasure.map(|entry| entry.step), context.host.machine.now());
    let Ok(path) = context.vault.quarantine(&relative, (0, step), kept, now) else { return false };
    let repeats = if is_changed { ". It repeats an erased memory" } else { "" };
    context.note(format!(
        "conflict: another program wrote into {} while it was being changed. What it wrote is kept in {}{repeats}",
        file.to_text(),
        path.to_text()
    ));
    true
}

/// True if these are the bytes of an erased record. `None` if the erased records are unknown.
fn is_copy(context: &CommitContext<'_>, bytes: &[u8]) -> Option<bool> {
    let targets: Vec<ErasureTarget> =
        context.vault.erasure_list().ok()?.into_iter().map(|line| line.record).collect();
    Some(ErasureMatcher::before(context.format, context.store, &targets, context.host.now).is_copy(bytes))
}

/// Returns late lines without erased records: an agent that had the file open may have written them
/// again. `None` if the erased records are unknown.
pub fn without_erased(
    context: &CommitContext<'_>,
    file: &Path,
    begun: &[u8],
    late: &[u8],
) -> Option<Vec<u8>> {
    let erased = context.vault.erasure_list().ok()?;
    let relative = &*context.relative(file)?;
    let targets: Vec<ErasureTarget> = erased.into_iter().map(|line| line.record).collect();
    if targets.is_empty() {
        return Some(late.to_vec());
    }
    let wanted = ErasureMatcher::before(context.format, context.store, &targets, context.host.now);
    let whole = [begun, late].concat();
    let records = wanted.read(relative, &whole, None);
    let raw = |own: &Record| whole.get(own.span.range()).unwrap_or_default();
    let taken = records.iter().filter(|own| wanted.is_erased_again(relative, raw(own), own.memory()));
    // The begun part is in the file already: only its rest is removed.
    let (begun_on, new): (Vec<Span>, Vec<Span>) =
        taken.map(|own| own.span).partition(|span| span.start < begun.len() as u64);
    let rest = |span: Span| (begun.len()..(span.end as usize).max(begun.len()), Vec::new());
    let mut edits = lines::removal_edits(&whole, &new);
    edits.extend(begun_on.into_iter().map(rest));
    Some(apply(&whole, &split(&whole, edits)).split_off(begun.len()))
}
