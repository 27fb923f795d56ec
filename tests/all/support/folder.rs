//! A folder for a test.
//!
//! It is in memory if there is enough space: the tests make thousands of changes durable, and would
//! wait for the disk more than half of their time. The library's unit tests use this file too.

use std::path::Path;

use tempfile::{Builder, TempDir};

/// Folders in memory, on Linux.
const IN_MEMORY: &str = "/dev/shm";

/// The free space that this needs, in bytes: no test fills it.
const ROOM: u64 = 2 << 30;

pub fn new() -> TempDir {
    let has_room = fs4::available_space(Path::new(IN_MEMORY)).is_ok_and(|free| free > ROOM);
    let in_memory = has_room.then(|| Builder::new().prefix("palimp-test-").tempdir_in(IN_MEMORY).ok());
    // Four more characters, because `/dev/shm` is longer than `/tmp`: so paths wrap alike in snapshots.
    in_memory.flatten().unwrap_or_else(|| Builder::new().prefix("palimp-of-tests-").tempdir().unwrap())
}
