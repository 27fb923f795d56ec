//! A memory of the demo, and its record in each format.

use serde_json::{Value, json};

use super::rng::DemoRng;
use crate::model::Moment;

#[derive(Clone, Debug, Default)]
pub struct DemoMemory {
    pub when: Moment,
    /// Its session, if the format has sessions.
    pub session: String,
    /// Its type, in the format's own word.
    pub kind: String,
    /// The role of its author.
    pub by: String,
    /// The name by which other memories refer to it.
    pub label: String,
    /// The labels of the memories that it refers to.
    pub refers: Vec<String>,
    /// The first column of its type: category, status or id.
    pub word: String,
    pub tags: Vec<String>,
    /// Its importance as a word or a number.
    pub importance: String,
    pub main: String,
    /// Rationale, evidence, outcome or body.
    pub more: String,
    /// Alternatives, separated by `;`.
    pub others: String,
}

impl DemoMemory {
    /// Makes a memory of this type from the columns of a file in `assets/demo`.
    pub fn of(kind: &str, columns: &[String]) -> DemoMemory {
        let has_word = matches!(kind, "core" | "learning" | "task" | "event" | "note" | "tool_run");
        let column = |at: usize| {
            let at = if has_word { Some(at) } else { at.checked_sub(1) };
            at.and_then(|at| columns.get(at)).cloned().unwrap_or_default()
        };
        let tags =
            column(1).split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        let [word, importance, main, more, others] = [0, 2, 3, 4, 5].map(column);
        let kind = kind.to_owned();
        DemoMemory { kind, word, tags, importance, main, more, others, ..DemoMemory::default() }
    }

    /// Returns the prefix of its id; empty if ids are random.
    pub fn prefix(&self, format: &str) -> String {
        match (format, self.kind.as_str()) {
            ("session-log", _) => format!("mem_{}_", self.session),
            ("bmad", "conversation") => "msg-".into(),
            ("bmad", "decision") => "dec-".into(),
            ("bmad", "finding") => "finding-".into(),
            ("bmad", _) => "pref-".into(),
            _ => String::new(),
        }
    }

    fn weight(&self) -> f64 {
        match self.importance.as_str() {
            "high" => 0.9,
            "medium" => 0.6,
            "low" => 0.3,
            number => number.parse().unwrap_or(0.5),
        }
    }

    /// Returns its importance, if the format stores one.
    pub fn importance(&self, format: &str) -> Option<f64> {
        let records = matches!(format, "session-log" | "memory-server") || self.kind == "note";
        records.then(|| self.weight())
    }

    /// Returns its tags. Those of an event only name its trace, so it has none.
    pub fn tags(&self) -> &[String] {
        if self.kind == "event" { &[] } else { &self.tags }
    }

    /// Returns its text, unless that is a member of the record.
    pub fn text(&self, format: &str) -> Option<&str> {
        match (format, self.kind.as_str()) {
            ("session-log", _) => None,
            (_, "note") => Some(&self.more),
            _ => Some(&self.main),
        }
    }

    /// Returns the members of its record except text, tags and importance.
    pub fn record(
        &self,
        format: &str,
        id: &str,
        refers: &[String],
        now: Moment,
        chance: &mut DemoRng,
    ) -> Value {
        match format {
            "session-log" => json!({"id": id, "content": self.content(), "references": refers}),
            "bmad" => self.of_review(id, refers),
            "a-mem" => self.of_project(),
            _ => self.of_server(id, now, chance),
        }
    }

    fn content(&self) -> Value {
        let (main, more) = (&self.main, &self.more);
        match self.kind.as_str() {
            "decision" => json!({"decision": main, "rationale": more, "alternatives": self.alternatives()}),
            "finding" if more.is_empty() => json!({"finding": main}),
            "finding" => json!({"finding": main, "evidence": more}),
            "preference" => json!({"preference": main}),
            _ => json!({"role": self.by, "message": main}),
        }
    }

    fn alternatives(&self) -> Vec<&str> {
        self.others.split(';').map(str::trim).filter(|own| !own.is_empty()).collect()
    }

    fn topic(&self) -> &str {
        self.tags.first().map_or("review", String::as_str)
    }

    fn of_review(&self, id: &str, refers: &[String]) -> Value {
        let weight = self.weight();
        let level = ["low", "medium", "high"][usize::from(weight > 0.45) + usize::from(weight > 0.7)];
        let begin = |with: &str| refers.iter().filter(|own| own.starts_with(with)).collect::<Vec<_>>();
        match self.kind.as_str() {
            "decision" => {
                let approved = if weight > 0.8 { vec!["lead"] } else { Vec::new() };
                json!({"id": id, "made_by": self.by, "approved_by": approved, "rationale": self.more,
                    "alternatives_considered": self.alternatives(), "impact": level,
                    "references": {"conversations": begin("msg"), "findings": begin("finding")}})
            }
            "finding" => json!({"id": id, "discovered_by": self.by, "category": self.topic(),
                "severity": level, "evidence": self.more}),
            "preference" => json!({"id": id, "category": "communication", "key": self.topic(),
                "confidence": 0.8}),
            _ => {
                let role = if self.by == "user" { "user" } else { "assistant" };
                let mut context = json!({"conversation_id": "conv-1", "topic": self.topic()});
                if let (Some(parent), Value::Object(members)) = (begin("msg").first(), &mut context) {
                    members.insert("parent_message_id".into(), json!(parent));
                }
                json!({"id": id, "agent_id": self.by, "role": role, "context": context})
            }
        }
    }

    fn of_server(&self, id: &str, now: Moment, chance: &mut DemoRng) -> Value {
        let age = now.0 - self.when.0;
        let used = now.plus(-age / (1 + chance.below(5) as i64)).to_rfc3339();
        let mut record = json!({"id": id, "category": self.word, "accessed_at": used,
            "access_count": chance.below(12)});
        if let (true, Value::Object(members)) = (self.kind == "task", &mut record) {
            let done = now.plus(-age / 3 * 2).to_rfc3339();
            members.insert("category".into(), json!("task"));
            let task = match self.word.as_str() {
                "completed" => json!({"status": "completed", "completed_at": done, "outcome": self.more}),
                "blocked" => json!({"status": "blocked", "blockers": [self.more]}),
                status => json!({"status": status}),
            };
            members.insert("task_metadata".into(), task);
        }
        record
    }

    fn of_project(&self) -> Value {
        match self.kind.as_str() {
            "note" => {
                json!({"id": self.word, "title": self.main, "source": "agent-learning", "author": self.by})
            }
            _ => json!({"status": self.word, "event_type": self.importance, "source": self.by,
                "trace_id": self.topic()}),
        }
    }
}
