//! A store with palimp's own data in another folder.

use std::path::PathBuf;

use serde_json::Value;

use super::files::NOW;
use super::{Files, Output, TempStore, Verb, files_below};

pub struct Desk {
    pub store: TempStore,
    pub data: tempfile::TempDir,
    /// The options of every verb, beside those of the two folders.
    options: [&'static str; 2],
}

impl Desk {
    /// A store whose verbs run at [`NOW`].
    pub fn of(files: &Files, root: &str) -> Desk {
        Desk { store: files.build(root), data: super::folder::new(), options: ["--now", NOW] }
    }

    /// A store of one log that is taken for a store of this format.
    pub fn of_log(format: &'static str, file: &str, text: &str) -> Desk {
        Desk::of_files(format, "own", &[(file.into(), text.as_bytes().to_vec())])
    }

    pub fn of_files(format: &'static str, root: &str, files: &[(PathBuf, Vec<u8>)]) -> Desk {
        let (store, data) = (TempStore::of_files(root, files), super::folder::new());
        Desk { store, data, options: ["--as", format] }
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.fed("", words)
    }

    /// Like `run`, with this text on standard input.
    pub fn fed(&self, text: &str, words: &[&str]) -> Output {
        let (store, data) = (self.store.path.to_str().unwrap(), self.data.path().to_str().unwrap());
        let own = [&["--store", store, "--data-dir", data], &self.options[..]].concat();
        Verb::new([words, &own].concat()).with_input(text).run()
    }

    pub fn text(&self, file: &str) -> String {
        self.store.text(file)
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
