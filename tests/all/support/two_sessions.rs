//! A small store with two sessions, filled by verbs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tempfile::TempDir;

use super::files::NOW;
use super::{Output, Verb, files_below};

/// A store with palimp's data beside it. Its verbs run at [`NOW`], and their questions are answered with yes.
pub struct TwoSessions {
    pub folder: TempDir,
    pub sessions: [String; 2],
}

impl TwoSessions {
    /// A store without memories.
    pub fn new(format: &str) -> TwoSessions {
        let mut site = TwoSessions::without_sessions(format);
        site.sessions = ["one", "two"].map(|name| {
            let told = site.run(&["session", "new", name]).expect_status(0).stdout;
            told.lines().find_map(|line| line.strip_prefix("new session ")).unwrap().to_owned()
        });
        site
    }

    /// A store of a format that may have no sessions.
    pub fn without_sessions(format: &str) -> TwoSessions {
        let site = TwoSessions { folder: super::folder::new(), sessions: Default::default() };
        site.verb(&["init", format, site.root().to_str().unwrap()]).run().expect_status(0);
        site
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn verb(&self, args: &[&str]) -> Verb {
        let data = self.folder.path().join("data");
        Verb::new([args, &["--yes", "--now", NOW, "--data-dir", data.to_str().unwrap()]].concat())
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.fed("", args)
    }

    /// Like `run`, with this text on standard input.
    pub fn fed(&self, text: &str, args: &[&str]) -> Output {
        let root = self.root();
        self.verb(&[args, &["--store", root.to_str().unwrap()]].concat()).with_input(text).run()
    }

    /// The folder of a session, by its number.
    pub fn session(&self, number: usize) -> PathBuf {
        self.root().join("sessions").join(&self.sessions[number])
    }

    /// The files of the store, by their paths in it.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let within = |path: PathBuf| path.strip_prefix(self.root()).unwrap().to_owned();
        files_below(&self.root()).into_iter().map(|(path, bytes)| (within(path), bytes)).collect()
    }
}
