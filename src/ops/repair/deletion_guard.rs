//! Keeps repairs and quarantine from restoring what was deleted or erased.

use std::ops::Range;
use std::path::Path;

use super::{RepairContext, line_damage};
use crate::model::{Document, Record, Role};
use crate::store::erase::ErasureMatcher;
use crate::text::json_salvage::complete_object;
use crate::text::lines::BOM;

impl<'a> RepairContext<'a> {
    /// Returns why a line, intact or torn, must not be restored: the memory with its id is deleted
    /// or erased. Bytes that are no text may be before the id or in it.
    pub(super) fn why_gone(&self, file: &Path, role: Role, line: &[u8]) -> Option<String> {
        let text = legible(line);
        let is_less = text.len() < line.len();
        let as_text = || is_less.then(|| self.why_gone_as_it_is(file, role, &text)).flatten();
        self.why_gone_as_it_is(file, role, line).or_else(as_text)
    }

    fn why_gone_as_it_is(&self, file: &Path, role: Role, line: &[u8]) -> Option<String> {
        let is_noise = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0 || BOM.contains(byte);
        let start = line.iter().position(|byte| !is_noise(byte))?;
        let content = line.get(start..)?;
        let own = complete_object(content)?;
        let object = own.bytes(content);
        let read = self.read_as((role, file), &object)?;
        let memory = read.records.first().and_then(Record::memory);
        if self.erased().is_some_and(|erased| erased.is_erased(file, &object, memory, None)) {
            return Some("Its memory was erased, and is not restored.".into());
        }
        let may_be = |memory| self.erased().is_some_and(|erased| erased.may_take_torn(file, memory));
        if !own.tail.is_empty() && memory.is_some_and(may_be) {
            return Some("It may be a memory without an id that was erased, and is not restored.".into());
        }
        let (memory, kept) = (memory?, content.get(..own.kept).unwrap_or_default());
        let start = memory.id().unwrap_or_default();
        let is_cut = own.is_cut_text && kept.ends_with(start.as_bytes());
        if start.is_empty() || is_cut {
            let may_be = |erased: &ErasureMatcher<'_>| erased.may_have_lost_id(file, start, memory);
            let is_gone = !own.tail.is_empty() && self.erased().is_some_and(may_be);
            return is_gone.then(|| {
                "Its id is lost, and it may be a memory that was erased. It is not restored.".into()
            });
        }
        self.why_deleted(file, start)
    }

    pub(super) fn erased(&self) -> Option<&ErasureMatcher<'a>> {
        self.caches
            .erased
            .get_or_init(|| self.material.erased.wanted(self.store(), self.context.now))
            .as_ref()
    }

    /// True if some lines of a file hold an erased memory that was written again. A repair would
    /// make that memory intact. The only remedy is to erase it again.
    pub(super) fn holds_erased(&self, document: &Document, lines: Range<usize>) -> bool {
        let Some(erased) = self.erased() else { return false };
        let bytes = line_damage::bytes(document, lines).unwrap_or_default();
        let records = erased.read(&document.path, &bytes, None);
        let raw = |own: &Record| bytes.get(own.span.range()).unwrap_or_default();
        records.iter().any(|own| erased.is_erased(&document.path, raw(own), own.memory(), None))
    }

    /// Returns why the memory with this id must not be restored.
    pub(super) fn why_deleted(&self, file: &Path, id: &str) -> Option<String> {
        let (others, session) = (self.others(), self.session_at(file));
        if others.is_deleted(id, session) {
            return Some("Its memory is deleted, and is not restored.".into());
        }
        // The memory may have been written again after its deletion.
        let step = self.material.deleted.step(self.store(), file, id)?;
        let is_here = others.here.get(id).is_some_and(|all| all.iter().any(|own| own.session == session));
        let told = || format!("Its memory was deleted by step {step}, and is not restored.");
        (!is_here).then(told)
    }

    /// True if a memory has this id, or had it until it was deleted or erased. No other memory gets it.
    pub(super) fn is_taken(&self, file: &Path, id: &str) -> bool {
        self.others().has(id)
            || self.why_deleted(file, id).is_some()
            || self.erased().is_some_and(|erased| erased.has_id(id))
    }

    pub(super) fn session_at(&self, file: &Path) -> Option<&'a str> {
        let sessions = &self.store().sessions;
        sessions.iter().find(|own| file.starts_with(&own.path)).map(|own| own.name.as_str())
    }
}

/// Returns the text of a line, without control characters and bytes that are not UTF-8.
fn legible(line: &[u8]) -> Vec<u8> {
    let text = line.utf8_chunks().flat_map(|part| part.valid().bytes());
    text.filter(|byte| !byte.is_ascii_control()).collect()
}
