//! A folder of memories with palimp's own data.

use serde_json::Value;

use crate::support::{Files, Output, TempStore, Verb, files_below};

pub struct Desk {
    pub store: TempStore,
    pub data: tempfile::TempDir,
}

impl Desk {
    pub fn of(files: &Files, root: &str) -> Desk {
        Desk { store: files.build(root), data: crate::support::folder::new() }
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.fed("", words)
    }

    pub fn fed(&self, text: &str, words: &[&str]) -> Output {
        let (store, data) = (self.store.path.to_str().unwrap(), self.data.path().to_str().unwrap());
        let own = ["--store", store, "--data-dir", data, "--now", "2026-02-01T12:00:00Z"];
        Verb::new(words.iter().chain(&own).copied()).with_input(text).run()
    }

    pub fn text(&self, file: &str) -> String {
        String::from_utf8(self.store.read(file)).unwrap()
    }

    /// Changes the store without questions.
    pub fn change(&self, words: &[&str]) -> Output {
        self.run(&[words, &["--yes"]].concat()).expect_status(0)
    }

    /// Carries out a fix of a problem.
    pub fn repair(&self, problem: &Value, more: &[&str]) -> Output {
        self.change(&[&["repair", "--problem", problem["problem"].as_str().unwrap()], more].concat())
    }

    /// True if a text is in a file of the store, or of palimp's own data.
    pub fn has(&self, text: &str) -> bool {
        let holds = |bytes: &Vec<u8>| memchr::memmem::find(bytes, text.as_bytes()).is_some();
        [self.store.around(), self.data.path()].iter().any(|folder| files_below(folder).values().any(holds))
    }
}
