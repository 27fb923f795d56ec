//! Leftover temporary files and second versions go to quarantine. Memories that only they have can stay in the file.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use super::RepairContext;
use super::fix::{FixAction, ProblemFix, QuarantinePiece};
use crate::model::plan::count_with_noun;
use crate::model::{Change, Code, Document, PathText, Problem, Role, is_log};
use crate::text::second_version::{maybe_second, set_aside};

impl<'a> RepairContext<'a> {
    /// Returns the fixes of a temporary file or a second version. None is safe, because an agent may still need it.
    pub(super) fn of_temp(&self, problem: &Problem) -> Vec<ProblemFix> {
        let Some(bytes) = self.material.temp_files.get(&problem.file) else { return Vec::new() };
        let goes = |title: &str, confidence, reason: String, first: Option<Change>| {
            let piece = QuarantinePiece::whole(problem, bytes.clone());
            let gone = Change::remove(&problem.file, bytes.clone().into());
            let act = FixAction::Files(first.into_iter().chain([gone]).collect(), vec![piece]);
            ProblemFix::of(title, confidence, reason, act)
        };
        let is_version = problem.code == Code::SyncConflict;
        let what = if is_version { "this version" } else { "the temporary file" };
        let move_it = &format!("move {what} to quarantine");
        let Some((target, current)) = self.target(&problem.file) else {
            let reason = "No file has its name without the ending. Its bytes are kept there as they are.";
            return vec![goes(move_it, 30, reason.into(), None)];
        };
        let name = target.path.to_text();
        if current.starts_with(bytes) {
            let what = if current.len() == bytes.len() { "equal to" } else { "the beginning of" };
            return vec![goes(move_it, 95, format!("It is {what} {name}: nothing is lost."), None)];
        }
        let is_newer = self
            .store()
            .document_at(&problem.file)
            .is_some_and(|own| own.generation.modified > target.generation.modified);
        let age = if is_newer { "newer" } else { "older" };
        if is_version {
            let new = Change::rewrite(&target.path, target.bytes.clone(), bytes.clone());
            let reason = format!("It is {age} than {name}: compare them first.");
            let title = format!("keep this version in place of {name}");
            let mut keep = goes(&title, 40, reason.clone(), Some(new));
            let piece =
                QuarantinePiece { file: target.path.clone(), ..QuarantinePiece::whole(problem, current) };
            if let FixAction::Files(_, out) = &mut keep.act {
                *out = vec![piece];
            }
            return vec![goes(move_it, 50, reason, None), keep];
        }
        let lines = self.lacking(target, &current, bytes);
        if lines.is_empty() {
            let (confidence, reason) = match is_log(&target.path) {
                true => (90, format!("Every whole memory of it that may come back is in {name} by its id.")),
                false => (20, format!("It is {age} than {name}, and differs: compare them first.")),
            };
            return vec![goes(move_it, confidence, reason, None)];
        }
        let count = count_with_noun(lines.len() as u64, "memory");
        let added = Change::append(&target.path, lines.concat(), Some(target.bytes.clone()));
        let title = format!("add {count} to {name}, then move the temporary file to quarantine");
        let confidence = if is_newer { 70 } else { 40 };
        vec![
            goes(&title, confidence, format!("It is {age} than {name}, which lacks them."), Some(added)),
            goes(move_it, 30, format!("{name} lacks {count} of it: they stay in quarantine alone."), None),
        ]
    }

    /// Returns the file that it is a version of by its name, or else the one with the longest name inside its name.
    fn target(&self, temp: &Path) -> Option<(&'a Document, Vec<u8>)> {
        let name = temp.file_name()?.to_str()?;
        let is_file = |file: &&Document| {
            !matches!(file.role, Role::Temp | Role::Lock | Role::Backup)
                && file.path.parent() == temp.parent()
                && file.is_held()
        };
        let is_within = |file: &&Document| {
            file.path.file_name().and_then(OsStr::to_str).is_some_and(|part| name.contains(part))
        };
        let files = self.store().documents.iter().map(|file| &**file).filter(is_file);
        let first = set_aside(temp).or_else(|| maybe_second(temp));
        let first = first.and_then(|path| self.store().document_at(&path)).filter(is_file);
        let longest = || files.filter(is_within).max_by_key(|file| file.path.as_os_str().len());
        let file = first.or_else(longest)?;
        Some((file, file.bytes.range(0..file.bytes.len())?.into_owned()))
    }

    fn lacking(&self, target: &Document, held: &[u8], bytes: &[u8]) -> Vec<Vec<u8>> {
        let Some(format) = self.format.filter(|_| is_log(&target.path)) else { return Vec::new() };
        let known: HashSet<&str> = target.records.iter().filter_map(|own| own.id()).collect();
        let read = format.read(target.role, &target.path, bytes, self.context.now);
        let raw = |own: &crate::model::Record| bytes.get(own.span.range());
        let whole = read.records.iter().filter(|own| own.memory().is_some());
        let lines = whole.filter(|own| own.id().is_none_or(|id| !known.contains(id)));
        let lines = lines.filter_map(raw).filter(|own| {
            !own.contains(&b'\n')
                && memchr::memmem::find(held, own).is_none()
                && self.why_gone(&target.path, target.role, own).is_none()
        });
        lines.map(|own| [own, b"\n"].concat()).collect()
    }
}
