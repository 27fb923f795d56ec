//! A process of palimp that continues after this one has ended.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};

/// Starts this program again. It inherits nothing that another process waits for: no standard
/// stream, no descriptor, no folder. This process does not wait for it.
pub fn spawn_detached(arguments: &[OsString]) -> io::Result<()> {
    close_fds::CloseFdsBuilder::new().threadsafe(true).cloexecfrom(3);
    let mut own = Command::new(std::env::current_exe()?);
    own.args(arguments).current_dir("/");
    own.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    own.spawn().map(drop)
}

/// Detaches this process from its terminal and session, so that it continues after their end.
pub fn leave_session() {
    // If this fails, the process already leads a session, or stays in this one.
    let _ = rustix::process::setsid();
}
