//! Adds lines at the end of a file.

use super::{ApplyContext, StagedChange};
use crate::disk::{WritableFile, is_absent, optional};
use crate::model::Act;
use crate::model::plan::line_end_for;
use crate::model::snapshot::Generation;
use crate::store::CommitError;
use crate::store::write::handover::add_late_lines::cuts_a_line;
use crate::store::write::handover::wait_for_line_end::{is_fresh, wait_for_line_end, whole_lines};
use crate::store::write::recovery::change_progress::lines_at;
use crate::text::json_scanner::{Newlines, ScanResult, Tape};

/// What a failed write left in the file: a part of the lines, perhaps with what other programs wrote behind them.
const TORN: Option<&str> = Some("written whole (a torn line is left at its end)");
const TORN_AND_MORE: Option<&str> =
    Some("written whole (a torn line is left, and what other programs wrote beside it)");

/// How often lines are added again if another program replaces the file at the same time.
const TRIES: usize = 5;
/// The limit of a line, in bytes. A longer one counts as incomplete.
const LONGEST: u64 = 1 << 20;

impl ApplyContext<'_, '_> {
    /// Adds lines at the end of a file. If the plan has other changes under the same lock, they are durable. True if it made the file: its name is not durable yet.
    pub(super) fn append(&mut self, own: &StagedChange, lines: &[u8]) -> Result<bool, CommitError> {
        let mut made = false;
        let base = own.base.as_ref().map_or(0, |base| base.len() as u64);
        for attempt in 0..TRIES {
            let there = optional(self.host.disk.append(&own.path)).map_err(own.io("opened"))?;
            let Some(mut out) = there else {
                self.carried.derive |= base > 0 || attempt > 0;
                match self.make_log(own, lines)? {
                    Some(new) if self.are_in_place(own, new, lines)? => return Ok(true),
                    Some(_) if own.exact => break,
                    new => made |= new.is_some(),
                }
                continue;
            };
            // Lines added since the files were compared are not in an index yet.
            let (seen, tail) = self.end(own, out.as_ref())?;
            self.carried.derive |= seen.len != base || attempt > 0;
            let bytes = [line_end_for(&tail), lines].concat();
            let written = self.write_behind(own, out.as_mut(), seen.len, &bytes)?;
            if self.are_in_place(own, written, lines)? {
                if own.grows && self.cuts(own, &seen, &bytes, lines, written.len) {
                    self.carried.splitting.push((own.path.clone(), bytes));
                }
                return Ok(made);
            }
            if own.exact {
                break;
            }
        }
        Err(own.moved("other programs keep putting another file in its place"))
    }

    /// Returns the file's state and its last byte. Programs without the lock get a moment to end their line.
    fn end(&self, own: &StagedChange, out: &dyn WritableFile) -> Result<(Generation, Vec<u8>), CommitError> {
        let mut half = own.partial_len;
        for _ in 1..TRIES {
            let (seen, tail) = self.last_byte(own, out)?;
            let may_end = is_fresh(self.host.machine, &seen) && half != Some(seen.len);
            if line_end_for(&tail).is_empty() || !may_end {
                return Ok((seen, tail));
            }
            half = wait_for_line_end(self.host, &own.path);
        }
        self.last_byte(own, out)
    }

    fn last_byte(
        &self,
        own: &StagedChange,
        out: &dyn WritableFile,
    ) -> Result<(Generation, Vec<u8>), CommitError> {
        let seen = out.generation().map_err(own.io("read"))?;
        let tail = match seen.len.checked_sub(1) {
            Some(last) => self.host.disk.read(&own.path, last, Some(1)).map_err(own.io("read"))?.0,
            None => Vec::new(),
        };
        Ok((seen, tail))
    }

    /// True if our lines split a line that another program is writing, or may be writing.
    fn cuts(&self, own: &StagedChange, seen: &Generation, bytes: &[u8], lines: &[u8], len: u64) -> bool {
        let disk = self.host.disk;
        let is_behind_half = || {
            let from = seen.len.saturating_sub(LONGEST);
            let last = disk.read(&own.path, from, Some(seen.len - from));
            is_fresh(self.host.machine, seen) && last.is_ok_and(|(last, _)| !is_whole(&last))
        };
        let is_alone = len == seen.len + bytes.len() as u64;
        // If the plan already knew the torn line, no agent is in the middle of it.
        let is_planned_on = own.base.as_ref().is_some_and(|base| base.len() as u64 == seen.len);
        bytes.len() > lines.len() && !is_planned_on && is_behind_half()
            || !is_alone && cuts_a_line(disk, &own.path, seen, bytes, false) == Some(true)
    }

    /// Writes bytes at the end. Returns the state of the file that received them.
    fn write_behind(
        &mut self,
        own: &StagedChange,
        out: &mut dyn WritableFile,
        len: u64,
        bytes: &[u8],
    ) -> Result<Generation, CommitError> {
        if let Err(source) = out.write(bytes) {
            let left = self.cut(own, out, len, bytes);
            if left.is_some() {
                self.begin(own);
            }
            return Err(CommitError::io(&own.path, left.unwrap_or("written"), source));
        }
        self.begin(own);
        match self.only_adds {
            true => self.carried.not_durable.push(own.path.clone()),
            false => out.sync().map_err(own.io("made durable"))?,
        }
        out.generation().map_err(own.io("read"))
    }

    /// Cuts off what a failed write left, if nothing else is behind it. Returns what is left in spite of that.
    fn cut(
        &self,
        own: &StagedChange,
        out: &mut dyn WritableFile,
        len: u64,
        bytes: &[u8],
    ) -> Option<&'static str> {
        match out.generation() {
            Ok(now) if now.len == len => return None,
            Ok(_) => {}
            Err(_) => return TORN,
        }
        let Ok((there, seen)) = self.host.disk.read(&own.path, len, None) else { return TORN };
        let is_it = out.generation().is_ok_and(|now| (now.inode, now.len) == (seen.inode, seen.len));
        if !bytes.starts_with(&there) {
            return TORN_AND_MORE;
        }
        // Durably, because the error then says that nothing was changed. That must hold after a power cut.
        let is_cut = is_it && there.len() < bytes.len() && out.set_len(len).is_ok() && out.sync().is_ok();
        if is_cut { None } else { TORN }
    }

    /// True if the lines are in the named file. A program may have replaced the file while it was open.
    fn are_in_place(
        &self,
        own: &StagedChange,
        written: Generation,
        lines: &[u8],
    ) -> Result<bool, CommitError> {
        let looked = optional(self.host.disk.look(&own.path)).map_err(own.io("read"))?;
        let Some(now) = looked.map(|item| item.generation) else { return Ok(false) };
        if (now.device, now.inode) == (written.device, written.inode) {
            return Ok(true);
        }
        let (bytes, _) = self.host.disk.read(&own.path, 0, None).map_err(own.io("read"))?;
        Ok(lines_at(&bytes, lines).is_some())
    }

    /// Makes the file with these lines, which are durable before it has its name: what an error leaves is
    /// never a part of them. `None` if another program was faster.
    fn make_log(&mut self, own: &StagedChange, lines: &[u8]) -> Result<Option<Generation>, CommitError> {
        let mut new = StagedChange { act: Act::Create(lines.into()), ..own.clone() };
        let outcome = self.prepare(&mut new).and_then(|()| self.put_new(&mut new));
        if matches!(outcome, Err(CommitError::Moved { .. })) {
            return Ok(None);
        }
        if outcome.is_ok() || !is_absent(self.host.disk, &own.path) {
            self.begin(own);
        }
        outcome.map(|()| new.made)
    }
}

/// True if the last line is a complete record, though its line end is missing.
fn is_whole(bytes: &[u8]) -> bool {
    let last = &bytes[whole_lines(bytes).len()..];
    let scan = Tape::default().scan(last, Newlines::Refused);
    matches!(scan, ScanResult::Whole { end, .. } if last[end..].trim_ascii().is_empty())
}
