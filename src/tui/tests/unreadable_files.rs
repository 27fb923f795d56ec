//! The screens say which files can't be read.

use super::{Desk, now};
use crate::demo;

#[test]
fn how_much_cannot_be_read_is_told_at_the_top() {
    let folder = crate::folder::new();
    demo::lay_out(folder.path(), now());
    let note = folder.path().join("notes/.chora/memory/knowledge/notes/gone.md");
    std::os::unix::fs::symlink(folder.path().join("nowhere.md"), note).unwrap();
    let desk = Desk::of(folder, 100, 30);
    assert!(desk.screen().contains("1 can't be read!"), "{}", desk.screen());
}
