//! A folder of memories with palimp's own data.

use crate::support::{Files, Output, TempStore, Verb};

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

    /// True if a text is in a file of the store, or of palimp's own data.
    pub fn has(&self, text: &str) -> bool {
        fn any(folder: &std::path::Path, text: &[u8]) -> bool {
            std::fs::read_dir(folder).unwrap().flatten().any(|item| match item.path() {
                path if path.is_dir() => any(&path, text),
                path => std::fs::read(path).unwrap().windows(text.len()).any(|own| own == text),
            })
        }
        any(self.store.around(), text.as_bytes()) || any(self.data.path(), text.as_bytes())
    }
}
