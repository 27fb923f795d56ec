//! Whether a process is there.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::model::Moment;

/// Whether a process of that number is alive, as far as this user can tell.
pub fn is_alive(pid: i32) -> bool {
    match Pid::from_raw(pid) {
        Some(pid) if pid.as_raw_nonzero().get() > 0 => !matches!(test_kill_process(pid), Err(Errno::SRCH)),
        _ => false,
    }
}

/// When a process was started, where the system tells: Linux does.
pub fn started(pid: i32) -> Option<Moment> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything; field 22 is the
    // start in clock ticks since the machine came up.
    let ticks: i64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let up = std::fs::read_to_string("/proc/stat").ok()?;
    let boot: i64 = up.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let per_second = rustix::param::clock_ticks_per_second() as i64;
    Some(Moment(boot * 1_000_000 + ticks * 1_000_000 / per_second.max(1)))
}
