//! Tasks of a new user on the first evening, on a real pseudo-terminal. The user presses only keys
//! that the screen names, or has named earlier. Keys are counted, except the user's own words.

mod changes;
mod finding;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::terminal::Program;
use crate::support::{DemoStore, Output, SOON, Terminal, lasting};

const NOW: &str = "2026-02-01T12:00:00Z";

struct Evening {
    demo: DemoStore,
    terminal: Option<Terminal>,
    keys: usize,
    /// The hints that the screen has shown.
    known: Vec<String>,
}

impl Evening {
    /// The demo's stores, before the screens are open.
    fn before() -> Evening {
        Evening { demo: DemoStore::at("", NOW), terminal: None, keys: 0, known: Vec::new() }
    }

    fn of(size: (u16, u16)) -> Evening {
        static ALL: LazyLock<usize> = LazyLock::new(|| Evening::before().list(&[]).len());
        Evening::before().open_with(size, *ALL)
    }

    /// Opens the screens on stores that were changed.
    fn open(self, size: (u16, u16)) -> Evening {
        let all = self.list(&[]).len();
        self.open_with(size, all)
    }

    fn open_with(mut self, (rows, cols): (u16, u16), all: usize) -> Evening {
        let (stores, data) = (self.stores(), self.data());
        let args = [stores.to_str().unwrap(), "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let terminal = Program::new(env!("CARGO_BIN_EXE_palimp"), args).spawn(rows, cols);
        terminal.wait_for_text(&format!("1 of {all}"), SOON);
        self.terminal = Some(terminal);
        self
    }

    fn stores(&self) -> PathBuf {
        self.demo.store.clone()
    }

    fn data(&self) -> PathBuf {
        self.demo.data()
    }

    fn verb(&self, words: &[&str]) -> Output {
        self.verb_on("", words)
    }

    /// Runs a verb on one of the stores, or on all.
    fn verb_on(&self, store: &str, words: &[&str]) -> Output {
        self.demo.run_on(self.stores().join(store), NOW, words)
    }

    fn list(&self, query: &[&str]) -> Vec<Value> {
        self.verb(&[&["list", "--json"], query].concat()).json_lines()
    }

    /// The files of the stores, except locks and copies.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        lasting(&self.stores())
    }

    fn terminal(&mut self) -> &mut Terminal {
        self.terminal.as_mut().unwrap()
    }

    fn screen(&self) -> String {
        self.terminal.as_ref().unwrap().screen_text()
    }

    #[track_caller]
    fn sees(&self, text: &str) {
        self.terminal.as_ref().unwrap().wait_for_text(text, SOON);
    }

    /// Presses the key that the screen shows with these words, as in `/ search`, or has shown before.
    #[track_caller]
    fn press(&mut self, hint: &str) {
        if !self.known.iter().any(|own| own == hint) {
            self.sees(hint);
            self.known.push(hint.to_owned());
        }
        let key = hint.split(' ').next().unwrap();
        let typed = match key {
            "Enter" => "\r",
            "Space" => " ",
            "Tab" => "\t",
            "Esc" => "\x1b",
            "F2" => "\x1bOQ",
            "Alt-f" => "\x1bf",
            one => one,
        };
        let typed = typed.to_owned();
        self.terminal().send_keys(&typed);
        self.keys += 1;
    }

    /// Like `press` if the screen has room for the hint; otherwise uses the palette, which is always named.
    #[track_caller]
    fn ask(&mut self, hint: &str, name: &str) {
        if self.screen().contains(hint) {
            return self.press(hint);
        }
        self.press(": commands");
        self.sees("type what is to be done");
        self.types(name);
        self.keys += name.len();
        self.press("Enter run");
    }

    /// Confirms a question after all of it was shown.
    #[track_caller]
    fn agrees(&mut self) {
        self.sees("Nothing is changed yet");
        self.press("y do");
    }

    fn arrows(&mut self, keys: &str, count: usize) {
        self.terminal().send_keys(keys);
        self.keys += count;
    }

    /// Presses the down arrow, which needs no hint, until the row under the cursor has the text.
    #[track_caller]
    fn goes_down_to(&mut self, text: &str) {
        let under = |screen: &vt100::Screen| {
            screen.contents().lines().find(|line| line.contains('▶')).map(str::to_owned)
        };
        loop {
            let before = self.terminal().screen(under);
            if before.as_ref().is_some_and(|row| row.contains(text)) {
                return;
            }
            self.arrows("\x1b[B", 1);
            self.terminal().wait_for(|screen| under(screen) != before, SOON);
        }
    }

    /// Types the user's own words.
    fn types(&mut self, words: &str) {
        self.terminal().send_keys(words);
    }

    /// Searches, and keeps the result.
    fn searches(&mut self, query: &str, first: &str) {
        self.press("/ search");
        self.types(query);
        self.sees(first);
        self.press("Enter keep");
        self.sees("Esc clear");
    }

    fn row(&self, text: &str) -> Option<String> {
        self.screen().lines().find(|line| line.contains(text)).map(str::to_owned)
    }

    /// Asserts that the task took no more keys than this.
    #[track_caller]
    fn took(&self, most: usize) {
        assert!(self.keys <= most, "{} keys, not {most}\n{}", self.keys, self.screen());
    }

    fn leaves(mut self) {
        self.terminal().quit();
    }
}

/// Does a task on the stores of the demo, at these [`sizes`].
fn evenings(number: usize, task: impl Fn(&mut Evening)) {
    for size in sizes(number) {
        let mut evening = Evening::of(size);
        task(&mut evening);
        evening.leaves();
    }
}

/// Both sizes in the long form of the test; in the short form, each task has one of them.
fn sizes(number: usize) -> Vec<(u16, u16)> {
    let both = vec![(36, 120), (24, 80)];
    crate::support::tries::count(vec![both[number % 2]], both)
}
