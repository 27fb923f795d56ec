//! What the verbs do to `a-mem` stores: the store before, the verb, the store after. Every
//! step is carried out on a real disk, taken back, and done again; `check` finds nothing new.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use palimp::disk::{Real, ThisMachine};
use palimp::format::writing::NO_PACKED;
use palimp::model::{Entry, Extent, Moment, Plan, State, Store};
use palimp::ops::delete::Asked;
use palimp::ops::{self, Draft, Refusal, Scene, Setting};
use palimp::store::commit::{Host, Writer, is_ours};
use palimp::store::{Place, load, packed_bytes};

const NOW: &str = "2026-02-15T12:00:00Z";
const STAMP: &str = "2026-02-15T12:00:00.000000+00:00";

type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// A store in a temporary folder, and our own data beside it.
struct Site {
    folder: tempfile::TempDir,
    now: Moment,
}

impl Site {
    fn of(files: &[(&str, &str)]) -> Site {
        let site = Site::empty();
        for (path, text) in files {
            site.write(path, text.as_bytes());
        }
        site
    }

    fn empty() -> Site {
        let folder = tempfile::Builder::new().prefix("palimp-test-").tempdir().unwrap();
        let site = Site { folder, now: Moment::parse(NOW).unwrap().0 };
        fs::create_dir_all(site.root()).unwrap();
        site
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project/.chora/memory")
    }

    fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.root().join(path)).unwrap_or_else(|_| panic!("{path}"))).unwrap()
    }

    fn has(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    fn load(&self) -> Store {
        let place = Place { root: self.root(), format: "a-mem", session: None };
        load(&place, Extent::Whole, None, self.now)
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        gather(&self.root(), &self.root(), &mut tree);
        tree
    }

    /// Plans something and changes nothing.
    fn plan(&self, verb: impl Fn(&Scene<'_>) -> Result<Plan, Refusal>) -> Result<Plan, Refusal> {
        let store = self.load();
        verb(&self.scene(&store, &NO_PACKED))
    }

    fn scene<'a>(&self, store: &'a Store, packed: &'a BTreeMap<PathBuf, Vec<u8>>) -> Scene<'a> {
        Scene { store, now: self.now, random: [7; 16], packed }
    }

    #[track_caller]
    fn refuses(&self, part: &str, verb: impl Fn(&Scene<'_>) -> Result<Plan, Refusal>) {
        let before = self.tree();
        match self.plan(verb) {
            Ok(plan) => panic!("not refused: {:?}", plan.changes),
            Err(refusal) => assert!(refusal.message.contains(part), "{}", refusal.message),
        }
        assert_eq!(self.tree(), before);
    }

    /// Does something; takes it back and does it again, and looks what `check` says of it.
    #[track_caller]
    fn does(&self, verb: impl Fn(&Scene<'_>) -> Result<Plan, Refusal>) -> Plan {
        let store = self.load();
        let mut packed = BTreeMap::new();
        if let Ok(files) = ops::archive::packed(&store, &store.entries) {
            packed = packed_bytes(&Real, &store, &files).unwrap();
        }
        let plan = match verb(&self.scene(&store, &packed)) {
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
            let plan = ops::reindex::reindex(&self.scene(store, &NO_PACKED)).unwrap();
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

    fn turn(&self, is_undo: bool) {
        self.write_with(&self.load(), |writer| {
            let (plan, turn) = if is_undo { writer.undo(None) } else { writer.redo(None) }.unwrap();
            writer.turn(&plan, turn).unwrap();
        });
    }

    fn write_with(&self, store: &Store, act: impl FnOnce(&Writer<'_>)) {
        let (machine, data) = (ThisMachine::new(), self.folder.path().join("data"));
        let host = Host { disk: &Real, machine: &machine, data: &data, now: self.now };
        act(&Writer::open(host, store).unwrap());
    }
}

fn gather(root: &Path, folder: &Path, tree: &mut Tree) {
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
fn assert_same(now: &Tree, wanted: &Tree) {
    let paths: BTreeSet<&PathBuf> = now.keys().chain(wanted.keys()).collect();
    for path in paths {
        let text = |tree: &Tree| tree.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(text(now), text(wanted), "{}", path.display());
    }
}

fn problems(store: &Store) -> BTreeSet<(String, PathBuf, String)> {
    // A new file of a store without folders of months stands where the others do.
    let told = store
        .problems
        .iter()
        .filter(|own| !["loose-permissions", "unexpected-place"].contains(&own.code.as_str()));
    // What is archived or brought back keeps what is wrong with it.
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

/// The records of that id.
fn named(store: &Store, id: &str) -> Vec<Entry> {
    let is_named = |entry: &&Entry| store.view(entry).is_some_and(|view| view.id.as_deref() == Some(id));
    let found: Vec<Entry> = store.entries.iter().filter(is_named).copied().collect();
    assert!(!found.is_empty(), "{id}");
    found
}

fn of_kind(store: &Store, kind: &str) -> Vec<Entry> {
    store
        .entries
        .iter()
        .filter(|own| store.view(own).is_some_and(|view| view.kind == kind))
        .copied()
        .collect()
}

fn of_file(store: &Store, part: &str) -> Vec<Entry> {
    let is_there = |own: &&Entry| store.document(own).path.to_string_lossy().contains(part);
    store.entries.iter().filter(is_there).copied().collect()
}

fn set<'a>(name: &'a str, value: &'a str) -> Setting<'a> {
    Setting { name, value }
}

fn edit(scene: &Scene<'_>, id: &str, fields: &[(&str, &str)]) -> Result<Plan, Refusal> {
    let fields: Vec<Setting<'_>> = fields.iter().map(|(name, value)| set(name, value)).collect();
    ops::edit::edit(scene, &named(scene.store, id)[0], &fields)
}

fn add(scene: &Scene<'_>, kind: &str, text: Option<&str>, record: Option<&str>) -> Result<Plan, Refusal> {
    ops::add::add(scene, &Draft { kind, text, record, ..Draft::default() })
}

fn tags(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn event(time: &str, trace: &str) -> String {
    format!(
        "{{\"timestamp\": \"{time}\", \"trace_id\": \"{trace}\", \"status\": \"success\", \
         \"schema_version\": \"1.0\", \"event_type\": \"gateway.tool_call\", \"source\": \"gateway\", \
         \"metadata\": {{\"tool_name\": \"deploy\"}}}}\n"
    )
}

const FIX: &str = "---\nid: timeout-fix\ncreated: 2026-01-17T12:00:00Z\nupdated: 2026-01-17T14:30:00Z  # by hand\n\
    tags: [backend, timeout]\nconfidence: high\nsource: agent-learning\nlinked_to: [trace-pattern]\n\
    status: validated\n---\n\n# Timeout fix\n\nWait longer, see [[trace-pattern]].\n";
const PATTERN: &str = "---\nid: trace-pattern\ncreated: 2024-01-10T12:00:00Z\nupdated: 2024-01-10T12:00:00Z\n\
    tags: [backend]\nconfidence: low\nstatus: deprecated\n---\n# Traces (DEPRECATED)\n\n\
    **Deprecated**: 2025-01-17\n**Reason**: old\n\nText.\n";
const LONE: &str = "---\nid: lone\ncreated: 2026-01-01\nupdated: 2026-01-02\ntags:\n  - cold\n---\n# Lone\n";
const LINKS: &str = "{\"notes\": [{\"id\": \"timeout-fix\", \"outgoing_links\": [\"trace-pattern\"], \
    \"incoming_links\": [], \"strength\": 0.80}, {\"id\": \"trace-pattern\", \"outgoing_links\": [], \
    \"incoming_links\": [\"timeout-fix\"]}, {\"id\": \"lone\", \"outgoing_links\": [], \"incoming_links\": []}], \
    \"clusters\": [{\"name\": \"troubles\", \"notes\": [\"timeout-fix\"]}]}";
const PROFILE: &str = "{\n  \"agent_name\": \"helper\",\n  \"agent_version\": \"1\",\n  \
    \"last_active\": \"2026-01-30T00:00:00Z\",\n  \"session_count\": 3,\n  \"capabilities\": {\n    \
    \"deploys\": {\"skill_level\": \"advanced\", \"successful_operations\": 60}\n  },\n  \
    \"preferences\": {\n    \"verbose\": true,\n    \"tone\": \"plain\"\n  }\n}\n";
const TAGS: &str = "{\n  \"tags\": {\n    \"backend\": {\n      \"note_count\": 2,\n      \
    \"notes\": [\"timeout-fix\", \"trace-pattern\"]\n    },\n    \"cold\": {\"note_count\": 1, \"notes\": [\"lone\"]},\n    \
    \"timeout\": {\"note_count\": 1, \"notes\": [\"timeout-fix\"]}\n  }\n}\n";

/// A store with a month that is over, and one that is not.
fn healthy() -> Site {
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

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
fn an_event_is_added_to_its_log_and_to_its_trace() {
    let site = healthy();
    let log = site.read("events/2026-02/events.jsonl");
    let record = r#"{"event_type": "gateway.tool_call", "status": "failure", "source": "me", "trace_id": "ghi",
        "metadata": {"tool_name": "deploy"}}"#;
    let plan = site.does(|scene| add(scene, "event", Some("no \"route\""), Some(record)));
    assert_eq!((plan.records, plan.changes.len(), plan.derived.len()), (1, 2, 0));
    let line = format!(
        "{{\"timestamp\": \"{STAMP}\", \"trace_id\": \"ghi\", \"status\": \"failure\", \"schema_version\": \"1.0\", \
         \"event_type\": \"gateway.tool_call\", \"source\": \"me\", \"metadata\": {{\"tool_name\": \"deploy\",\"error\": \"no \\\"route\\\"\"}}}}\n"
    );
    assert_eq!(site.read("events/2026-02/events.jsonl"), log.clone() + &line);
    assert_eq!(site.read("events/2026-02/traces/ghi.jsonl"), log + &line);
    let store = site.load();
    let own = of_file(&store, "2026-02").into_iter().next_back().unwrap();
    assert_eq!(palimp::format::text_of(&store, &own).text, "gateway.tool_call failure · no \"route\"");
}

#[test]
fn an_event_that_is_a_text_alone_gets_the_rest() {
    let site = Site::of(&[("knowledge/notes/lone.md", LONE)]);
    site.does(|scene| add(scene, "event", Some("lunch"), None));
    let store = site.load();
    let own = of_kind(&store, "event")[0];
    assert_eq!(palimp::format::text_of(&store, &own).text, "user.noted success · lunch");
    assert_eq!(store.entries.len(), 2);
    site.does(|scene| {
        add(
            scene,
            "event",
            Some("then"),
            Some(r#"{"timestamp": "2025-12-31T10:00:00+01:00", "trace_id": "t"}"#),
        )
    });
    let earlier = site.read("events/2025-12/traces/t.jsonl");
    assert!(earlier.starts_with("{\"timestamp\": \"2025-12-31T09:00:00.000000+00:00\""), "{earlier}");
}

#[test]
fn events_that_break_the_schema_are_refused() {
    let site = healthy();
    for (record, part) in [
        (r#"{"status": "odd"}"#, "one of success, failure, pending, timeout"),
        (r#"{"trace_id": "../x"}"#, "no separators"),
        (r#"{"trace_id": 7}"#, "`trace_id` has to be a text"),
        (r#"{"metadata": []}"#, "JSON object"),
        (r#"{"actor": "me"}"#, "no member \"actor\""),
        (r#"{"timestamp": "2026-01-01"}"#, "with a zone"),
        (r#"{"timestamp": "2027-01-01T00:00:00Z"}"#, "in the future"),
    ] {
        site.refuses(part, |scene| add(scene, "event", None, Some(record)));
    }
    let both = Some(r#"{"metadata": {"error": "x"}}"#);
    site.refuses("leave out the text", |scene| add(scene, "event", Some("y"), both));
    site.refuses("neither tags nor importance", |scene| {
        ops::add::add(
            scene,
            &Draft { kind: "event", text: Some("x"), importance: Some(1.0), ..Draft::default() },
        )
    });
    site.refuses("event, note or profile", |scene| add(scene, "query", Some("x"), None));
}

#[test]
fn the_event_log_is_append_only() {
    let site = healthy();
    let first = |scene: &Scene<'_>| of_kind(scene.store, "event")[0];
    site.refuses("append-only", |scene| ops::edit::edit(scene, &first(scene), &[set("status", "failure")]));
    site.refuses("append-only", |scene| ops::tag::tag(scene, &[first(scene)], &tags(&["x"]), &[]));
    site.refuses("append-only", |scene| ops::delete::delete(scene, &[first(scene)], Asked::default()));
    let remove = Asked { remove: true, ..Asked::default() };
    site.refuses("append-only", |scene| ops::delete::delete(scene, &[first(scene)], remove));
    site.refuses("only notes have an importance", |scene| ops::tag::importance(scene, &first(scene), 0.9));
    site.refuses("nothing is ever dropped", |scene| ops::compact::compact(scene, None));
}

#[test]
fn a_note_is_added_with_an_id_from_its_title() {
    let site = healthy();
    let text = "# Größe of the Cache!\n\nSee [[lone]].\n";
    let words = tags(&["Cache Keys", "cold"]);
    site.does(|scene| {
        let draft =
            Draft { kind: "note", text: Some(text), tags: &words, importance: Some(0.8), ..Draft::default() };
        ops::add::add(scene, &draft)
    });
    let note = site.read("knowledge/notes/grosse-of-the-cache.md");
    assert_eq!(
        note,
        format!(
            "---\nid: grosse-of-the-cache\ncreated: {STAMP}\nupdated: {STAMP}\ntags: [cache-keys, cold]\n\
             confidence: high\nsource: human-curated\nlinked_to: [lone]\n---\n\n# Größe of the Cache!\n\nSee [[lone]].\n"
        )
    );
    assert!(site.read("knowledge/tags.json").contains("cache-keys"));
    assert!(site.read("knowledge/links.json").contains("\"strength\": 0.80"));
    // The same title once more, and a text that is no heading.
    site.does(|scene| add(scene, "note", Some(text), None));
    assert!(site.has("knowledge/notes/grosse-of-the-cache-2.md"));
    site.does(|scene| add(scene, "note", Some("接続"), None));
    assert!(site.read("knowledge/notes/note.md").ends_with("---\n\n# 接続\n"));
}

#[test]
fn a_notes_record_gives_its_fields() {
    let site = Site::of(&[("knowledge/notes/lone.md", LONE)]);
    let record = r#"{"id": "given", "title": "Given", "confidence": "low", "source": "research", "tags": ["a"],
        "author": "me", "related_notes": ["lone"], "status": "draft"}"#;
    site.does(|scene| add(scene, "note", Some("Body."), Some(record)));
    assert_eq!(
        site.read("knowledge/notes/given.md"),
        format!(
            "---\nid: given\ncreated: {STAMP}\nupdated: {STAMP}\ntags: [a]\nconfidence: low\nsource: research\n\
             linked_to: []\nauthor: me\nrelated_notes: [lone]\nstatus: draft\n---\n\n# Given\n\nBody.\n"
        )
    );
    assert!(site.has("knowledge/tags.json") && site.has("knowledge/links.json"));
    site.refuses("is there already", |scene| add(scene, "note", Some("x"), Some(r#"{"id": "lone"}"#)));
    site.refuses("hyphens", |scene| add(scene, "note", Some("x"), Some(r#"{"id": "../lone"}"#)));
    site.refuses("should be one of", |scene| add(scene, "note", Some("x"), Some(r#"{"status": "odd"}"#)));
    site.refuses("can't be \"odd\"", |scene| add(scene, "note", Some("x"), Some(r#"{"confidence": "odd"}"#)));
    site.refuses("needs a text", |scene| add(scene, "note", None, Some("{}")));
}

#[test]
fn a_notes_fields_are_edited_one_by_one() {
    let site = healthy();
    let plan = site.does(|scene| {
        edit(scene, "timeout-fix", &[("tags", r#"["backend", "slow"]"#), ("confidence", "medium")])
    });
    assert_eq!((plan.changes.len(), plan.derived.len()), (1, 1));
    let wanted = FIX
        .replace("[backend, timeout]", "[backend, slow]")
        .replace("confidence: high", "confidence: medium")
        .replace("2026-01-17T14:30:00Z  # by hand", "2026-02-15T12:00:00Z  # by hand");
    assert_eq!(site.read("knowledge/notes/timeout-fix.md"), wanted);
    assert!(site.read("knowledge/tags.json").contains("slow"));
    assert_eq!(site.read("knowledge/links.json"), LINKS);
    // Nothing new to say: nothing is written, the time included.
    let same = site.plan(|scene| edit(scene, "timeout-fix", &[("confidence", "medium")])).unwrap();
    assert!(same.is_empty());
    site.does(|scene| edit(scene, "lone", &[("text", "# Lone\n\nSee [[timeout-fix]].")]));
    let lone = site.read("knowledge/notes/lone.md");
    assert_eq!(lone, LONE.replace("2026-01-02", "2026-02-15") + "\nSee [[timeout-fix]].\n");
    site.does(|scene| edit(scene, "lone", &[("linked_to", "timeout-fix, trace-pattern"), ("author", "me")]));
    assert!(
        site.read("knowledge/notes/lone.md")
            .contains("linked_to: [timeout-fix, trace-pattern]\nauthor: me\n")
    );
    site.does(|scene| edit(scene, "lone", &[("id", "alone")]));
    assert!(site.read("knowledge/notes/lone.md").contains("id: alone\n"));
}

#[test]
fn times_of_notes_keep_their_spelling() {
    for (found, wanted) in [
        ("2026-01-02", "2026-02-15"),
        ("2026-01-02T03:04:05Z", "2026-02-15T12:00:00Z"),
        ("2026-01-02T03:04:05.123Z", "2026-02-15T12:00:00.000Z"),
        ("2026-01-02T03:04:05.123456+00:00", "2026-02-15T12:00:00.000000+00:00"),
        ("2026-01-02T03:04:05-05:30", "2026-02-15T06:30:00-05:30"),
        ("2026-01-02 03:04:05", "2026-02-15 12:00:00"),
    ] {
        let site = Site::of(&[("knowledge/notes/lone.md", &LONE.replace("2026-01-02", found))]);
        site.does(|scene| edit(scene, "lone", &[("author", "me")]));
        let note = site.read("knowledge/notes/lone.md");
        assert!(note.contains(&format!("updated: {wanted}\n")), "{note}");
    }
}

#[test]
fn edits_that_break_a_note_are_refused() {
    let site = healthy();
    for (name, value, part) in [
        ("confidence", "certain", "one of low, medium, high"),
        ("status", "done", "one of draft, validated, deprecated"),
        ("id", "lone", "is there already"),
        ("id", "Not Kebab", "hyphens"),
        ("created", "yesterday", "no ISO 8601"),
        ("tags", "[1]", "no list of texts"),
        ("a b", "x", "name of a field"),
    ] {
        site.refuses(part, |scene| edit(scene, "timeout-fix", &[(name, value)]));
    }
    let broken = FIX.replace("tags: [backend, timeout]", "tags: [backend, timeout");
    let site = Site::of(&[("knowledge/notes/timeout-fix.md", &broken)]);
    site.refuses("has to be repaired first", |scene| edit(scene, "timeout-fix", &[("status", "draft")]));
}

#[test]
fn tags_and_importance_of_notes_are_set() {
    let site = healthy();
    site.does(|scene| {
        let own = named(scene.store, "timeout-fix");
        ops::tag::tag(scene, &own, &tags(&["Slow Start", "backend"]), &tags(&["timeout"]))
    });
    assert!(site.read("knowledge/notes/timeout-fix.md").contains("tags: [backend, slow-start]\n"));
    site.does(|scene| ops::tag::tag(scene, &named(scene.store, "lone"), &tags(&["hot"]), &[]));
    assert!(site.read("knowledge/notes/lone.md").contains("tags:\n  - cold\n  - hot\n"));
    for (value, word) in [(0.75, "high"), (0.74, "medium"), (0.45, "medium"), (0.44, "low")] {
        site.does(|scene| {
            // Each differs from the one before, so that there is a step to take back.
            let other = if word == "low" { "high" } else { "low" };
            edit(scene, "lone", &[("confidence", other)])
        });
        site.does(|scene| ops::tag::importance(scene, &named(scene.store, "lone")[0], value));
        assert!(site.read("knowledge/notes/lone.md").contains(&format!("confidence: {word}\n")));
    }
    let profile = |scene: &Scene<'_>| named(scene.store, "helper")[0];
    site.refuses("only notes have tags", |scene| ops::tag::tag(scene, &[profile(scene)], &tags(&["x"]), &[]));
    site.refuses("only notes", |scene| ops::tag::importance(scene, &profile(scene), 0.5));
}

#[test]
fn a_deleted_note_is_deprecated_and_comes_back() {
    let site = healthy();
    let asked = Asked { reason: Some("superseded"), replaced_by: Some("lone"), remove: false };
    site.does(|scene| ops::delete::delete(scene, &named(scene.store, "timeout-fix"), asked));
    let note = site.read("knowledge/notes/timeout-fix.md");
    for part in [
        "status: deprecated\n",
        "# Timeout fix (DEPRECATED)\n",
        "**Deprecated**: 2026-02-15\n**Reason**: superseded\n**Replacement**: [[lone]]\n",
        "Wait longer",
    ] {
        assert!(note.contains(part), "{part} {note}");
    }
    let again = |scene: &Scene<'_>| ops::delete::delete(scene, &named(scene.store, "timeout-fix"), asked);
    site.refuses("deprecated already", again);
    site.does(|scene| {
        ops::delete::undelete(scene, &named(scene.store, "timeout-fix"), &palimp::ops::erase::Gone::default())
    });
    let back = site.read("knowledge/notes/timeout-fix.md");
    assert_eq!(without_time(&back), without_time(FIX));
    site.refuses("none of these is a deprecated note", |scene| {
        ops::delete::undelete(scene, &named(scene.store, "timeout-fix"), &palimp::ops::erase::Gone::default())
    });
    for (by, part) in [("timeout-fix", "is deleted itself"), ("nobody", "no note of this store")] {
        let asked = Asked { replaced_by: Some(by), ..Asked::default() };
        site.refuses(part, |scene| ops::delete::delete(scene, &named(scene.store, "timeout-fix"), asked));
    }
}

fn without_time(note: &str) -> String {
    note.lines().filter(|line| !line.starts_with("updated:")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_is_removed_is_gone_from_the_indexes_too() {
    let site = healthy();
    let remove = Asked { remove: true, ..Asked::default() };
    site.does(|scene| ops::delete::delete(scene, &named(scene.store, "lone"), remove));
    assert!(!site.has("knowledge/notes/lone.md"));
    assert!(
        !site.read("knowledge/tags.json").contains("lone")
            && !site.read("knowledge/links.json").contains("lone")
    );
    site.does(|scene| ops::delete::delete(scene, &named(scene.store, "helper"), Asked::default()));
    assert!(!site.has("profiles/helper.json"));
    site.does(|scene| ops::delete::delete(scene, &named(scene.store, "failures"), Asked::default()));
    assert!(!site.has("queries/failures.sql"));
}

#[test]
fn profiles_are_added_and_edited() {
    let site = healthy();
    site.does(|scene| edit(scene, "helper", &[("preferences.verbose", "false"), ("preferences.tone", "42")]));
    let wanted = PROFILE
        .replace("true", "false")
        .replace("\"plain\"", "\"42\"")
        .replace("2026-01-30T00:00:00Z", STAMP);
    assert_eq!(site.read("profiles/helper.json"), wanted);
    site.does(|scene| {
        let fields = [
            ("preferences.size", "12"),
            ("preferences.name", "a b"),
            ("session_count", "4"),
            ("capabilities.deploys.skill_level", "expert"),
            ("capabilities.builds.skill_level", "novice"),
        ];
        edit(scene, "helper", &fields)
    });
    let profile: serde_json::Value = serde_json::from_str(&site.read("profiles/helper.json")).unwrap();
    assert_eq!(profile["preferences"]["size"], 12);
    assert_eq!(profile["preferences"]["name"], "a b");
    assert_eq!(profile["capabilities"]["deploys"]["skill_level"], "expert");
    assert_eq!(profile["capabilities"]["builds"]["skill_level"], "novice");
    assert_eq!(profile["session_count"], 4);
    let bad = |name: &'static str, value: &'static str| {
        move |scene: &Scene<'_>| edit(scene, "helper", &[(name, value)])
    };
    site.refuses("one of novice", bad("capabilities.deploys.skill_level", "god"));
    site.refuses("should be 0 or more", bad("session_count", "-1"));
    site.refuses("is no JSON", bad("session_count", "many"));
    site.refuses("a profile has no text", bad("text", "x"));
    site.does(|scene| {
        add(scene, "profile", None, Some(r#"{"agent_name": "other", "preferences": {"a": 1}}"#))
    });
    let other = "{\n  \"agent_name\": \"other\",\n  \"agent_version\": \"unknown\",\n  \"last_active\": \"2026-02-15T12:00:00.000000+00:00\",\n  \"session_count\": 0,\n  \"preferences\": {\"a\": 1}\n}\n";
    assert_eq!(site.read("profiles/other.json"), other);
    site.refuses("there already", |scene| add(scene, "profile", Some("other"), None));
    site.refuses("names a file", |scene| add(scene, "profile", Some("a/b"), None));
    site.does(|scene| edit(scene, "failures", &[("text", "SELECT 2;")]));
    assert_eq!(site.read("queries/failures.sql"), "SELECT 2;\n");
}

#[test]
fn a_month_is_compressed_whole_and_comes_back_byte_for_byte() {
    let site = healthy();
    let before = site.tree();
    // One event of it is named, and its torn line and what others keep there go along.
    let log = site.read("events/2026-01/events.jsonl") + "{\"timestamp\": \"2026-01-";
    site.write("events/2026-01/events.jsonl", log.as_bytes());
    let plan = site.does(|scene| ops::archive::archive(scene, &of_file(scene.store, "2026-01")[..1]));
    assert_eq!(plan.records, 2);
    assert_eq!(gunzip(&fs::read(site.root().join("events/2026-01/events.jsonl.gz")).unwrap()), log);
    assert!(!site.has("events/2026-01/events.jsonl") && !site.has("events/2026-01/traces/abc.jsonl"));
    let told = site.read("events/2026-02/events.jsonl");
    let told = told.lines().last().unwrap();
    assert!(told.contains("memory.events_archived") && told.contains("\"months\": [\"2026-01\"]"), "{told}");
    assert!(told.contains("\"files\": 3, \"events\": 3"), "{told}");
    let archived = site.load();
    assert_eq!(archived.count(State::Archived), 2);
    site.refuses("unarchive it first", |scene| {
        ops::edit::edit(scene, &of_file(scene.store, "2026-01")[0], &[set("status", "failure")])
    });
    site.refuses("was not read whole", |scene| {
        ops::archive::unarchive(scene, &of_file(scene.store, "2026-01")[..1])
    });
    site.does(|scene| ops::archive::unarchive(scene, &of_file(scene.store, "2026-01")[..1]));
    let mut wanted = before;
    wanted.insert("events/2026-01/events.jsonl".into(), log.into_bytes());
    let is_old = |path: &PathBuf| path.starts_with("events/2026-01") || !path.starts_with("events");
    let mut now = site.tree();
    now.retain(|path, _| is_old(path));
    wanted.retain(|path, _| is_old(path));
    assert_same(&now, &wanted);
    assert!(site.read("events/2026-02/events.jsonl").contains("memory.events_unarchived"));
}

#[test]
fn what_is_added_to_a_compressed_month_comes_back_behind_it() {
    let site = healthy();
    let (old, late) = (event("2026-01-02T00:00:00Z", "old"), event("2026-01-30T00:00:00Z", "late"));
    let log = site.read("events/2026-01/events.jsonl");
    site.write("events/2026-01/events.jsonl.gz", &gzip(old.trim_end()));
    site.does(|scene| ops::archive::archive(scene, &of_file(scene.store, "2026-01/events.jsonl")));
    let packed = fs::read(site.root().join("events/2026-01/events.jsonl.gz")).unwrap();
    assert_eq!(gunzip(&packed), format!("{old}{log}"));
    site.write("events/2026-01/events.jsonl", late.as_bytes());
    site.does(|scene| ops::archive::unarchive(scene, &of_file(scene.store, "2026-01/events.jsonl.gz")));
    assert_eq!(site.read("events/2026-01/events.jsonl"), format!("{old}{log}{late}"));
    // A month that is not over, compressed by others: the event that tells of it joins it.
    let site = Site::of(&[("events/2026-01/events.jsonl", &log)]);
    site.write("events/2026-02/events.jsonl.gz", &gzip(&old));
    site.does(|scene| ops::archive::unarchive(scene, &of_file(scene.store, "2026-02")));
    let back = site.read("events/2026-02/events.jsonl");
    assert!(back.starts_with(&old) && back.contains("memory.events_unarchived"), "{back}");
}

#[test]
fn logs_directly_below_events_are_months_too() {
    let old = event("2026-01-17T12:00:00Z", "abc");
    let site = Site::of(&[
        ("events/2026-01.jsonl", &old),
        ("events/2026-02.jsonl", &event("2026-02-01T00:00:00Z", "b")),
        ("events/script-usage.jsonl", &event("2026-01-05T00:00:00Z", "c")),
        ("traces/abc.jsonl", &old),
    ]);
    site.does(|scene| ops::archive::archive(scene, &of_file(scene.store, "2026-01")));
    assert!(site.has("events/2026-01.jsonl.gz") && site.has("traces/abc.jsonl"));
    assert!(site.read("events/2026-02.jsonl").contains("\"months\": [\"2026-01\"]"));
    assert_eq!(site.load().entries.len(), 4);
    site.refuses("is no month's log", |scene| {
        ops::archive::archive(scene, &of_file(scene.store, "script-usage"))
    });
    site.does(|scene| ops::archive::unarchive(scene, &of_file(scene.store, "2026-01")));
    assert_eq!(site.read("events/2026-01.jsonl"), old);
}

#[test]
fn only_what_is_over_is_archived() {
    let site = healthy();
    site.refuses("month that is over", |scene| {
        ops::archive::archive(scene, &of_file(scene.store, "2026-02"))
    });
    site.refuses("only deprecated notes", |scene| ops::archive::archive(scene, &named(scene.store, "lone")));
    site.refuses("only months", |scene| ops::archive::archive(scene, &named(scene.store, "helper")));
    site.does(|scene| ops::delete::delete(scene, &named(scene.store, "lone"), Asked::default()));
    site.refuses("\"lone\" may go on 2027-02-15", |scene| {
        ops::archive::archive(scene, &named(scene.store, "lone"))
    });
    let torn = healthy();
    let packed = gzip(&event("2026-01-02T00:00:00Z", "old"));
    torn.write("events/2026-01/events.jsonl.gz", &packed[..packed.len() - 9]);
    torn.refuses("can't be unpacked to its end", |scene| {
        ops::archive::archive(scene, &of_file(scene.store, "2026-01/events.jsonl"))
    });
    let twice = Site::of(&[("knowledge/notes/lone.md", LONE)]);
    twice.write("events/2026-01/events.jsonl.gz", &gzip(&event("2026-01-02T00:00:00Z", "old")));
    twice.write("archive/events/2026-01/events.jsonl", event("2026-01-03T00:00:00Z", "old").as_bytes());
    let store = twice.load();
    let packed = packed_bytes(&Real, &store, &ops::archive::packed(&store, &store.entries).unwrap()).unwrap();
    let refusal = ops::archive::unarchive(&twice.scene(&store, &packed), &store.entries).unwrap_err();
    assert!(refusal.message.contains("two archived files"), "{}", refusal.message);
    torn.refuses("can't be unpacked to its end", |scene| {
        let all: Vec<Entry> = scene.store.entries.clone();
        ops::archive::unarchive(scene, &all)
    });
}

#[test]
fn a_note_that_was_deprecated_a_year_ago_is_moved_and_comes_back() {
    let site = healthy();
    let before = site.tree();
    let plan = site.does(|scene| ops::archive::archive(scene, &named(scene.store, "trace-pattern")));
    assert!(plan.derived.iter().all(|change| change.is_empty()));
    assert_eq!(site.read("archive/knowledge/notes/trace-pattern.md"), PATTERN);
    let store = site.load();
    assert_eq!(named(&store, "trace-pattern")[0].state, State::Archived);
    site.refuses("unarchive it first", |scene| {
        ops::delete::undelete(
            scene,
            &named(scene.store, "trace-pattern"),
            &palimp::ops::erase::Gone::default(),
        )
    });
    site.does(|scene| ops::archive::unarchive(scene, &named(scene.store, "trace-pattern")));
    assert_same(&site.tree(), &before);
}

#[test]
fn an_empty_store_is_made() {
    let site = Site::empty();
    fs::remove_dir_all(site.root()).unwrap();
    let plan = ops::init::init("a-mem", &site.root(), site.now).unwrap();
    let paths: Vec<&str> = plan.changes.iter().filter_map(|change| change.path.to_str()).collect();
    let wanted = [
        "README.md",
        "events",
        "knowledge/notes",
        "knowledge/tags.json",
        "knowledge/links.json",
        "profiles",
        "queries",
    ];
    assert_eq!(paths, wanted);
    fs::create_dir_all(site.root()).unwrap();
    site.write_with(&site.load(), |writer| drop(writer.commit(&plan).unwrap()));
    assert!(site.root().join("knowledge/notes").is_dir() && site.root().join("queries").is_dir());
    assert_eq!(problems(&site.load()), BTreeSet::new());
    site.does(|scene| add(scene, "note", Some("First"), None));
    assert!(site.read("knowledge/tags.json").contains("tags"));
}

#[test]
fn indexes_that_are_right_keep_their_bytes() {
    let site = healthy();
    let odd = LINKS.replace("{\"id\": \"lone\"", "{   \"id\":\"lone\"");
    site.write("knowledge/links.json", odd.as_bytes());
    site.does(|scene| edit(scene, "timeout-fix", &[("confidence", "low")]));
    assert_eq!(site.read("knowledge/links.json"), odd);
    assert_eq!(site.read("knowledge/tags.json"), TAGS);
}

/// A copy of a store that others wrote, if it is there.
fn real(name: &str) -> Option<Site> {
    let from =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/a-mem").join(name).join(".chora/memory");
    if !from.is_dir() {
        eprintln!("skipped: {} is not there", from.display());
        return None;
    }
    let site = Site::empty();
    let mut tree = Tree::new();
    gather(&from, &from, &mut tree);
    tree.iter().for_each(|(path, bytes)| site.write(path, bytes));
    Some(site)
}

#[test]
fn stores_of_others_are_written_by_their_own_customs() {
    let Some(site) = real("own-writer") else { return };
    site.does(|scene| add(scene, "event", Some("hello"), Some(r#"{"trace_id": "t"}"#)));
    assert!(site.has("events/2026-02/traces/t.jsonl"));
    let plan = site.does(|scene| edit(scene, "backend-pattern-21", &[("confidence", "high")]));
    let changed: Vec<usize> = plan.derived.iter().filter(|own| !own.is_empty()).map(|_| 1).collect();
    assert_eq!(changed.len(), 0, "{:?}", plan.derived);
    site.does(|scene| ops::tag::tag(scene, &named(scene.store, "backend-pattern-21"), &tags(&["new"]), &[]));
    site.does(|scene| {
        ops::delete::delete(scene, &named(scene.store, "backend-pattern-21"), Asked::default())
    });
    site.does(|scene| {
        ops::delete::undelete(
            scene,
            &named(scene.store, "backend-pattern-21"),
            &palimp::ops::erase::Gone::default(),
        )
    });
    let log = site.read("events/2025-08/events.jsonl");
    site.does(|scene| ops::archive::archive(scene, &of_file(scene.store, "2025-08")[..1]));
    assert_eq!(gunzip(&fs::read(site.root().join("events/2025-08/events.jsonl.gz")).unwrap()), log);
    site.does(|scene| ops::archive::unarchive(scene, &of_file(scene.store, "2025-08")));
    assert_eq!(site.read("events/2025-08/events.jsonl"), log);
    site.does(|scene| edit(scene, "claude-code", &[("preferences.x", "1")]));
}

#[test]
fn stores_in_the_wild_can_be_written_too() {
    let Some(site) = real("in-the-wild") else { return };
    site.does(|scene| add(scene, "event", Some("hello"), None));
    site.does(|scene| add(scene, "note", Some("# New\n\nText.\n"), None));
    assert!(site.has("knowledge/new.md"));
    let notes = of_kind(&site.load(), "note").len();
    for at in 0..notes {
        let own = |scene: &Scene<'_>| of_kind(scene.store, "note")[at];
        let is_fit = site.plan(|scene| ops::edit::edit(scene, &own(scene), &[set("confidence", "high")]));
        match is_fit {
            Ok(plan) if plan.is_empty() => {}
            Ok(_) => {
                drop(site.does(|scene| ops::edit::edit(scene, &own(scene), &[set("confidence", "high")])))
            }
            Err(refusal) => assert!(!refusal.message.is_empty()),
        }
    }
    site.does(|scene| ops::archive::archive(scene, &of_file(scene.store, "events/2025-11.jsonl")[..1]));
    site.does(|scene| ops::archive::unarchive(scene, &of_file(scene.store, "events/2025-11.jsonl.gz")));
}
