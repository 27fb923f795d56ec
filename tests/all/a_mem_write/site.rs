//! A store to write to, and the changes made to it.

use super::*;

pub(super) type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// A store in a temporary folder, with palimp's data beside it.
pub(super) struct Site {
    pub(super) folder: tempfile::TempDir,
    pub(super) now: Moment,
}

impl Site {
    pub(super) fn of(files: &[(&str, &str)]) -> Site {
        let site = Site::empty();
        for (path, text) in files {
            site.write(path, text.as_bytes());
        }
        site
    }

    pub(super) fn empty() -> Site {
        let folder = crate::support::folder::new();
        let site = Site { folder, now: Moment::parse(NOW).unwrap().0 };
        fs::create_dir_all(site.root()).unwrap();
        site
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("project/.chora/memory")
    }

    pub(super) fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.root().join(path);
        crate::support::write(&path, bytes);
    }

    pub(super) fn read(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.root().join(path)).unwrap_or_else(|_| panic!("{path}"))).unwrap()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    pub(super) fn load(&self) -> Store {
        let place = Place::whole(self.root(), "a-mem");
        load(&place, Extent::All, None, self.now)
    }

    pub(super) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        gather(&self.root(), &self.root(), &mut tree);
        tree
    }

    pub(super) fn plan(
        &self,
        verb: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>,
    ) -> Result<Plan, Refusal> {
        let store = self.load();
        verb(&self.context(&store, &NO_COMPRESSED_FILES))
    }

    pub(super) fn context<'a>(
        &self,
        store: &'a Store,
        packed: &'a BTreeMap<PathBuf, Vec<u8>>,
    ) -> WriteContext<'a> {
        WriteContext { store, now: self.now, random: [7; 16], compressed_files: packed }
    }

    #[track_caller]
    pub(super) fn refuses(&self, part: &str, verb: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>) {
        let before = self.tree();
        match self.plan(verb) {
            Ok(plan) => panic!("not refused: {:?}", plan.changes),
            Err(refusal) => assert!(refusal.message.contains(part), "{}", refusal.message),
        }
        assert_eq!(self.tree(), before);
    }

    /// Runs a verb, undoes and redoes it, and compares what `check` finds.
    #[track_caller]
    pub(super) fn does(&self, verb: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>) -> Plan {
        let store = self.load();
        let mut packed = BTreeMap::new();
        if let Ok(files) = ops::archive::packed(&store, &store.entries) {
            packed = packed_bytes(&RealDisk, &store, &files).unwrap();
        }
        let plan = match verb(&self.context(&store, &packed)) {
            Ok(plan) => plan,
            Err(refusal) => panic!("refused: {}", refusal.message),
        };
        let before = self.tree();
        self.write_with(&store, |writer| drop(writer.commit(&plan).unwrap()));
        let after = self.tree();
        let now = self.load();
        let new: Vec<_> = problems(&now).difference(&problems(&store)).cloned().collect();
        assert_eq!(new, []);
        let stale = |store: &Store| {
            let plan = ops::reindex::reindex(&self.context(store, &NO_COMPRESSED_FILES)).unwrap();
            plan.derived.iter().map(|change| change.path.clone()).collect::<Vec<_>>()
        };
        let touches_notes =
            plan.changes.iter().any(|own| own.path.extension().is_some_and(|end| end == "md"));
        if touches_notes || stale(&store).is_empty() {
            assert_eq!(stale(&now), [] as [PathBuf; 0]);
        }
        self.turn(true);
        assert_same(&self.tree(), &before);
        self.turn(false);
        assert_same(&self.tree(), &after);
        plan
    }

    pub(super) fn turn(&self, is_undo: bool) {
        self.write_with(&self.load(), |writer| {
            let (plan, turn) = if is_undo { writer.undo(None) } else { writer.redo(None) }.unwrap();
            writer.commit_undo_redo(&plan, turn).unwrap();
        });
    }

    pub(super) fn write_with(&self, store: &Store, act: impl FnOnce(&Writer<'_>)) {
        let (machine, data) = (ThisMachine::new(), self.folder.path().join("data"));
        let host = Host { disk: &RealDisk, machine: &machine, data: &data, now: self.now };
        act(&Writer::open(host, store).unwrap());
    }
}

pub(super) fn gather(root: &Path, folder: &Path, tree: &mut Tree) {
    for item in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match item.file_type().unwrap().is_dir() {
            true => gather(root, &item.path(), tree),
            false if is_ours(&item.file_name()) => {}
            false => {
                let path = item.path().strip_prefix(root).unwrap().to_owned();
                tree.insert(path, fs::read(item.path()).unwrap());
            }
        }
    }
}

#[track_caller]
pub(super) fn assert_same(now: &Tree, wanted: &Tree) {
    let paths: BTreeSet<&PathBuf> = now.keys().chain(wanted.keys()).collect();
    for path in paths {
        let text = |tree: &Tree| tree.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(text(now), text(wanted), "{}", path.display());
    }
}

pub(super) fn problems(store: &Store) -> BTreeSet<(String, PathBuf, String)> {
    // A new file may be at an unexpected place, if the store has no folders for months.
    let told = store
        .problems
        .iter()
        .filter(|own| !["loose-permissions", "unexpected-place"].contains(&own.code.as_str()));
    // A file keeps its problems when it is archived or restored.
    let file = |path: &Path| {
        let path = path.strip_prefix("archive").unwrap_or(path);
        if path.extension().is_some_and(|end| end == "gz") {
            path.with_extension("")
        } else {
            path.to_owned()
        }
    };
    told.map(|own| (own.code.as_str().to_owned(), file(&own.file), own.message.clone())).collect()
}

pub(super) fn named(store: &Store, id: &str) -> Vec<Entry> {
    let is_named = |entry: &&Entry| store.memory(entry).is_some_and(|view| view.id() == Some(id));
    let found: Vec<Entry> = store.entries.iter().filter(is_named).copied().collect();
    assert!(!found.is_empty(), "{id}");
    found
}

pub(super) fn of_kind(store: &Store, kind: &str) -> Vec<Entry> {
    store
        .entries
        .iter()
        .filter(|own| store.memory(own).is_some_and(|view| view.kind() == kind))
        .copied()
        .collect()
}

pub(super) fn of_file(store: &Store, part: &str) -> Vec<Entry> {
    let is_there = |own: &&Entry| store.document(own).path.to_string_lossy().contains(part);
    store.entries.iter().filter(is_there).copied().collect()
}

pub(super) fn set<'a>(name: &'a str, value: &'a str) -> FieldAssignment<'a> {
    FieldAssignment { name, value }
}

pub(super) fn edit(context: &WriteContext<'_>, id: &str, fields: &[(&str, &str)]) -> Result<Plan, Refusal> {
    let fields: Vec<FieldAssignment<'_>> = fields.iter().map(|(name, value)| set(name, value)).collect();
    ops::edit::edit(context, &named(context.store, id)[0], &fields)
}

pub(super) fn add(
    context: &WriteContext<'_>,
    kind: &str,
    text: Option<&str>,
    record: Option<&str>,
) -> Result<Plan, Refusal> {
    ops::add::add(context, &RecordDraft { kind, text, record, ..RecordDraft::default() })
}

pub(super) fn tags(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

pub(super) fn event(time: &str, trace: &str) -> String {
    format!(
        "{{\"timestamp\": \"{time}\", \"trace_id\": \"{trace}\", \"status\": \"success\", \
         \"schema_version\": \"1.0\", \"event_type\": \"gateway.tool_call\", \"source\": \"gateway\", \
         \"metadata\": {{\"tool_name\": \"deploy\"}}}}\n"
    )
}

pub(super) const FIX: &str = "---\nid: timeout-fix\ncreated: 2026-01-17T12:00:00Z\nupdated: 2026-01-17T14:30:00Z  # by hand\n\
    tags: [backend, timeout]\nconfidence: high\nsource: agent-learning\nlinked_to: [trace-pattern]\n\
    status: validated\n---\n\n# Timeout fix\n\nWait longer, see [[trace-pattern]].\n";
pub(super) const PATTERN: &str = "---\nid: trace-pattern\ncreated: 2024-01-10T12:00:00Z\nupdated: 2024-01-10T12:00:00Z\n\
    tags: [backend]\nconfidence: low\nstatus: deprecated\n---\n# Traces (DEPRECATED)\n\n\
    **Deprecated**: 2025-01-17\n**Reason**: old\n\nText.\n";
pub(super) const LONE: &str =
    "---\nid: lone\ncreated: 2026-01-01\nupdated: 2026-01-02\ntags:\n  - cold\n---\n# Lone\n";
pub(super) const LINKS: &str = "{\"notes\": [{\"id\": \"timeout-fix\", \"outgoing_links\": [\"trace-pattern\"], \
    \"incoming_links\": [], \"strength\": 0.80}, {\"id\": \"trace-pattern\", \"outgoing_links\": [], \
    \"incoming_links\": [\"timeout-fix\"]}, {\"id\": \"lone\", \"outgoing_links\": [], \"incoming_links\": []}], \
    \"clusters\": [{\"name\": \"troubles\", \"notes\": [\"timeout-fix\"]}]}";
pub(super) const PROFILE: &str = "{\n  \"agent_name\": \"helper\",\n  \"agent_version\": \"1\",\n  \
    \"last_active\": \"2026-01-30T00:00:00Z\",\n  \"session_count\": 3,\n  \"capabilities\": {\n    \
    \"deploys\": {\"skill_level\": \"advanced\", \"successful_operations\": 60}\n  },\n  \
    \"preferences\": {\n    \"verbose\": true,\n    \"tone\": \"plain\"\n  }\n}\n";
pub(super) const TAGS: &str = "{\n  \"tags\": {\n    \"backend\": {\n      \"note_count\": 2,\n      \
    \"notes\": [\"timeout-fix\", \"trace-pattern\"]\n    },\n    \"cold\": {\"note_count\": 1, \"notes\": [\"lone\"]},\n    \
    \"timeout\": {\"note_count\": 1, \"notes\": [\"timeout-fix\"]}\n  }\n}\n";

/// A store with one month that is over and one that is not.
pub(super) fn healthy() -> Site {
    let old = [event("2026-01-17T12:00:00Z", "abc"), event("2026-01-18T12:00:00Z", "def")];
    let new = event("2026-02-10T12:00:00Z", "ghi");
    Site::of(&[
        ("events/2026-01/events.jsonl", &old.concat()),
        ("events/2026-01/traces/abc.jsonl", &old[0]),
        ("events/2026-01/traces/def.jsonl", &old[1]),
        ("events/2026-02/events.jsonl", &new),
        ("events/2026-02/traces/ghi.jsonl", &new),
        ("knowledge/notes/timeout-fix.md", FIX),
        ("knowledge/notes/trace-pattern.md", PATTERN),
        ("knowledge/notes/lone.md", LONE),
        ("knowledge/links.json", LINKS),
        ("knowledge/tags.json", TAGS),
        ("profiles/helper.json", PROFILE),
        ("queries/failures.sql", "SELECT 1;\n"),
    ])
}

pub(super) fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

pub(super) fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}
