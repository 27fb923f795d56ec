//! Finds out if a process exists, and when it started.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::model::Moment;

/// True if a process with this id is alive, as far as this user can see.
pub fn is_alive(pid: i32) -> bool {
    match Pid::from_raw(pid) {
        Some(pid) if pid.as_raw_nonzero().get() > 0 => !matches!(test_kill_process(pid), Err(Errno::SRCH)),
        _ => false,
    }
}

/// Returns when a process started, if the system reports it. Linux does.
pub fn started(pid: i32) -> Option<Moment> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2 is a name in parentheses and may contain anything. Field 22 is the start in ticks since boot.
    let ticks: i64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let up = std::fs::read_to_string("/proc/stat").ok()?;
    let boot: i64 = up.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let per_second = rustix::param::clock_ticks_per_second() as i64;
    Some(Moment(boot * 1_000_000 + ticks * 1_000_000 / per_second.max(1)))
}
