//! Lines that an agent is in the middle of.

use std::path::Path;
use std::time::Duration;

use crate::disk::Machine;
use crate::model::snapshot::Generation;
use crate::store::commit::Host;
use crate::store::derived_files;

/// So often an agent is waited for.
const TRIES: usize = 20;
/// So long each time.
const PAUSE: Duration = Duration::from_millis(10);

/// What of the bytes is whole lines.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)]
}

/// Whether a file was written to within the last second: what ends in no line end may be a
/// line that an agent is writing.
pub fn is_fresh(machine: &dyn Machine, seen: &Generation) -> bool {
    let age = i128::from(machine.now().0) * 1000 - seen.modified;
    (0..derived_files::RECENT_WRITE).contains(&age)
}

/// The length of a file whose last line has no end yet and was written to just now.
fn half_a_line(host: Host<'_>, path: &Path) -> Option<u64> {
    let item = host.disk.look(path).ok()?;
    let last = item.generation.len.checked_sub(1)?;
    let has_no_end = host.disk.read(path, last, Some(1)).is_ok_and(|(end, _)| end != b"\n");
    (has_no_end && is_fresh(host.machine, &item.generation)).then_some(item.generation.len)
}

/// Gives an agent time to end a line. Taken over as it is, its second half would come to the
/// old file, and the next line would be glued to its first. How long the file is where it did
/// not end it.
pub fn wait_for_line_end(host: Host<'_>, path: &Path) -> Option<u64> {
    for _ in 0..TRIES {
        half_a_line(host, path)?;
        host.machine.sleep(PAUSE);
    }
    half_a_line(host, path)
}
