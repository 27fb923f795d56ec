//! A repository with a store in it, and the changes made to them.

use super::*;

/// A repository with a store in it, and palimp's data beside it.
pub(super) struct Repository {
    pub(super) folder: tempfile::TempDir,
    pub(super) now: Moment,
}

/// Every file of the repository with its mode, except palimp's own.
pub(super) type Shelf = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Repository {
    pub(super) fn of(builder: &AgentMemoryBuilder) -> Repository {
        let own = Repository { folder: crate::support::folder::new(), now: moment(NOW) };
        for (path, bytes) in &builder.files().0 {
            let path = match path.strip_prefix("..") {
                Ok(beside) => own.path(beside),
                Err(_) => own.root().join(path),
            };
            own.put(&path, bytes);
        }
        own
    }

    pub(super) fn real(name: &str) -> Option<Repository> {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/agent-memory").join(name);
        if !from.exists() {
            eprintln!("skipped: {} is not there", from.display());
            return None;
        }
        let own = Repository { folder: crate::support::folder::new(), now: moment(LATER) };
        for (path, (_, bytes)) in shelf(&from) {
            own.put(&own.path(&path), &bytes);
        }
        Some(own)
    }

    pub(super) fn put(&self, path: &Path, bytes: &[u8]) {
        crate::support::write(path, bytes);
    }

    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join("repository").join(path)
    }

    pub(super) fn root(&self) -> PathBuf {
        self.path(".agent-memory")
    }

    pub(super) fn shelf(&self) -> Shelf {
        shelf(&self.path(""))
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(super) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.root().join(path)).unwrap()).unwrap()
    }

    pub(super) fn events(&self) -> Vec<Value> {
        let text = self.text(".agent-memory/history/events.jsonl");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(super) fn store(&self) -> Store {
        let place = Place::whole(self.root(), "agent-memory");
        load(&place, Extent::All, None, self.now)
    }

    /// Returns the problems except loose permissions: the modes of a test's copies come from the umask.
    pub(super) fn problems(&self) -> Vec<String> {
        let store = self.store();
        let own = store.problems.iter().filter(|own| own.code.as_str() != "loose-permissions");
        own.map(|own| format!("{} {} {}", own.code.as_str(), own.file.display(), own.message)).collect()
    }

    pub(super) fn planned(
        &self,
        store: &Store,
        plan: impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal>,
    ) -> Result<Plan, Refusal> {
        plan(&WriteContext::of(store, self.now, [7; 16]))
    }

    /// Plans a change of the store and applies it.
    pub(super) fn done(
        &self,
        plan: impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal>,
    ) -> (Plan, CommitReceipt) {
        let store = self.store();
        let plan = self.planned(&store, plan).unwrap();
        let receipt = self.commit(&store, &plan).unwrap();
        (plan, receipt)
    }

    pub(super) fn commit(&self, store: &Store, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        self.with_writer(store, |writer| writer.commit(plan))
    }

    pub(super) fn with_writer<T>(
        &self,
        store: &Store,
        act: impl FnOnce(&Writer<'_>) -> Result<T, CommitError>,
    ) -> Result<T, CommitError> {
        let machine = ThisMachine::new();
        let data = self.folder.path().join("data");
        let host = Host { disk: &RealDisk, machine: &machine, data: &data, now: self.now };
        act(&Writer::open(host, store)?)
    }

    pub(super) fn undo(&self) -> Result<CommitReceipt, CommitError> {
        self.with_writer(&self.store(), |writer| {
            let (plan, turn) = writer.undo(None)?;
            writer.commit_undo_redo(&plan, turn)
        })
    }

    pub(super) fn redo(&self) -> Result<CommitReceipt, CommitError> {
        self.with_writer(&self.store(), |writer| {
            let (plan, turn) = writer.redo(None)?;
            writer.commit_undo_redo(&plan, turn)
        })
    }

    /// Undoes and redoes, and compares every byte.
    pub(super) fn goes_back_and_forth(&self, before: &Shelf) {
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

    pub(super) fn faults(&self) -> Vec<String> {
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

    /// After a change, the tool's validation passes, and `check` finds nothing new.
    pub(super) fn assert_sound(&self, problems_before: &[String]) {
        assert_eq!(self.faults(), [] as [String; 0]);
        let new: Vec<String> =
            self.problems().into_iter().filter(|own| !problems_before.contains(own)).collect();
        assert_eq!(new, [] as [String; 0]);
    }
}

pub(super) fn shelf(folder: &Path) -> Shelf {
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
pub(super) fn assert_same(now: &Shelf, before: &Shelf) {
    let differ: Vec<_> =
        now.keys().chain(before.keys()).filter(|path| now.get(*path) != before.get(*path)).collect();
    assert!(differ.is_empty(), "{differ:?}");
}

pub(super) fn changed(before: &Shelf, after: &Shelf) -> Vec<String> {
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

pub(super) fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap().0
}

#[track_caller]
pub(super) fn entry(store: &Store, id: &str) -> Entry {
    let is = |entry: &&Entry| store.memory(entry).is_some_and(|view| view.id() == Some(id));
    *store.entries.iter().find(is).unwrap_or_else(|| panic!("{id}"))
}

pub(super) fn entries(store: &Store, ids: &[&str]) -> Vec<Entry> {
    ids.iter().map(|id| entry(store, id)).collect()
}

pub(super) fn set<'a>(name: &'a str, value: &'a str) -> FieldAssignment<'a> {
    FieldAssignment { name, value }
}

pub(super) fn edit<'s>(
    id: &'s str,
    settings: &'s [FieldAssignment<'s>],
) -> impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal> {
    move |context| ops::edit::edit(context, &entry(context.store, id), settings)
}

pub(super) fn delete<'s>(ids: &'s [&'s str]) -> impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal> {
    move |context| ops::delete::delete(context, &entries(context.store, ids), &Default::default())
}

pub(super) fn archive<'s>(ids: &'s [&'s str]) -> impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal> {
    move |context| ops::archive::archive(context, &entries(context.store, ids))
}

/// Four checkpoints and five events, of which retention may remove some.
pub(super) fn kept() -> AgentMemoryBuilder {
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

pub(super) fn event_ids(repository: &Repository) -> Vec<String> {
    repository.events().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}
