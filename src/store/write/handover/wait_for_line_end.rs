//! Waits for an agent that is in the middle of a line.

use std::path::Path;
use std::time::Duration;

use crate::disk::Machine;
use crate::disk::host::Host;
use crate::model::snapshot::Generation;
use crate::store::derived_files;

const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Returns the part that is complete lines.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)]
}

/// True if a file was written to within the last second: a last line without an end may be one that
/// an agent is writing.
pub fn is_fresh(machine: &dyn Machine, seen: &Generation) -> bool {
    let age = i128::from(machine.now().0) * 1000 - seen.modified;
    (0..derived_files::RECENT_WRITE).contains(&age)
}

/// Returns the length of a file whose last line was just written and has no end yet.
fn half_a_line(host: Host<'_>, path: &Path) -> Option<u64> {
    let item = host.disk.look(path).ok()?;
    let last = item.generation.len.checked_sub(1)?;
    let has_no_end = host.disk.read(path, last, Some(1)).is_ok_and(|(end, _)| end != b"\n");
    (has_no_end && is_fresh(host.machine, &item.generation)).then_some(item.generation.len)
}

/// Gives an agent time to end a line. If half a line was taken over, its second half would go to
/// the old file, and the next line would join the first half. Returns the file's length if the line
/// still has no end.
pub fn wait_for_line_end(host: Host<'_>, path: &Path) -> Option<u64> {
    for _ in 0..TRIES {
        half_a_line(host, path)?;
        host.machine.sleep(PAUSE);
    }
    half_a_line(host, path)
}
