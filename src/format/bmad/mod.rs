//! `bmad`: Sessions with a manifest and four logs (specification 4). Recognised, and not read yet.

use std::path::Path;

use super::Format;
use super::glance::Glance;
use super::glance::{Likeness, likeness, names_member};

/// The logs of a session, with a member that the records of each have.
const LOGS: [(&str, &str); 4] = [
    ("conversation.jsonl", "role"),
    ("decisions.jsonl", "decision"),
    ("findings.jsonl", "severity"),
    ("preferences.jsonl", "value"),
];

/// So many sessions are looked into to tell whose store it is.
const LOOKED_INTO: usize = 32;

/// Sessions with a manifest and four logs (specification 4).
pub struct Bmad;

impl Format for Bmad {
    fn name(&self) -> &'static str {
        "bmad"
    }

    fn reads(&self) -> bool {
        false
    }

    fn default_place(&self) -> &'static str {
        ".bmad/memory"
    }

    fn recognise(&self, root: &Path, glance: &dyn Glance) -> Result<(), String> {
        let folder = root.join("sessions");
        let is_session = |session: &String| {
            let path = folder.join(session);
            let manifest = glance.head(&path.join("manifest.json"));
            manifest.is_some_and(|head| names_member(&head, "session_id"))
                || LOGS.iter().any(|(log, member)| {
                    let head = glance.head(&path.join(log));
                    head.is_some_and(|head| {
                        likeness(&head, |o| o.get("id").is_some() && o.get(member).is_some()) == Likeness::Yes
                    })
                })
        };
        if glance.folders(&folder).iter().take(LOOKED_INTO).any(is_session) {
            return Ok(());
        }
        Err("no session below `sessions/` has a manifest or one of the four logs".into())
    }
}
