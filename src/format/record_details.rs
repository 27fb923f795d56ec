//! A memory in reading order: main text, other texts in the format's order, references, the rest.
//! For the detail view, `palimp show` and the lines for a screen reader.

use std::borrow::Cow;

use super::entry_text;
use crate::model::{Entry, EntryTime, Moment, PathText, RecordText, Store, UntrustedText};
use crate::text::json::{Json, JsonKind};

/// The number of references that are named beside a text.
const REFERENCES: usize = 3;
/// The depth to which nested objects are written on a line. Deeper ones stay JSON.
const DEEPEST: usize = 3;
const ITEM: &str = "• ";

/// A member of a record besides its main text.
pub(super) struct TextMember {
    /// The dotted name.
    pub name: String,
    /// The value on one line.
    pub plain: String,
    /// The value for people: list items are on lines of their own.
    pub read: String,
}

impl TextMember {
    pub fn of_text(name: &str, plain: String) -> TextMember {
        TextMember { name: name.to_owned(), read: plain.clone(), plain }
    }

    fn is_of(&self, name: &str) -> bool {
        self.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// True if it is written in words, whatever its name. A list is prose if one of its items is.
    fn is_prose(&self) -> bool {
        let text = self.read.trim();
        let items = text.strip_prefix(ITEM).unwrap_or(text);
        items.split(&format!("\n{ITEM}")).any(is_in_words)
    }
}

/// True if it is more than a word, number or time. Scripts without spaces need four non-ASCII letters.
fn is_in_words(text: &str) -> bool {
    let text = text.trim();
    let foreign = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
    (text.contains(char::is_whitespace) || foreign > 3) && Moment::parse(text).is_none()
}

/// Returns the other texts: those in `order`, then other prose. `unsearched`: ids, times and checksums.
pub(super) fn other_texts(
    members: &[TextMember],
    main: &str,
    order: &[&str],
    unsearched: &[&str],
) -> Vec<(String, UntrustedText)> {
    let can_say = |own: &&TextMember| {
        let told = own.read.trim();
        let is_told = told == main.trim() || main.ends_with(&format!("· {told}"));
        let is_known = matches!(own.name.as_str(), "id" | "tags")
            || unsearched.contains(&own.name.rsplit('.').next().unwrap_or(&own.name));
        !(told.is_empty() || is_told || is_known)
    };
    let all: Vec<&TextMember> = members.iter().filter(can_say).collect();
    let place = |own: &TextMember| order.iter().position(|name| own.is_of(name));
    let mut said: Vec<(usize, &TextMember)> = all
        .into_iter()
        .filter_map(|own| match place(own) {
            Some(at) => Some((at, own)),
            None => own.is_prose().then_some((order.len(), own)),
        })
        .collect();
    said.sort_by_key(|(at, _)| *at);
    said.into_iter().map(|(_, member)| (member.name.clone(), member.read.as_str().into())).collect()
}

pub(super) fn read(value: Json<'_>) -> String {
    match value.kind() {
        JsonKind::Array => {
            let items = value.items().map(|item| format!("{ITEM}{}", in_a_line(item, DEEPEST)));
            items.collect::<Vec<_>>().join("\n")
        }
        JsonKind::Null => String::new(),
        _ => in_a_line(value, DEEPEST),
    }
}

/// Returns a value on one line, with the members of objects by name.
fn in_a_line(value: Json<'_>, deepest: usize) -> String {
    if value.members().next().is_none() || deepest == 0 {
        return value.text().map_or_else(|| value.plain(), Cow::into_owned);
    }
    let member = |(name, value): (Json<'_>, Json<'_>)| {
        format!("{}: {}", name.text().unwrap_or_default(), in_a_line(value, deepest - 1))
    };
    value.members().map(member).collect::<Vec<_>>().join(" · ")
}

/// Returns the label of a member.
pub fn label(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).replace('_', " ")
}

/// Returns tags, references, session, author and times. Untrusted text.
pub fn context_fields(store: &Store, entry: &Entry, now: Moment) -> Vec<(&'static str, String)> {
    let mut ties = Vec::new();
    let Some(memory) = store.memory(entry) else { return ties };
    if memory.tags().len() > 0 {
        ties.push(("tags", memory.joined_tags(" ")));
    }
    let refers: Vec<String> =
        memory.references().take(REFERENCES).map(|own| format!("→ {}", own.to.text)).collect();
    if !refers.is_empty() {
        let more = memory.references().len().saturating_sub(REFERENCES);
        let more = if more > 0 { format!("  and {more} more") } else { String::new() };
        ties.push(("refs", refers.join("  ") + &more));
    }
    if let Some(session) = store.session(entry) {
        let lifecycle = session.lifecycle.map(|own| format!(" ({})", own.as_str())).unwrap_or_default();
        ties.push(("session", format!("{}{lifecycle}", session.name)));
    }
    let agent = memory.agent();
    let time = store.time_with(entry, memory.created);
    let written = time.map(|time| time.ago_at(now));
    let by: Vec<String> = agent.map(str::to_owned).into_iter().chain(written).collect();
    if !by.is_empty() {
        let label = if time.is_some_and(EntryTime::is_of_file) { "time" } else { "written" };
        ties.push((if agent.is_some() { "by" } else { label }, by.join(", ")));
    }
    ties
}

/// Returns the rest: state, place, facts from other files, and members that are not texts.
pub fn remaining_fields(store: &Store, number: u32, text: &RecordText) -> Vec<(String, UntrustedText)> {
    let Some(entry) = store.entries.get(number as usize) else { return Vec::new() };
    let record = store.record(entry);
    let file = &store.document(entry).path;
    let place =
        if record.line > 0 { format!("{}:{}", file.to_text(), record.line) } else { file.to_text().into() };
    let bytes = format!("{}–{} ({} bytes)", record.span.start, record.span.end, record.span.len());
    let mut rest: Vec<(String, UntrustedText)> = vec![("state".into(), entry.state.as_str().into())];
    if let Some(time) = store.time_of(entry) {
        rest.push((time.event().into(), time.at.to_minute().into()));
    }
    rest.extend([("file".into(), place.into()), ("bytes".into(), bytes.into())]);
    rest.extend(store.facts_of(number).map(|(name, value)| (name.to_owned(), value.into())));
    rest.extend(unsaid(text).cloned());
    rest
}

/// Returns the fields that are not among the other texts.
fn unsaid(text: &RecordText) -> impl Iterator<Item = &(String, UntrustedText)> {
    text.fields.iter().filter(|(name, _)| !text.other_texts.iter().any(|(own, _)| own == name))
}

/// Returns the fields that a search reads, the main text first.
pub fn searched_fields(store: &Store, entry: &Entry, own: RecordText) -> Vec<(String, UntrustedText)> {
    let others: Vec<(String, UntrustedText)> = unsaid(&own).cloned().collect();
    let mut fields = vec![(label(own.main), own.text), ("title".into(), own.title)];
    fields.extend(own.other_texts.into_iter().map(|(name, text)| (label(&name), text)));
    if let Some(memory) = store.memory(entry) {
        fields.push(("tags".into(), memory.joined_tags(" ").into()));
        fields.extend(memory.id().map(|id| ("id".into(), id.into())));
    }
    let is_new = |(name, _): &(String, UntrustedText)| !matches!(name.as_str(), "id" | "tags");
    fields.extend(others.into_iter().filter(is_new).map(|(name, text)| (label(&name), text)));
    fields
}

/// Returns strings that a search reads and that are in no field, such as those of a checkpoint's bundle.
pub fn searched_strings(store: &Store, entry: &Entry) -> Vec<(String, UntrustedText)> {
    let strings = entry_text::named_strings(store, entry).into_iter();
    strings.map(|(name, text)| (label(&name), text.into())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::format::text_of_raw;

    /// Returns the main text of a record, then its other texts with their labels.
    fn page(format: &str, path: &str, record: &str) -> Vec<String> {
        let own = text_of_raw(format, Path::new(path), record.as_bytes()).unwrap();
        let said = own.other_texts.iter().map(|(name, text)| format!("{}: {}", label(name), text.raw()));
        std::iter::once(own.text.raw().to_owned()).chain(said).collect()
    }

    #[test]
    fn a_decision_is_read_with_why_and_what_else_was_thought_of_whatever_the_order_of_its_members() {
        let record = r#"{"id":"dec-1","impact":"high","alternatives_considered":["one","two"],"made_by":"lead",
            "rationale":"It is cheaper","decision":"Pool","remark":"ask again in May","references":{"findings":["f 1"]}}"#;
        let expected = [
            "Pool",
            "rationale: It is cheaper",
            "alternatives considered: • one\n• two",
            "impact: high",
            "remark: ask again in May",
        ];
        assert_eq!(page("bmad", "sessions/a/decisions.jsonl", record), expected);
        let record = r#"{"id":"m1","type":"decision","timestamp":"2026-01-01T00:00:00Z","tags":["a b"],
            "content":{"evidence":"E","alternatives":[{"name":"A","cost":2}],"rationale":"R","decision":"D"}}"#;
        let expected = ["D", "rationale: R", "alternatives: • name: A · cost: 2", "evidence: E"];
        assert_eq!(page("session-log", "sessions/a/memory.jsonl", record), expected);
    }

    #[test]
    fn a_list_of_single_words_that_no_format_names_is_no_prose() {
        let lists = r#"{"id":"dec-1","decision":"Pool","approved_by":["lead"],"seen":["a","b"],"remarks":["no","not yet"],
            "times":["2026-01-01T00:00:00Z","2026-01-02 10:00"],"remark":"one\ntwo"}"#;
        let expected = ["Pool", "remarks: • no\n• not yet", "remark: one\ntwo"];
        assert_eq!(page("bmad", "sessions/a/decisions.jsonl", lists), expected);
    }

    #[test]
    fn a_finding_is_read_with_its_evidence_and_what_to_do() {
        let record =
            r#"{"id":"f1","status":"open","recommendation":"Do it","evidence":"Seen","description":"Slow"}"#;
        let expected = ["Slow", "evidence: Seen", "recommendation: Do it"];
        assert_eq!(page("bmad", "sessions/a/findings.jsonl", record), expected);
    }

    #[test]
    fn a_message_and_an_event_are_read_with_their_metadata() {
        let record = r#"{"id":"msg-1","metadata":{"mood":"calm","references":["msg-0"]},"content":"Hello",
            "context":{"topic":"pools","parent_message_id":"msg-0"},"role":"user"}"#;
        let expected = ["Hello", "topic: pools", "mood: calm"];
        assert_eq!(page("bmad", "sessions/a/conversations.jsonl", record), expected);
        let record = r#"{"event_type":"x.y","status":"failure","trace_id":"t","timestamp":"2026-01-01T00:00:00Z",
            "metadata":{"error":"It broke","tool_name":"build"}}"#;
        assert_eq!(
            page("a-mem", "events/2026-01/events.jsonl", record),
            ["x.y failure · It broke", "tool name: build"]
        );
    }

    #[test]
    fn tasks_steps_and_notes_are_read_whole_without_their_figures() {
        let record = r#"{"id":"7","type":"task","content":"Move","access_count":3,"importance":"high",
            "task_metadata":{"status":"blocked","blockers":["no key","no time"],"completed_at":"2026-01-01T00:00:00Z"}}"#;
        let expected = ["Move", "blockers: • no key\n• no time", "status: blocked"];
        assert_eq!(page("memory-server", "tasks.jsonl", record), expected);
        let record = r#"{"done":"No order","start":"Count","title":"Keys","why":"Twice"}"#;
        assert_eq!(
            page("agent-memory", "state.json", record),
            ["Keys", "why: Twice", "start: Count", "done: No order"]
        );
        let note = "---\nid: n\nsource: agent\nsummary: In short\nremark: so it is\ntags: [a]\n---\nBody\n";
        let expected = ["Body\n", "summary: In short", "remark: so it is"];
        assert_eq!(page("a-mem", "knowledge/notes/n.md", note), expected);
    }

    #[test]
    fn no_object_is_too_deep_to_be_read() {
        let deep = format!("{}1{}", "{\"a\":[".repeat(5_000), "]}".repeat(5_000));
        let record = format!(r#"{{"id":"1","type":"core","content":"C","more":[{deep}]}}"#);
        assert_eq!(page("memory-server", "core_memories.jsonl", &record)[0], "C");
    }
}
