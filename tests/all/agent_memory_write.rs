//! What palimp writes into `agent-memory` stores, on a real disk: each verb from a plan to
//! its files, and back; what the format's own tool validates is told anew here.

mod recall;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::agent_memory::{AgentMemoryBuilder, PROJECTIONS, gotcha, hash};
use palimp::disk::faulty::{Fault, Faulty, Op};
use palimp::disk::{Real, ThisMachine};
use palimp::model::{Entry, Extent, Moment, Plan, Store};
use palimp::ops::{self, Draft, Refusal, Scene, Setting};
use palimp::store::commit::{CommitError, Host, Receipt, Writer, is_ours};

use palimp::store::{Place, load, load_from};
use serde_json::{Value, json};

const NOW: &str = "2026-02-01T12:00:00Z";
const LATER: &str = "2026-12-01T08:00:00.120Z";

/// A repository with a store in it, and palimp's own data beside it.
struct Repository {
    folder: tempfile::TempDir,
    now: Moment,
}

/// Every file of the repository with its mode; palimp's own aside.
type Shelf = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Repository {
    fn of(builder: &AgentMemoryBuilder) -> Repository {
        let own = Repository { folder: tempfile::tempdir().unwrap(), now: moment(NOW) };
        for (path, bytes) in &builder.files().0 {
            let path = match path.strip_prefix("..") {
                Ok(beside) => own.path(beside),
                Err(_) => own.root().join(path),
            };
            own.put(&path, bytes);
        }
        own
    }

    /// A copy of a store that the format's own tool made, if it is there.
    fn real(name: &str) -> Option<Repository> {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/agent-memory").join(name);
        if !from.exists() {
            eprintln!("skipped: {} is not there", from.display());
            return None;
        }
        let own = Repository { folder: tempfile::tempdir().unwrap(), now: moment(LATER) };
        for (path, (_, bytes)) in shelf(&from) {
            own.put(&own.path(&path), &bytes);
        }
        Some(own)
    }

    fn put(&self, path: &Path, bytes: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join("repository").join(path)
    }

    fn root(&self) -> PathBuf {
        self.path(".agent-memory")
    }

    fn shelf(&self) -> Shelf {
        shelf(&self.path(""))
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.root().join(path)).unwrap()).unwrap()
    }

    fn events(&self) -> Vec<Value> {
        let text = self.text(".agent-memory/history/events.jsonl");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn store(&self) -> Store {
        let place = Place { root: self.root(), format: "agent-memory", session: None };
        load(&place, Extent::Whole, None, self.now)
    }

    /// What is wrong, modes aside: copies in a test have those that the umask gives.
    fn problems(&self) -> Vec<String> {
        let store = self.store();
        let own = store.problems.iter().filter(|own| own.code.as_str() != "loose-permissions");
        own.map(|own| format!("{} {} {}", own.code.as_str(), own.file.display(), own.message)).collect()
    }

    fn planned(
        &self,
        store: &Store,
        plan: impl FnOnce(&Scene<'_>) -> Result<Plan, Refusal>,
    ) -> Result<Plan, Refusal> {
        plan(&Scene { store, now: self.now, random: [7; 16], packed: &palimp::format::writing::NO_PACKED })
    }

    /// Plans on the store and carries it out.
    fn done(&self, plan: impl FnOnce(&Scene<'_>) -> Result<Plan, Refusal>) -> (Plan, Receipt) {
        let store = self.store();
        let plan = self.planned(&store, plan).unwrap();
        let receipt = self.commit(&store, &plan).unwrap();
        (plan, receipt)
    }

    fn commit(&self, store: &Store, plan: &Plan) -> Result<Receipt, CommitError> {
        self.with_writer(store, |writer| writer.commit(plan))
    }

    fn with_writer<T>(
        &self,
        store: &Store,
        act: impl FnOnce(&Writer<'_>) -> Result<T, CommitError>,
    ) -> Result<T, CommitError> {
        let machine = ThisMachine::new();
        let data = self.folder.path().join("data");
        let host = Host { disk: &Real, machine: &machine, data: &data, now: self.now };
        act(&Writer::open(host, store)?)
    }

    fn undo(&self) -> Result<Receipt, CommitError> {
        self.with_writer(&self.store(), |writer| {
            let (plan, turn) = writer.undo(None)?;
            writer.turn(&plan, turn)
        })
    }

    fn redo(&self) -> Result<Receipt, CommitError> {
        self.with_writer(&self.store(), |writer| {
            let (plan, turn) = writer.redo(None)?;
            writer.turn(&plan, turn)
        })
    }

    /// Undoes and does again, and everything is as it was, byte for byte.
    fn goes_back_and_forth(&self, before: &Shelf) {
        let after = self.shelf();
        let problems = self.problems();
        self.undo().unwrap();
        assert_same(&self.shelf(), before);
        self.redo().unwrap();
        assert_same(&self.shelf(), &after);
        assert_eq!(self.problems(), problems);
        self.undo().unwrap();
        assert_same(&self.shelf(), before);
    }

    /// What the format's own validation would refuse.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut expect = |holds: bool, what: String| faults.extend((!holds).then_some(what));
        let state = self.json("state.json");
        let own = hash(&state["bundle"]);
        expect(state["bundleHash"] == own.as_str(), "hash of the state".into());
        let events = self.events();
        let number = |event: &Value| -> u64 {
            event["id"].as_str().unwrap().strip_prefix("evt-").unwrap().parse().unwrap()
        };
        expect(events.windows(2).all(|two| number(&two[0]) < number(&two[1])), "events rise".into());
        let gaps = events.windows(2).any(|two| number(&two[0]) + 1 != number(&two[1]));
        let retention = self.json("config.json")["retention"]["enabled"] == json!(true);
        expect(retention || !gaps, "gaps without retention".into());
        let maintenance = &state["maintenance"];
        expect(maintenance["historyEventCount"] == events.len(), "count of events".into());
        let sources = self.json("sources.json");
        expect(maintenance["importSourceCount"] == sources.as_array().unwrap().len(), "sources".into());
        let latest =
            format!("history/checkpoints/{}.json", maintenance["latestCheckpointId"].as_str().unwrap());
        expect(self.json(&latest)["bundle"] == state["bundle"], "the latest checkpoint drifts".into());
        for (path, (_, bytes)) in self.shelf() {
            if path.parent().is_some_and(|folder| folder.ends_with("checkpoints")) {
                let checkpoint: Value = serde_json::from_slice(&bytes).unwrap();
                let named = path.file_stem().unwrap().to_str() == checkpoint["id"].as_str();
                let whole = checkpoint["bundleHash"] == hash(&checkpoint["bundle"]);
                expect(named && whole, format!("{}", path.display()));
            }
        }
        for (word, name) in PROJECTIONS {
            let wanted = format!("<!-- agent-memory:projection file={word} version=3 bundleHash={own} -->\n");
            let text = self.text(&format!("docs/agent-memory/{name}"));
            expect(text.starts_with(&wanted), format!("marker of {name}"));
        }
        let entry = state["bundle"]["project"]["recommendedEntryFile"].as_str().unwrap();
        let wanted = format!("<!-- agent-memory:entry version=3 bundleHash={own} start -->\n");
        expect(self.text(entry).contains(&wanted), "entry block".into());
        faults
    }

    /// After a change: the tool's validation passes, and check finds nothing new.
    fn assert_sound(&self, problems_before: &[String]) {
        assert_eq!(self.faults(), [] as [String; 0]);
        let new: Vec<String> =
            self.problems().into_iter().filter(|own| !problems_before.contains(own)).collect();
        assert_eq!(new, [] as [String; 0]);
    }
}

fn shelf(folder: &Path) -> Shelf {
    let mut found = Shelf::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(own) = folders.pop() {
        for item in fs::read_dir(&own).unwrap() {
            let path = item.unwrap().path();
            let is_ours = is_ours(path.file_name().unwrap());
            match path.is_dir() {
                true => folders.push(path),
                false if is_ours => {}
                false => {
                    let mode = fs::metadata(&path).unwrap().permissions().mode();
                    let bytes = fs::read(&path).unwrap();
                    found.insert(path.strip_prefix(folder).unwrap().to_owned(), (mode, bytes));
                }
            }
        }
    }
    found
}

#[track_caller]
fn assert_same(now: &Shelf, before: &Shelf) {
    let differ: Vec<_> =
        now.keys().chain(before.keys()).filter(|path| now.get(*path) != before.get(*path)).collect();
    assert!(differ.is_empty(), "{differ:?}");
}

fn changed(before: &Shelf, after: &Shelf) -> Vec<String> {
    let mut paths: Vec<String> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| path.display().to_string())
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap().0
}

#[track_caller]
fn entry(store: &Store, id: &str) -> Entry {
    let is = |entry: &&Entry| store.view(entry).is_some_and(|view| view.id.as_deref() == Some(id));
    *store.entries.iter().find(is).unwrap_or_else(|| panic!("{id}"))
}

fn entries(store: &Store, ids: &[&str]) -> Vec<Entry> {
    ids.iter().map(|id| entry(store, id)).collect()
}

fn set<'a>(name: &'a str, value: &'a str) -> Setting<'a> {
    Setting { name, value }
}

fn edit<'s>(id: &'s str, settings: &'s [Setting<'s>]) -> impl FnOnce(&Scene<'_>) -> Result<Plan, Refusal> {
    move |scene| ops::edit::edit(scene, &entry(scene.store, id), settings)
}

fn delete<'s>(ids: &'s [&'s str]) -> impl FnOnce(&Scene<'_>) -> Result<Plan, Refusal> {
    move |scene| ops::delete::delete(scene, &entries(scene.store, ids), Default::default())
}

fn archive<'s>(ids: &'s [&'s str]) -> impl FnOnce(&Scene<'_>) -> Result<Plan, Refusal> {
    move |scene| ops::archive::archive(scene, &entries(scene.store, ids))
}

/// Four checkpoints and five events, of which retention may take some.
fn kept() -> AgentMemoryBuilder {
    let builder = (0..4).fold(AgentMemoryBuilder::new(), |builder, _| builder.event(json!({})));
    let titles = ["One", "Two", "Three"];
    let builder = titles.iter().fold(builder, |builder, title| {
        builder.bundle(&[("/gotchas", json!([gotcha(title), gotcha("The clock drifts"), gotcha("Third")]))])
    });
    let retention = json!({"enabled": true, "history": {"maxAgeDays": 90},
        "checkpoints": {"maxAgeDays": 30, "keepRecent": 2}, "archive": {"expireAfterDays": 180}});
    builder
        .config("/retention", retention)
        .config("/recall/backlogWarnThreshold", json!(100))
        .state("/maintenance/lastRecalledEventId", json!("evt-000003"))
}

fn event_ids(repository: &Repository) -> Vec<String> {
    repository.events().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_edit_is_one_canonical_write_and_goes_back_and_forth() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    let (before, problems) = (own.shelf(), own.problems());
    fs::set_permissions(own.path("AGENTS.md"), fs::Permissions::from_mode(0o664)).unwrap();
    let before = {
        let mut before = before;
        before.insert("AGENTS.md".into(), own.shelf()[Path::new("AGENTS.md")].clone());
        before
    };
    let (plan, receipt) =
        own.done(edit("gotchas.1", &[set("text", "The clock \"runs\" — ahead"), set("cause", "Heat.")]));
    assert_eq!((plan.records, receipt.step, plan.derived.len()), (1, 1, 0));
    let wanted = [
        ".agent-memory/history/checkpoints/chk-000002.json",
        ".agent-memory/history/events.jsonl",
        ".agent-memory/state.json",
        "AGENTS.md",
        "docs/agent-memory/README.md",
        "docs/agent-memory/current-focus.md",
        "docs/agent-memory/gotchas.md",
        "docs/agent-memory/next-steps.md",
        "docs/agent-memory/project-map.md",
    ];
    assert_eq!(changed(&before, &own.shelf()), wanted);
    let first = plan.changes.first().unwrap();
    assert_eq!(
        (first.word(), first.path.to_str().unwrap()),
        ("create", "history/checkpoints/chk-000002.json")
    );
    assert_eq!(plan.changes[1].path, Path::new("state.json"));
    assert_eq!(plan.changes.last().unwrap().path, Path::new("history/events.jsonl"));
    let now = own.json("state.json")["bundle"]["gotchas"][1].clone();
    assert_eq!((&now["title"], &now["cause"]), (&json!("The clock \"runs\" — ahead"), &json!("Heat.")));
    assert_eq!(own.json("state.json")["bundle"]["gotchas"][0], gotcha("The drawer sticks"));
    let event = own.events().pop().unwrap();
    assert_eq!((&event["id"], &event["sourceRef"]), (&json!("evt-000002"), &json!("palimp:edit")));
    assert!(!event["summary"].as_str().unwrap().contains("Heat"), "{event}");
    assert_eq!(own.shelf()[Path::new("AGENTS.md")].0 & 0o777, 0o664);
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn fields_that_are_no_strings_are_json_and_the_main_text_is_found_wherever_it_stands() {
    let patient = AgentMemoryBuilder::new().config("/recall/backlogWarnThreshold", json!(10));
    let own = Repository::of(&patient);
    let problems = own.problems();
    own.done(edit("project", &[set("keyPaths", r#"["README.md", "src"]"#), set("text", "A till.")]));
    own.done(edit("currentFocus", &[set("validationSnapshot.summary", "Fine."), set("text", "Selling.")]));
    own.done(edit("validationCommands.0", &[set("text", r#"["make", "check"]"#)]));
    own.done(edit("projectMap", &[set("modules.0.responsibility", "Takes it.")]));
    let bundle = own.json("state.json")["bundle"].clone();
    assert_eq!(bundle["project"]["keyPaths"], json!(["README.md", "src"]));
    assert_eq!(bundle["project"]["summary"], "A till.");
    assert_eq!(bundle["currentFocus"]["summary"], "Selling.");
    assert_eq!(bundle["currentFocus"]["validationSnapshot"]["summary"], "Fine.");
    assert_eq!(bundle["validationCommands"][0]["command"], json!(["make", "check"]));
    assert_eq!(bundle["projectMap"]["modules"][0]["responsibility"], "Takes it.");
    assert_eq!(event_ids(&own).last().unwrap(), "evt-000005");
    own.assert_sound(&problems);
}

#[test]
fn items_of_lists_are_set_by_their_number_and_the_words_of_a_command_as_they_are_shown() {
    let patient = AgentMemoryBuilder::new().config("/recall/backlogWarnThreshold", json!(10));
    let own = Repository::of(&patient);
    let problems = own.problems();
    let command = || own.json("state.json")["bundle"]["validationCommands"][0]["command"].clone();
    own.done(edit("validationCommands.0", &[set("text", "make check all")]));
    assert_eq!(command(), json!(["make", "check", "all"]));
    own.done(edit("validationCommands.0", &[set("command.1", "test")]));
    assert_eq!(command(), json!(["make", "test", "all"]));
    own.done(edit("validationCommands.0", &[set("validationCommands.0.command.2", "some of it")]));
    assert_eq!(command(), json!(["make", "test", "some of it"]));
    let store = own.store();
    let text = [set("text", "make test more of it")];
    let refusal = own.planned(&store, edit("validationCommands.0", &text)).unwrap_err();
    assert!(refusal.message.contains("not JSON"), "where a word ends can't be told: {refusal:?}");
    own.assert_sound(&problems);
}

#[test]
fn an_edit_that_changes_nothing_plans_nothing() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    let store = own.store();
    let plan = own.planned(&store, edit("gotchas.0", &[set("title", "The drawer sticks")])).unwrap();
    assert!(plan.is_empty());
}

#[test]
fn what_the_format_has_not_is_refused_with_the_reason() {
    let own = Repository::of(&kept().source(json!({})));
    let (before, store) = (own.shelf(), own.store());
    let refused = |plan: &dyn Fn(&Scene<'_>) -> Result<Plan, Refusal>, why: &str| {
        let refusal = own.planned(&store, plan).unwrap_err();
        assert!(refusal.message.contains(why), "{refusal:?}");
    };
    let field = [set("summary", "x")];
    let edit = |id: &'static str, field: &[Setting<'_>], why: &str| {
        refused(&|scene| ops::edit::edit(scene, &entry(scene.store, id), field), why);
    };
    edit("evt-000001", &field, "comes from its tool");
    edit("chk-000001", &field, "copy of the bundle");
    edit("talks", &field, "import sources");
    edit("gotchas.0", &[set("title", " ")], "own tool would refuse");
    edit("projectMap", &[set("text", "x")], "no text of its own");
    edit("project", &[set("keyPaths", "a")], "not JSON");
    edit("project", &[set("keyPaths", "a")], "`keyPaths.0` is the first of a list");
    edit("project", &[set("nothing.here", "a")], "no `project.nothing.here`");
    edit("gotchas.0", &[set("importance", "0.9")], "`gotchas.0` has title, symptom, cause, correctPath");
    edit("project", &[set("keyPaths.9", "a")], "no `project.keyPaths.9`");
    let one = |id: &str| entries(&store, &[id]);
    refused(&|scene| ops::tag::tag(scene, &one("gotchas.0"), &["x".into()], &[]), "no tags");
    refused(&|scene| ops::tag::importance(scene, &one("gotchas.0")[0], 0.9), "no importance");
    refused(&|scene| ops::add::add(scene, &Draft { kind: "tool_run", ..Draft::default() }), "from its tool");
    refused(&|scene| ops::archive::archive(scene, &one("gotchas.0")), "the bundle is not archived");
    refused(&|scene| ops::archive::unarchive(scene, &[]), "palimp undo");
    refused(
        &|scene| ops::delete::undelete(scene, &one("gotchas.0"), &palimp::ops::erase::Gone::default()),
        "palimp undo",
    );
    refused(&|scene| ops::delete::delete(scene, &one("talks"), Default::default()), "import sources");
    refused(
        &|scene| ops::delete::delete(scene, &one("project"), Default::default()),
        "own tool would refuse",
    );
    refused(&|scene| ops::delete::delete(scene, &one("chk-000004"), Default::default()), "stays");
    refused(&|scene| ops::compact::compact(scene, Some("s")), "no session");
    assert!(
        ops::init::init("agent-memory", Path::new("x"), own.now).unwrap_err().message.contains("own tool")
    );
    assert_same(&own.shelf(), &before);
}

#[test]
fn parts_of_the_bundle_that_are_deleted_are_one_canonical_write() {
    let own = Repository::of(&kept());
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(delete(&["gotchas.0", "nextSteps.0", "gotchas.2"]));
    assert_eq!(plan.records, 3);
    let bundle = own.json("state.json")["bundle"].clone();
    assert_eq!(
        (&bundle["gotchas"], &bundle["nextSteps"]),
        (&json!([gotcha("The clock drifts")]), &json!([]))
    );
    assert_eq!(own.events().len(), 6);
    let summary = own.events()[5]["summary"].as_str().unwrap().to_owned();
    assert!(summary.ends_with("removed gotchas.0, gotchas.2, nextSteps.0"), "{summary}");
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn events_and_checkpoints_are_archived_first_and_a_bundle_item_goes_in_the_same_plan() {
    let own = Repository::of(&kept());
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(delete(&["gotchas.1", "evt-000002", "chk-000001", "evt-000001"]));
    assert_eq!(plan.records, 4);
    assert_eq!(event_ids(&own), ["evt-000003", "evt-000004", "evt-000005", "evt-000006"]);
    assert!(!own.root().join("history/checkpoints/chk-000001.json").exists());
    let batch = own.root().join("archive/prune-20260201T120000000Z");
    let manifest: Value = serde_json::from_slice(&fs::read(batch.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["archivedEventIds"], json!(["evt-000001", "evt-000002"]));
    let was = &before[Path::new(".agent-memory/history/checkpoints/chk-000001.json")].1;
    assert_eq!(&fs::read(batch.join("checkpoints/chk-000001.json")).unwrap(), was);
    let lines = String::from_utf8(before[Path::new(".agent-memory/history/events.jsonl")].1.clone()).unwrap();
    let two: String = lines.split_inclusive('\n').take(2).collect();
    assert_eq!(fs::read_to_string(batch.join("events.jsonl")).unwrap(), two);
    assert_eq!(fs::metadata(&batch).unwrap().permissions().mode() & 0o777, 0o700);
    // Copies come first, removals last, and no file is written twice.
    let words: Vec<&str> = plan.changes.iter().map(|change| change.word()).collect();
    assert!(
        words.is_sorted_by_key(|word| ["create", "rewrite", "remove"].iter().position(|own| own == word))
    );
    let mut paths: Vec<&Path> = plan.changes.iter().map(|change| &*change.path).collect();
    paths.sort();
    assert!(paths.windows(2).all(|two| two[0] != two[1]), "{paths:?}");
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
    assert!(!batch.exists());
}

#[test]
fn without_retention_events_stay_and_the_reason_is_told() {
    let own = Repository::of(&AgentMemoryBuilder::new().event(json!({})));
    let store = own.store();
    for refusal in [
        own.planned(&store, delete(&["evt-000001"])).unwrap_err(),
        own.planned(&store, archive(&["evt-000001"])).unwrap_err(),
        own.planned(&store, |scene| ops::compact::compact(scene, None)).unwrap_err(),
    ] {
        assert!(refusal.message.contains("retention"), "{refusal:?}");
    }
}

#[test]
fn archiving_is_a_prune_batch_and_what_is_archived_is_left_alone() {
    let own = Repository::of(&kept());
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(archive(&["evt-000001", "chk-000002"]));
    assert_eq!((plan.records, own.events().len()), (2, 4));
    own.assert_sound(&problems);
    let store = own.store();
    let refusal = own.planned(&store, delete(&["evt-000001"])).unwrap_err();
    assert!(refusal.message.contains("archive batch"), "{refusal:?}");
    own.goes_back_and_forth(&before);
}

#[test]
fn compacting_does_what_retention_says_and_nothing_twice() {
    let mut own = Repository::of(&kept());
    own.now = moment("2026-07-01T00:00:00Z");
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(|scene| ops::compact::compact(scene, None));
    assert_eq!(plan.records, 5);
    assert_eq!(event_ids(&own), ["evt-000004", "evt-000005"]);
    own.assert_sound(&problems);
    let store = own.store();
    assert!(own.planned(&store, |scene| ops::compact::compact(scene, None)).unwrap().is_empty());
    own.goes_back_and_forth(&before);
}

#[test]
fn what_was_written_since_the_plan_is_a_conflict_and_nothing_is_changed() {
    type Other = fn(&str) -> String;
    let since: [(&str, Other); 3] = [
        (".agent-memory/state.json", |text| text.replace("The drawer sticks", "The drawer stuck")),
        (".agent-memory/history/events.jsonl", |text| {
            text.to_owned() + &text.replace("evt-000001", "evt-000002")
        }),
        (".agent-memory/history/checkpoints/chk-000002.json", |_| "{}\n".into()),
    ];
    for (path, change) in since {
        let own = Repository::of(&AgentMemoryBuilder::new());
        let store = own.store();
        let plan = own.planned(&store, edit("gotchas.1", &[set("cause", "Heat.")])).unwrap();
        let text = fs::read_to_string(own.path(path)).unwrap_or_default();
        own.put(&own.path(path), change(&text).as_bytes());
        let before = own.shelf();
        let error = own.commit(&store, &plan).unwrap_err();
        assert_eq!(error.code(), "E_CONCURRENT_MOD", "{path}: {error}");
        assert!(error.to_string().contains("Nothing was changed") || error.to_string().contains("put back"));
        assert_same(&own.shelf(), &before);
    }
}

/// The batch is made by then, and goes again; the other's checkpoint is not taken for ours.
#[test]
fn a_conflict_half_way_takes_back_what_was_made_and_nothing_else() {
    let own = Repository::of(&kept());
    let store = own.store();
    let plan = own.planned(&store, delete(&["gotchas.1", "evt-000001"])).unwrap();
    own.put(&own.root().join("history/checkpoints/chk-000005.json"), b"{}\n");
    let before = own.shelf();
    let error = own.commit(&store, &plan).unwrap_err();
    assert!(error.to_string().contains("Nothing was changed"), "{error}");
    assert_same(&own.shelf(), &before);
    assert!(!own.root().join("archive").exists());
}

#[test]
fn a_projection_that_somebody_wrote_in_meanwhile_keeps_what_they_wrote() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    let (store, problems) = (own.store(), own.problems());
    let plan = own.planned(&store, edit("gotchas.1", &[set("cause", "Heat.")])).unwrap();
    own.put(&own.path("AGENTS.md"), (own.text("AGENTS.md") + "More.\n").as_bytes());
    own.commit(&store, &plan).unwrap();
    assert!(own.text("AGENTS.md").ends_with("More.\n"));
    own.assert_sound(&problems);
    own.undo().unwrap();
    assert!(own.text("AGENTS.md").ends_with("More.\n"));
    own.assert_sound(&problems);
}

#[test]
fn undo_is_refused_once_the_store_was_written_again() {
    let own = Repository::of(&kept());
    let (_, first) = own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    own.done(edit("gotchas.1", &[set("cause", "Cold.")]));
    let before = own.shelf();
    let error = own.with_writer(&own.store(), |writer| writer.undo(Some(first.step))).unwrap_err();
    assert_eq!(error.code(), "E_CONCURRENT_MOD");
    assert!(error.to_string().contains("changed since") && error.to_string().contains("Nothing was changed"));
    // An event alone, as a run of the tool begins and ends with it, is enough.
    own.undo().unwrap();
    let events = own.text(".agent-memory/history/events.jsonl");
    let last = events.lines().last().unwrap().replace("evt-000006", "evt-000007");
    own.put(&own.root().join("history/events.jsonl"), (events + &last + "\n").as_bytes());
    assert!(own.undo().unwrap_err().to_string().contains("changed since"));
    assert_ne!(own.shelf(), before);
}

#[test]
fn what_stands_beside_the_store_and_is_missing_stays_missing_and_is_told() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    fs::remove_file(own.path("docs/agent-memory/gotchas.md")).unwrap();
    let (before, problems) = (own.shelf(), own.problems());
    let (plan, _) = own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    assert_eq!(plan.lines.len(), 1, "{:?}", plan.lines);
    assert!(plan.lines[0].starts_with("docs/agent-memory/gotchas.md is left"), "{:?}", plan.lines);
    assert_eq!(own.problems(), problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn an_entry_file_that_is_a_link_within_the_repository_is_written_through() {
    let own = Repository::of(&AgentMemoryBuilder::new());
    fs::rename(own.path("AGENTS.md"), own.path("GUIDE.md")).unwrap();
    std::os::unix::fs::symlink("GUIDE.md", own.path("AGENTS.md")).unwrap();
    let (before, problems) = (own.shelf(), own.problems());
    own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    assert!(fs::symlink_metadata(own.path("AGENTS.md")).unwrap().is_symlink());
    own.assert_sound(&problems);
    own.goes_back_and_forth(&before);
}

#[test]
fn faults_that_a_bundle_had_before_do_not_stand_in_the_way() {
    let faulty = AgentMemoryBuilder::new().bundle(&[("/nextSteps/0/why", json!(""))]);
    let own = Repository::of(&faulty);
    assert!(!own.problems().is_empty());
    own.done(edit("gotchas.1", &[set("cause", "Heat.")]));
    assert_eq!(own.faults(), [] as [String; 0]);
}

#[test]
fn stores_that_the_formats_own_tool_made_stay_sound() {
    for name in ["init-only", "full-cycle"] {
        let Some(own) = Repository::real(name) else { continue };
        let (before, problems) = (own.shelf(), own.problems());
        own.done(edit("project", &[set("text", "Said anew.")]));
        own.assert_sound(&problems);
        own.goes_back_and_forth(&before);
        let store = own.store();
        if name == "init-only" {
            continue;
        }
        let events = event_ids(&own);
        let step = store.entries.iter().filter_map(|entry| store.view(entry)?.id.clone());
        let step = step.into_iter().find(|id| id.starts_with("nextSteps.")).unwrap();
        own.done(delete(&[&events[0], &events[1], &step]));
        own.assert_sound(&problems);
        own.goes_back_and_forth(&before);
        own.done(|scene| ops::compact::compact(scene, None));
        own.assert_sound(&problems);
    }
}

/// The files of a disk in memory that are the repository's.
fn files_on(disk: &Faulty) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_ours = |path: &Path| is_ours(path.file_name().unwrap());
    let all = disk.files().into_iter();
    all.filter(|(path, _)| path.starts_with("/repository") && !is_ours(path)).collect()
}

fn store_on(disk: &Faulty) -> Store {
    let place = Place { root: "/repository/.agent-memory".into(), format: "agent-memory", session: None };
    load_from(disk, &place, Extent::Whole, None, moment(NOW))
}

fn writing_on<T>(disk: &Faulty, act: impl FnOnce(&Writer<'_>, &Store) -> T) -> Result<T, CommitError> {
    let machine = ThisMachine::new();
    let host = Host { disk, machine: &machine, data: Path::new("/data"), now: moment(NOW) };
    let store = store_on(disk);
    let writer = Writer::open(host, &store)?;
    Ok(act(&writer, &store))
}

fn delete_on(disk: &Faulty) -> Result<Receipt, CommitError> {
    writing_on(disk, |writer, store| {
        let scene =
            Scene { store, now: moment(NOW), random: [7; 16], packed: &palimp::format::writing::NO_PACKED };
        let plan = delete(&["gotchas.1", "evt-000002", "chk-000001", "evt-000001"])(&scene).unwrap();
        writer.commit(&plan)
    })?
}

/// After a crash anywhere the next writer finds the store before or after, beside it too.
#[test]
fn a_crash_at_any_step_leaves_what_was_or_what_is_to_be() {
    let begun = Faulty::new();
    for (path, bytes) in &kept().files().0 {
        let root = Path::new("/repository");
        let path =
            path.strip_prefix("..").map_or(root.join(".agent-memory").join(path), |own| root.join(own));
        begun.put(path, bytes.clone(), 0o644);
    }
    begun.put_folder("/data", 0o700);
    let whole = begun.restart();
    let before = files_on(&whole);
    delete_on(&whole).unwrap();
    let after = files_on(&whole);
    assert_ne!(before, after);
    let (mut back, mut forth) = (0, 0);
    for step in 0..whole.steps() {
        let is_write = matches!(whole.ops()[step], Op::Write { .. });
        for fault in [Fault::Crash, Fault::CrashInWrite(7)].into_iter().take(1 + usize::from(is_write)) {
            let disk = begun.restart();
            disk.fail_at(step, fault);
            let _ = delete_on(&disk);
            let cuts = disk.after_power_cut().into_iter().take(4);
            for (label, found) in cuts.chain([("killed".into(), disk.restart())]) {
                writing_on(&found, |_, _| ()).unwrap();
                let now = files_on(&found);
                back += usize::from(now == before);
                forth += usize::from(now == after);
                let op = &whole.ops()[step];
                assert!(
                    now == before || now == after,
                    "{label}, step {step}: {op}\n{:?}",
                    differing(&now, &before)
                );
                let others =
                    found.files().into_keys().filter(|path| path.to_str().unwrap().ends_with(".palimp-tmp"));
                // A process that may be alive keeps its files beside the store.
                assert_eq!(others.filter(|path| path.starts_with("/repository/.agent-memory")).count(), 0);
            }
        }
    }
    assert!(back > 0 && forth > 0, "{back} {forth}");
}

fn differing(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path)).cloned().collect()
}
