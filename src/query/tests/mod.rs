//! Tests of queries and ranks, on stores built by hand.

mod duplicates;
mod language;
mod near;
mod ranks;
mod results;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::format::SearchText;
use crate::model::{
    DecayTable, Document, Entry, EntryRef, Extent, Generation, KnownBy, Moment, Problem, Record, RecordBody,
    Role, Session, Snapshot, Span, State, Store, StoredMemory,
};

fn now() -> Moment {
    Moment::parse("2026-01-20T12:00:00Z").unwrap().0
}

fn hours_ago(hours: i64) -> Moment {
    now().plus(-hours * crate::model::time::HOUR)
}

/// A record that is being built. Its bytes are `title|body`, without the bar if it is broken.
#[derive(Clone)]
struct TestMemory {
    raw: String,
    memory: StoredMemory,
    state: State,
    session: Option<u32>,
    problem: bool,
}

fn memory(id: &str, title: &str) -> TestMemory {
    let memory = StoredMemory {
        id: Some(id.into()),
        kind: "decision".into(),
        created: Some(hours_ago(1000)),
        importance: 0.5,
        ..StoredMemory::default()
    };
    TestMemory { raw: format!("{title}|"), memory, state: State::Live, session: None, problem: false }
}

fn broken(raw: &str) -> TestMemory {
    TestMemory { raw: raw.into(), state: State::Broken, ..memory("", "") }
}

impl TestMemory {
    fn body(mut self, body: &str) -> Self {
        self.raw += body;
        self
    }

    fn kind(mut self, kind: &'static str) -> Self {
        self.memory.kind = kind.into();
        self
    }

    fn tags(mut self, tags: &[&str]) -> Self {
        self.memory.tags = tags.iter().map(|&tag| tag.into()).collect();
        self
    }

    fn aged(mut self, hours: i64) -> Self {
        self.memory.created = Some(hours_ago(hours));
        self
    }

    fn accessed(mut self, hours: i64) -> Self {
        self.memory.accessed = Some(hours_ago(hours));
        self
    }

    fn importance(mut self, importance: f64) -> Self {
        self.memory.importance = importance;
        self
    }

    fn state(mut self, state: State) -> Self {
        self.state = state;
        self
    }

    fn session(mut self, session: u32) -> Self {
        self.session = Some(session);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut StoredMemory)) -> Self {
        change(&mut self.memory);
        self
    }

    fn with_problem(mut self) -> Self {
        self.problem = true;
        self
    }
}

/// Builds a store of one document, with the sessions `payments`, `payments-old` and `oauth`.
fn store(root: &str, memories: &[TestMemory]) -> Store {
    let (mut bytes, mut records, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    let (mut problems, mut problems_by_record) = (Vec::new(), Vec::new());
    for (index, memory) in memories.iter().enumerate() {
        let index = index as u32;
        let start = bytes.len() as u64;
        bytes.extend(memory.raw.as_bytes());
        let span = Span { start, end: bytes.len() as u64 };
        let body = match memory.state {
            State::Broken => RecordBody::Broken,
            _ => RecordBody::Read(memory.memory.clone().into()),
        };
        records.push(Record { span, line: index + 1, lines: 1, body });
        entries.push(Entry { document: 0, record: index, session: memory.session, state: memory.state });
        if memory.problem {
            problems_by_record.push((0, index, problems.len() as u32));
            let (code, severity) = (crate::model::Code::TooLong, crate::model::Severity::Warning);
            problems
                .push(Problem::of_file(code, severity, "memory.jsonl", "too long").of_record(index, None));
        }
    }
    let generation = Generation { len: bytes.len() as u64, is_settled: true, ..Generation::default() };
    let decay = DecayTable::new(&[("decision", Some(720.0)), ("preference", None)], Some(168.0), 0.1);
    let session = |name: &str| Session {
        name: name.into(),
        path: PathBuf::from("sessions").join(name),
        decay: decay.clone(),
        created: None,
        size: 0,
        limit: None,
        lifecycle: None,
    };
    let document = Document {
        path: "memory.jsonl".into(),
        role: Role::Records,
        len: bytes.len() as u64,
        bytes: bytes.into(),
        offset: 0,
        generation,
        records,
        problems: Vec::new(),
        digests: Default::default(),
    };
    Store {
        root: root.into(),
        format: "session-log",
        has_file_times: false,
        extent: Extent::All,
        scope: None,
        sessions: vec![session("payments"), session("payments-old"), session("oauth")],
        documents: vec![Arc::new(document)],
        entries,
        problems,
        problems_by_record,
        facts: Vec::new(),
        decay,
        bytes: 0,
        modified: None,
        own_files: Vec::new(),
        access_lists: Vec::new(),
        unread: Vec::new(),
        archived: Vec::new(),
        outside_files: Vec::new(),
        load_settings: crate::model::LoadSettings::NONE,
        project: None,
        known_by: KnownBy::Path,
        unloaded: None,
    }
}

/// Returns title, tags and id as head and the rest as body, or the bytes of a broken record as body.
fn searched(store: &Store, entry: &Entry) -> SearchText {
    let raw = String::from_utf8_lossy(&store.raw(entry)).into_owned();
    let Some(memory) = store.memory(entry) else { return SearchText { head: vec![], body: vec![raw] } };
    let (title, body) = raw.split_once('|').unwrap_or_default();
    let tags = memory.tags().map(|tag| tag.to_string());
    let head = [title.to_owned()].into_iter().chain(tags).chain(memory.id().map(str::to_owned));
    SearchText { head: head.collect(), body: vec![body.to_owned()] }
}

/// A snapshot with its text.
struct Asked {
    snapshot: Snapshot,
    text: TextIndex,
}

fn stores(stores: Vec<Store>) -> Asked {
    let snapshot = Snapshot::of(stores.into_iter().map(Arc::new).collect());
    let text = TextIndex::build_from(&snapshot, None, &CancelToken::default(), &searched).unwrap();
    Asked { snapshot, text }
}

fn memories(memories: &[TestMemory]) -> Asked {
    stores(vec![store("/stores/one", memories)])
}

impl Asked {
    fn request<'a>(&'a self, query: &'a Query) -> Request<'a> {
        Request {
            snapshot: &self.snapshot,
            text: Some(&self.text),
            query,
            ranking: Ranking::Product,
            order: Order::Rank,
            all: false,
            now: now(),
        }
    }

    fn results(&self, query: &str) -> Results {
        let query = Query::parse(query, now()).unwrap_or_else(|error| panic!("{query}: {error}"));
        search(&self.request(&query), &CancelToken::default()).unwrap()
    }

    /// Returns the ids that a query finds, in order. A broken record is its bytes.
    fn found(&self, query: &str) -> Vec<String> {
        self.results(query).hits.iter().map(|hit| self.name(hit.at)).collect()
    }

    fn name(&self, at: EntryRef) -> String {
        let (store, entry) = self.snapshot.get(at);
        let id = store.id(entry);
        id.map_or_else(|| String::from_utf8_lossy(&store.raw(entry)).into_owned(), str::to_owned)
    }

    fn explained(&self, query: &str, entry: u32) -> Explanation {
        let query = Query::parse(query, now()).unwrap();
        explain(&self.request(&query), EntryRef { store: 0, entry }).unwrap()
    }
}
