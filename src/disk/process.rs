//! Whether a process is there.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// Whether a process of that number is alive, as far as this user can tell.
pub fn is_alive(pid: i32) -> bool {
    match Pid::from_raw(pid) {
        Some(pid) if pid.as_raw_nonzero().get() > 0 => !matches!(test_kill_process(pid), Err(Errno::SRCH)),
        _ => false,
    }
}
