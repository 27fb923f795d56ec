//! A folder for a test.
//!
//! It is in memory where there is room: the tests make thousands of changes durable, and would wait
//! for the disk more than half of their time. The library's unit tests use this file too.

use std::path::Path;

use tempfile::{Builder, TempDir};

/// Folders in memory, on Linux.
const IN_MEMORY: &str = "/dev/shm";

/// So many bytes must be free for that: no test fills it.
const ROOM: u64 = 2 << 30;

/// An empty folder that is gone when it is dropped.
pub fn new() -> TempDir {
    let has_room = fs4::available_space(Path::new(IN_MEMORY)).is_ok_and(|free| free > ROOM);
    let in_memory = has_room.then(|| Builder::new().prefix("palimp-test-").tempdir_in(IN_MEMORY).ok());
    // Four characters more, as `/dev/shm` is longer than `/tmp`: paths wrap alike in pictures.
    in_memory.flatten().unwrap_or_else(|| Builder::new().prefix("palimp-of-tests-").tempdir().unwrap())
}
