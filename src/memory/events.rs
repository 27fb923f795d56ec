//! Events, notes and profiles (specification 5 §6 and §7).

use super::{Found, Memory, MemoryError, New, Recalled, Result};
use crate::model::{EntryRef, State};
use crate::ops::Refusal;
use crate::query::{Order, quoted, quoted_pattern};
use crate::text::json::JsonKind;
use crate::text::json_edit::{Tape, quoted as json_text, remove, scan, set};
use crate::usecase::EditMemory;

impl Memory {
    /// Adds an event to the log and to its trace's file, and returns its id. `metadata` is a JSON object.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let id = memory.emit_event("gateway.tool_call", "abc123", "success", "gateway", r#"{"tool":"build"}"#)?;
    /// assert_eq!(memory.query("type:event trace:abc123")?[0].id.as_deref().unwrap_or(&id), id);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn emit_event(
        &mut self,
        event_type: &str,
        trace: &str,
        status: &str,
        source: &str,
        metadata: &str,
    ) -> Result<String> {
        // What closes the object would be read as other members of the event.
        if !scan(&mut Tape::default(), metadata.as_bytes()).is_ok_and(|own| own.kind() == JsonKind::Object) {
            return Err(Refusal::bad_value("metadata", metadata, "it should be a JSON object").into());
        }
        let record = format!(
            "{{\"event_type\":{},\"trace_id\":{},\"status\":{},\"source\":{},\"metadata\":{metadata}}}",
            json_text(event_type),
            json_text(trace),
            json_text(status),
            json_text(source)
        );
        self.add(&New { kind: "event", record: Some(&record), ..New::default() }).map(|added| added.id)
    }

    /// Returns the events that failed in the last `days` days, newest first (§6.1).
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// memory.emit_event("backend.start", "abc123", "failure", "backend", r#"{"error":"timeout"}"#)?;
    /// memory.emit_event("backend.start", "abc123", "success", "backend", "{}")?;
    /// assert_eq!(memory.failures_since(7)?.len(), 1);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn failures_since(&mut self, days: u32) -> Result<Recalled<Vec<Found>>> {
        self.in_time(&format!("type:event status:failure since:-{days}d"))
    }

    /// Returns the events of a trace, oldest first (§6.1).
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// memory.emit_event("gateway.tool_call", "abc123", "success", "gateway", "{}")?;
    /// memory.emit_event("backend.start", "abc123", "failure", "backend", "{}")?;
    /// let events = memory.events_of_trace("abc123")?;
    /// assert!(String::from_utf8_lossy(&events[0].raw).contains("gateway.tool_call"));
    /// assert_eq!(events.len(), 2);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn events_of_trace(&mut self, trace: &str) -> Result<Recalled<Vec<Found>>> {
        let mut events = self.in_time(&format!("type:event trace:{}", quoted(trace)))?;
        events.read.reverse();
        Ok(events)
    }

    /// Returns the notes that have a tag (§6.2).
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let tags = ["timeout".to_owned()];
    /// memory.add(&New { kind: "note", text: "# Longer timeouts", tags: &tags, ..New::default() })?;
    /// assert_eq!(memory.notes_by_tag("timeout")?.len(), 1);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn notes_by_tag(&mut self, tag: &str) -> Result<Recalled<Vec<Found>>> {
        self.in_time(&format!("type:note tag:{}", quoted_pattern(tag)))
    }

    /// Returns the notes that a note links to, or that link to it (§6.2).
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let id = memory.add(&New { kind: "note", text: "# Longer timeouts", ..New::default() })?.id;
    /// let text = format!("# Retries\n\nAfter [[{id}]].");
    /// memory.add(&New { kind: "note", text: &text, ..New::default() })?;
    /// assert_eq!(memory.linked_notes(&id)?.len(), 1);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn linked_notes(&mut self, id: &str) -> Result<Recalled<Vec<Found>>> {
        let mut linked = self.in_time(&format!("ref:{} depth:1", quoted(id)))?;
        linked.read.retain(|own| own.kind == "note");
        Ok(linked)
    }

    fn in_time(&mut self, query: &str) -> Result<Recalled<Vec<Found>>> {
        self.refresh();
        Ok(self.recalled(self.all_found(self.search(&[query], Order::Time)?)))
    }

    /// Returns an agent's skill level in a capability; `novice` if none is recorded (§6.3).
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let record = r#"{"agent_name":"coder","agent_version":"1","capabilities":{"deploys":{"skill_level":"expert"}}}"#;
    /// memory.add(&New { kind: "profile", record: Some(record), ..New::default() })?;
    /// assert_eq!(memory.capability_level("coder", "deploys")?, "expert");
    /// assert_eq!(memory.capability_level("coder", "cooks")?, "novice");
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn capability_level(&mut self, agent: &str, capability: &str) -> Result<String> {
        let level = self.in_profile(agent, &["capabilities", capability, "skill_level"])?;
        Ok(level.and_then(|raw| serde_json::from_str(&raw).ok()).unwrap_or_else(|| "novice".to_owned()))
    }

    /// Returns a preference of an agent, as JSON.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let record = r#"{"agent_name":"coder","agent_version":"1","preferences":{"verbose_logging":true}}"#;
    /// memory.add(&New { kind: "profile", record: Some(record), ..New::default() })?;
    /// assert_eq!(memory.preference("coder", "verbose_logging")?.as_deref(), Some("true"));
    /// assert_eq!(memory.preference("coder", "theme")?, None);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn preference(&mut self, agent: &str, key: &str) -> Result<Option<String>> {
        self.in_profile(agent, &["preferences", key])
    }

    /// Sets a preference of an agent, as JSON, and the time of its last activity (§6.3).
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let record = r#"{"agent_name":"coder","agent_version":"1"}"#;
    /// memory.add(&New { kind: "profile", record: Some(record), ..New::default() })?;
    /// memory.set_preference("coder", "backend_timeout", "60")?;
    /// assert_eq!(memory.preference("coder", "backend_timeout")?.as_deref(), Some("60"));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn set_preference(&mut self, agent: &str, key: &str, value: &str) -> Result {
        self.ready()?;
        let at = self.profile(agent)?;
        let (store, entry) = self.snapshot.get(at);
        let preferences = with_preference(&store.raw(entry), key, value)?;
        let fields = [("preferences", preferences), ("last_active", self.now().to_micros())];
        let fields = fields.map(|(name, value)| (name.to_owned(), value)).to_vec();
        self.make(vec![at], EditMemory::of(fields)).map(drop)
    }

    fn in_profile(&mut self, agent: &str, path: &[&str]) -> Result<Option<String>> {
        let at = self.profile(agent)?;
        let (store, entry) = self.snapshot.get(at);
        let raw = store.raw(entry);
        let mut tape = Tape::default();
        let value = scan(&mut tape, &raw).ok().and_then(|value| value.path(path));
        Ok(value.map(|value| value.spelled().into_owned()))
    }

    fn profile(&mut self, agent: &str) -> Result<EntryRef> {
        self.refresh();
        let store = self.store();
        let own = |entry: &crate::model::Entry| {
            let memory =
                store.memory(entry).filter(|memory| memory.kind() == "profile" && entry.state == State::Live);
            memory.is_some_and(|memory| memory.id() == Some(agent))
        };
        let at = store.entries.iter().position(own);
        let missing = || MemoryError::new("E_INVALID_QUERY", format!("There is no profile of {agent:?}."));
        at.map(|at| EntryRef { store: 0, entry: at as u32 }).ok_or_else(|| self.known_absent(missing()))
    }
}

fn with_preference(profile: &[u8], key: &str, value: &str) -> Result<String, Refusal> {
    let value = value.trim();
    if key.is_empty() || scan(&mut Tape::default(), value.as_bytes()).is_err() {
        return Err(Refusal::bad_value("preference", value, "it needs a key, and JSON: text is in quotes"));
    }
    let (mut before, mut after) = (Tape::default(), Tape::default());
    let is_null = scan(&mut before, profile)?.get("preferences").is_some_and(|own| own.is_null());
    let profile = if is_null { remove(profile, &["preferences"])? } else { profile.to_vec() };
    let changed = set(&profile, &["preferences", key], value)?;
    let preferences = scan(&mut after, &changed)?.get("preferences");
    Ok(preferences.map(|own| own.spelled().into_owned()).unwrap_or_default())
}
