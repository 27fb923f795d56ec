//! The demo's stores as a user other than root, with one file or folder that is not readable: mode 000.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Output, Tree};

/// `nobody`, if the tests run as root, who may read everything.
const NOBODY: u32 = 65534;
/// The short form makes one of this many runs.
const SAMPLED: usize = 151;

/// The demo's stores: the place, whether it has sessions, and a folder outside that belongs to it.
const STORES: [(&str, bool, &str); 5] = [
    ("team/memories", false, ""),
    ("ops/memory", true, ""),
    ("web/.agent-memory", false, "web/docs/agent-memory"),
    ("shop/.bmad/memory", true, ""),
    ("notes/.chora/memory", false, ""),
];

/// A demo that belongs to a user for whom modes count.
pub struct Site {
    folder: tempfile::TempDir,
    program: PathBuf,
    is_root: bool,
}

impl Site {
    pub fn new() -> Site {
        let folder = tempfile::Builder::new().prefix("palimp-unread-").tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        // Others may not reach the build folder. Another process writes the copy: a file that this
        // process writes may be open in a child of another test, and could then not be started.
        let program = folder.path().join("palimp");
        let built = env!("CARGO_BIN_EXE_palimp");
        if fs::hard_link(built, &program).is_err() {
            assert!(Command::new("cp").arg(built).arg(&program).status().unwrap().success());
        }
        let is_root =
            fs::metadata(folder.path()).map(|own| std::os::unix::fs::MetadataExt::uid(&own)).unwrap() == 0;
        let site = Site { folder, program, is_root };
        for name in ["home", "data"] {
            fs::create_dir(site.path(name)).unwrap();
        }
        site.give();
        site.run(&["demo", site.path("home/demo").to_str().unwrap()], None).expect_status(0);
        site
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self, place: &str) -> PathBuf {
        self.path("home/demo").join(place)
    }

    fn give(&self) {
        for name in ["home", "data"] {
            if self.is_root {
                chown(self.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
    }

    pub fn run(&self, args: &[&str], store: Option<&Path>) -> Output {
        let mut command = Command::new(&self.program);
        command.args(args).arg("--data-dir").arg(self.path("data")).stdin(Stdio::null());
        command.env_clear().env("HOME", self.path("home")).current_dir(self.path("home"));
        if let Some(store) = store {
            command.arg("--store").arg(store);
        }
        if self.is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Output { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

pub fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for item in fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()) {
        found.extend(if item.is_dir() { everything(&item) } else { vec![item] });
    }
    found.sort();
    found
}

type Lines = Vec<Vec<String>>;

/// Returns the verbs for a store: first those that only show and end with 0 if all can be read,
/// then the others. Also returns the session that some of them name.
fn verbs(site: &Site, root: &Path, has_sessions: bool) -> (Lines, Lines, String) {
    let rows: Vec<Value> = site.run(&["list", "--json"], Some(root)).expect_status(0).json_lines();
    let live = rows.iter().find(|row| row["state"] == "live" && row["id"].is_string()).unwrap();
    let (key, session) = (live["key"].as_str().unwrap(), live["session"].as_str().unwrap_or("none"));
    let split = |line: &str| -> Vec<String> {
        line.split(' ').map(|word| word.replace("KEY", key).replace("SESSION", session)).collect()
    };
    let showing = "stores|list|search the|show KEY|stats|export --format jsonl|export the --format csv";
    let mut showing: Vec<&str> = showing.split('|').collect();
    let changing = "add --type finding --text new --session SESSION|edit KEY --set text=new|\
        edit --query the --set text=new|tag KEY +new|tag --query the --rename api=new|delete KEY|\
        delete --query the|undelete --query is:deleted|archive KEY|unarchive --query is:archived|\
        move KEY --to nowhere|compact|reindex|maintain|migrate|repair --all-safe|backup create|undo|redo|\
        erase KEY|check|journal|backup list";
    let mut changing: Vec<&str> = changing.split('|').collect();
    if has_sessions {
        showing.extend(["session list", "session export SESSION"]);
        changing.extend(["session new other", "session archive SESSION", "session delete SESSION"]);
    }
    let each = |own: &[&str]| own.iter().map(|line| split(line)).collect();
    (each(&showing), each(&changing), session.to_owned())
}

#[test]
fn every_verb_tells_or_refuses_whichever_file_or_folder_another_user_may_not_read() {
    let is_long = crate::support::tries::is_long();
    let (site, mut runs, mut wrong) = (Site::new(), 0_usize, Vec::new());
    for (place, has_sessions, beside) in STORES {
        let root = site.store(place);
        let (showing, changing, session) = verbs(&site, &root, has_sessions);
        for verb in showing.iter().step_by(crate::support::tries::count(4, 1)) {
            let words: Vec<&str> = verb.iter().map(String::as_str).collect();
            site.run(&words, Some(&root)).expect_status(0);
        }
        let mut things = everything(&root);
        if !beside.is_empty() {
            things.extend(everything(&site.store(beside)).split_off(1));
        }
        let before = Tree::of(&root);
        for thing in things {
            let mode = fs::metadata(&thing).unwrap().permissions();
            fs::set_permissions(&thing, Permissions::from_mode(0o000)).unwrap();
            for verb in showing.iter().chain(&changing) {
                runs += 1;
                if !is_long && runs % SAMPLED != 0 {
                    continue;
                }
                let within = thing.strip_prefix(&root).unwrap_or(&thing);
                if has_sessions && is_elsewhere(verb, &session, within) {
                    continue;
                }
                let words: Vec<&str> = verb.iter().map(String::as_str).chain(["--yes"]).collect();
                let own = site.run(&words, Some(&root));
                let name = thing.file_name().unwrap().to_str().unwrap();
                let is_told = own.stderr.contains("can't be") || own.stdout.contains(name);
                if !matches!(own.status, Some(1 | 3 | 4)) || !is_told {
                    wrong.push(format!("{verb:?} without {}: {own:?}", thing.display()));
                }
            }
            fs::set_permissions(&thing, mode).unwrap();
        }
        let changes = Tree::of(&root).changes_since(&before);
        // The modes were changed and set back, so only the times of the last change differ.
        let written = changes.lines().filter(|line| line.starts_with("new") || line.starts_with("gone"));
        assert_eq!(written.count(), 0, "{changes}");
        assert_same_content(&changes);
    }
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
}

/// True if a verb is about one session and the thing of another. An erasure looks for copies everywhere.
fn is_elsewhere(verb: &[String], session: &str, within: &Path) -> bool {
    let is_named = verb.iter().any(|word| word.contains('@') || word == "--session");
    let parts: Vec<&str> = within.iter().map(|part| part.to_str().unwrap()).collect();
    let is_of_another = match parts.as_slice() {
        ["sessions", own, ..] => *own != session,
        ["archive", file] => !file.starts_with(session),
        _ => false,
    };
    is_named && verb[0] != "erase" && is_of_another
}

fn assert_same_content(changes: &str) {
    let lines: Vec<&str> = changes.lines().collect();
    for own in lines.chunks(3) {
        let content = |line: &str| line.rsplit("content: ").next().map(str::to_owned);
        assert_eq!(content(own[1]), content(own[2]), "{}", own[0]);
    }
}
