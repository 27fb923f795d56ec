//! What was deleted or erased: no fix and no restore from quarantine brings it back.

use std::path::Path;

use super::Bench;
use crate::model::{Record, Role};
use crate::text::lines::BOM;
use crate::text::salvage::completed;

impl<'a> Bench<'a> {
    /// Why a line must not come back, whole or torn: the memory that it has the id of is deleted or erased.
    pub(super) fn why_gone(&self, file: &Path, role: Role, line: &[u8]) -> Option<String> {
        let is_noise = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0 || BOM.contains(byte);
        let start = line.iter().position(|byte| !is_noise(byte))?;
        let content = line.get(start..)?;
        let own = completed(content)?;
        let object = own.bytes(content);
        let read = self.format?.read(role, file, &object, self.scene.now);
        let view = read.records.first().and_then(Record::view);
        if self.others().erased.as_ref().is_some_and(|erased| erased.takes(file, &object, view, None)) {
            return Some("Its memory was erased, and is not restored.".into());
        }
        let kept = content.get(..own.kept).unwrap_or_default();
        let id = view?.id.filter(|id| !own.is_cut_text || !kept.ends_with(id.as_bytes()))?;
        self.why_deleted(file, id)
    }

    /// The same of an id.
    pub(super) fn why_deleted(&self, file: &Path, id: &str) -> Option<String> {
        let (others, session) = (self.others(), self.session_at(file));
        if others.is_deleted(id, session) {
            return Some("Its memory is deleted, and is not restored.".into());
        }
        // One that was written anew is there.
        let step = self.material.deleted.step(self.store(), file, id)?;
        let is_here = others.here.get(id).is_some_and(|all| all.iter().any(|own| own.session == session));
        let told = || format!("Its memory was deleted by step {step}, and is not restored.");
        (!is_here).then(told)
    }

    /// The session that a file is in.
    pub(super) fn session_at(&self, file: &Path) -> Option<&'a str> {
        let sessions = &self.store().sessions;
        sessions.iter().find(|own| file.starts_with(&own.path)).map(|own| own.name.as_str())
    }
}
