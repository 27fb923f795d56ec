//! Permissions and links, on the real disk.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use palimp::disk::host::Host;
use palimp::disk::{Machine, RealDisk, ThisMachine};
use palimp::model::{CommitReceipt, Extent, Plan, Store};
use palimp::ops::{FieldAssignment, WriteContext};
use palimp::store::{CommitError, Place, load_from, write::Writer};

const RECORD: &str = "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"type\":\"learning\",\"content\":\"x\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\",\"accessed_at\":\"2026-01-01T00:00:00Z\",\"access_count\":0,\"tags\":[],\"importance\":\"low\",\"archived\":false}\n";

struct Folder {
    own: tempfile::TempDir,
    place: Place,
}

impl Folder {
    fn new() -> Folder {
        let own = crate::support::folder::new();
        let root = own.path().join("store");
        fs::create_dir(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(root.join("learnings.jsonl"), RECORD).unwrap();
        fs::create_dir(own.path().join("outside")).unwrap();
        Folder { own, place: Place::whole(root, "memory-server") }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.root.join(name)
    }

    fn outside(&self) -> PathBuf {
        self.own.path().join("outside")
    }

    fn store(&self) -> Store {
        load_from(&RealDisk, &self.place, Extent::All, None, ThisMachine::new().now())
    }

    fn commit(&self, plan: impl Fn(&WriteContext<'_>) -> Plan) -> Result<CommitReceipt, CommitError> {
        let (machine, store) = (ThisMachine::new(), self.store());
        let context = WriteContext::of(&store, machine.now(), [7; 16]);
        let data = self.own.path().join("data");
        let host = Host { disk: &RealDisk, machine: &machine, data: &data, now: machine.now() };
        Writer::open(host, &store)?.commit(&plan(&context))
    }

    fn edit(&self) -> Result<CommitReceipt, CommitError> {
        self.commit(|context| {
            let set = [FieldAssignment { name: "content", value: "changed" }];
            palimp::ops::edit::edit(context, &context.store.entries[0], &set).unwrap()
        })
    }

    /// It may be refused before or during the commit.
    fn archive(&self) -> Result<CommitReceipt, String> {
        let store = self.store();
        let context = WriteContext::of(&store, ThisMachine::new().now(), [7; 16]);
        let plan =
            palimp::ops::archive::archive(&context, &store.entries).map_err(|refusal| refusal.message)?;
        self.commit(|_| plan.clone()).map_err(|error| error.to_string())
    }
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn everything(folder: &Path) -> Vec<PathBuf> {
    let items = fs::read_dir(folder).unwrap().map(|item| item.unwrap().path());
    items
        .flat_map(
            |path| if path.is_dir() { [vec![path.clone()], everything(&path)].concat() } else { vec![path] },
        )
        .collect()
}

const CHILD: &str = "PALIMP_TEST_UMASK";

#[test]
fn what_is_made_is_private_whatever_the_umask() {
    if let Ok(mask) = std::env::var(CHILD) {
        return make_under(u32::from_str_radix(&mask, 8).unwrap());
    }
    // The umask belongs to the process, so each mask has its own process.
    for mask in ["000", "022", "077"] {
        let name = "lossless::modes::what_is_made_is_private_whatever_the_umask";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(CHILD, mask)
            .output()
            .unwrap();
        assert!(child.status.success(), "{mask}: {}", String::from_utf8_lossy(&child.stderr));
    }
}

fn make_under(mask: u32) {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
    let folder = Folder::new();
    fs::set_permissions(folder.file("learnings.jsonl"), fs::Permissions::from_mode(0o640)).unwrap();
    folder.edit().unwrap();
    assert_eq!(mode(&folder.file("learnings.jsonl")), 0o640, "a file keeps its mode");
    folder.archive().unwrap();
    let kept = ["learnings.jsonl"];
    let data = folder.own.path().join("data");
    for path in everything(&folder.place.root).into_iter().chain(everything(&data)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if kept.iter().any(|own| name.ends_with(own)) && path.parent() == Some(&folder.place.root) {
            continue;
        }
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

#[test]
fn a_link_is_never_written_through_wherever_it_leads() {
    for (name, target) in [("learnings.jsonl", "archive.jsonl"), ("index.json", "other.json")] {
        let folder = Folder::new();
        let own = folder.file(name);
        let target = folder.file(target);
        let bytes = fs::read(&own).unwrap_or_else(|_| b"{}".to_vec());
        fs::write(&target, &bytes).unwrap();
        let _ = fs::remove_file(&own);
        symlink(&target, &own).unwrap();
        let error = folder.archive().unwrap_err();
        assert!(own.is_symlink(), "{error}");
        assert_eq!(fs::read(&target).unwrap(), bytes, "{error}");
        assert_eq!(fs::read(folder.file("learnings.jsonl")).unwrap(), RECORD.as_bytes());
    }
}

#[test]
fn a_folder_that_is_a_link_is_not_written_into() {
    for name in ["archive", ".backup"] {
        let folder = Folder::new();
        symlink(folder.outside(), folder.file(name)).unwrap();
        let error = folder.archive().unwrap_err();
        assert_eq!(everything(&folder.outside()), Vec::<PathBuf>::new(), "{error}");
        assert_eq!(fs::read(folder.file("learnings.jsonl")).unwrap(), RECORD.as_bytes());
    }
}

#[test]
fn a_link_that_is_where_a_file_is_to_be_made_stays_as_it_is() {
    let folder = Folder::new();
    let store = folder.store();
    let (year, quarter) = ThisMachine::new().now().quarter().unwrap();
    assert!(store.problems.iter().all(|own| own.code.as_str() != "link-outside"));
    let archive = folder.file(&format!("archive/{year}"));
    fs::create_dir_all(&archive).unwrap();
    let target = folder.outside().join("x.jsonl");
    fs::write(&target, "").unwrap();
    symlink(&target, archive.join(format!("learnings_{year}_Q{quarter}.jsonl"))).unwrap();
    let error = folder.archive().unwrap_err();
    assert_eq!(fs::read(&target).unwrap(), b"", "{error}");
    assert_eq!(fs::read(folder.file("learnings.jsonl")).unwrap(), RECORD.as_bytes());
}
