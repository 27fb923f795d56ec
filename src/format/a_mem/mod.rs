//! `a-mem`: Events by month, knowledge notes and agent profiles (specification 5). Recognised, and not read yet.

use std::path::Path;

use super::Format;
use super::glance::Glance;
use super::glance::{Likeness, likeness, names_member};
use crate::text::json::Json;

/// Events by month, knowledge notes and agent profiles (specification 5).
pub struct AMem;

impl Format for AMem {
    fn name(&self) -> &'static str {
        "a-mem"
    }

    fn reads(&self) -> bool {
        false
    }

    fn default_place(&self) -> &'static str {
        ".chora/memory"
    }

    fn recognise(&self, root: &Path, glance: &dyn Glance) -> Result<(), String> {
        let is_event =
            |object: Json<'_>| object.get("event_type").is_some() || object.get("trace_id").is_some();
        let events = root.join("events");
        let logs = glance.files(&events).into_iter().map(|file| events.join(file));
        let months = glance.folders(&events).into_iter().map(|month| events.join(month).join("events.jsonl"));
        let has_events = logs
            .chain(months)
            .filter(|log| log.extension().is_some_and(|end| end == "jsonl"))
            .any(|log| glance.head(&log).is_some_and(|head| likeness(&head, is_event) == Likeness::Yes));
        let notes = [root.join("knowledge/notes"), root.join("knowledge")];
        let has_notes = notes.iter().any(|folder| {
            let markdown = |file: &String| file.ends_with(".md");
            glance
                .files(folder)
                .iter()
                .filter(|file| markdown(file))
                .any(|file| glance.head(&folder.join(file)).is_some_and(|head| head.starts_with(b"---")))
        });
        let profiles = root.join("profiles");
        let has_profiles = glance.files(&profiles).iter().any(|file| {
            glance.head(&profiles.join(file)).is_some_and(|head| names_member(&head, "agent_name"))
        });
        if has_events || has_notes || has_profiles {
            return Ok(());
        }
        Err("it has no events, no notes with front matter and no profiles".into())
    }
}
