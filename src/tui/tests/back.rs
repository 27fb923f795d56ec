//! Backups, the archive, upkeep and the journal: keys in, state and files out.

use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::{Desk, now, stable};
use crate::ops::restore::Kind;
use crate::tui::app::Screen;
use crate::tui::msg::{Effect, Msg};
use crate::tui::update::update;
use crate::work::{Job, Task};

fn files(desk: &Desk) -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(folder: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
        for item in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = item.file_name();
            match item.file_type().unwrap().is_dir() {
                true if name == "palimp-data" => {}
                false if name == ".lock" || name.to_string_lossy().starts_with(".palimp-") => {}
                true => walk(&item.path(), into),
                false => into.push((item.path(), std::fs::read(item.path()).unwrap())),
            }
        }
    }
    let mut files = Vec::new();
    walk(desk._folder.path(), &mut files);
    files.sort();
    files
}

fn notice(desk: &Desk) -> &str {
    desk.app.notice.as_deref().unwrap_or_default()
}

#[test]
fn dump() {
    for (w, h) in [(120, 36), (80, 24)] {
        for keys in ["gr", "gr\n", "gr\n=", "ga", "gm", "gu"] {
            let mut desk = Desk::new(w, h);
            for c in keys.chars() {
                if c == '\n' { desk.press(KeyCode::Enter) } else { desk.type_keys(&c.to_string()) }
            }
            println!("=== {keys:?}\n{}", desk.screen());
        }
    }
}
