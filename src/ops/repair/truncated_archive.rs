//! Repairs a compressed file or archive that was cut: what can be unpacked is packed into a new one.

use super::RepairContext;
use super::fix::{FixAction, ProblemFix, QuarantinePiece};
use crate::model::plan::count_with_noun;
use crate::model::{Change, PathText, Problem};
use crate::text::repack::{gzip, tar_gzip};
use crate::text::unpack::{MEMBERS, gunzip, untar};

/// At most this many bytes are unpacked for a repair.
const MOST: u64 = 256 << 20;

impl RepairContext<'_> {
    /// Returns the fix of a file that can't be unpacked. It is not safe: a backup may have the complete file.
    pub(super) fn of_packed(&self, problem: &Problem) -> Option<ProblemFix> {
        let packed = self.material.temp_files.get(&problem.file)?;
        let name = problem.file.to_text();
        let (repaired, told) = match name.ends_with(".tar.gz") || name.ends_with(".tgz") {
            true => archive(packed)?,
            false => file(packed)?,
        };
        let out = QuarantinePiece::whole(problem, packed.clone());
        let change = Change::rewrite(&problem.file, packed.clone().into(), repaired);
        let reason = format!("{told} The rest can't be read; the file as it is stays in quarantine.");
        let act = FixAction::Files(vec![change], vec![out]);
        Some(ProblemFix::of("pack what can be unpacked into a new file", 40, reason, act))
    }
}

/// Unpacks one file, up to the place where it was cut, and describes the result.
fn file(packed: &[u8]) -> Option<(Vec<u8>, String)> {
    let own = gunzip(packed, MOST);
    own.fault.as_ref().filter(|_| !own.content.is_empty())?;
    // A file that is too large may be intact.
    if own.content.len() as u64 >= MOST {
        return None;
    }
    let lines = memchr::memchr_iter(b'\n', &own.content).count();
    let told = format!("{} can be unpacked.", count_with_noun(lines.max(1) as u64, "line"));
    Some((gzip(&own.content).ok()?, told))
}

/// Unpacks the files of an archive, the last one up to the place where it was cut, and describes the result.
fn archive(packed: &[u8]) -> Option<(Vec<u8>, String)> {
    let own = untar(packed, MOST);
    own.fault.as_ref().filter(|_| !own.content.is_empty())?;
    let size: u64 = own.content.iter().map(|member| member.bytes.len() as u64).sum();
    if size >= MOST || own.content.len() >= MEMBERS {
        return None;
    }
    let count = count_with_noun(own.content.len() as u64, "file");
    let told = format!("{count} can be unpacked, the last perhaps in part.");
    Some((tar_gzip(&own.content).ok()?, told))
}
