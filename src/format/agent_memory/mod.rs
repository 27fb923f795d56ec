//! `agent-memory`: A canonical state, an event history and checkpoints (specification 3). Recognised, and not read yet.

use std::path::Path;

use super::Format;
use super::glance::Glance;
use super::glance::{Likeness, likeness, names_member};
use crate::text::json::Json;

/// A canonical state, an event history and checkpoints (specification 3).
pub struct AgentMemory;

impl Format for AgentMemory {
    fn name(&self) -> &'static str {
        "agent-memory"
    }

    fn reads(&self) -> bool {
        false
    }

    fn default_place(&self) -> &'static str {
        ".agent-memory"
    }

    fn recognise(&self, root: &Path, glance: &dyn Glance) -> Result<(), String> {
        let state = glance.head(&root.join("state.json"));
        let is_state =
            state.is_some_and(|head| names_member(&head, "schemaVersion") && names_member(&head, "bundle"));
        let history = glance.head(&root.join("history/events.jsonl"));
        let is_event = |object: Json<'_>| {
            let kind = object.get("kind");
            kind.is_some_and(|kind| kind.is_text("tool_run") || kind.is_text("imported_session"))
        };
        if is_state || history.is_some_and(|head| likeness(&head, is_event) == Likeness::Yes) {
            return Ok(());
        }
        Err("it has no `state.json` with a bundle, and no `history/events.jsonl` with events".into())
    }
}
