//! Lines that an agent is in the middle of.

use std::path::Path;
use std::time::Duration;

use super::Host;
use crate::disk::Machine;
use crate::model::snapshot::Generation;
use crate::store::derive;

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
    (0..derive::FRESH).contains(&age)
}

/// Gives an agent time to end a line. Taken over as it is, its second half would come to the
/// old file, and the next line would be glued to its first.
pub fn let_end(host: Host<'_>, path: &Path) {
    for _ in 0..TRIES {
        let Ok(item) = host.disk.look(path) else { return };
        let Some(last) = item.generation.len.checked_sub(1) else { return };
        let is_open = host.disk.read(path, last, Some(1)).is_ok_and(|(end, _)| end != b"\n");
        if !is_open || !is_fresh(host.machine, &item.generation) {
            return;
        }
        host.machine.sleep(PAUSE);
    }
}
