//! A process of ours that goes on when this one has ended.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};

/// Starts this program anew with those arguments, and does not wait for it. It inherits nothing
/// that another process waits for: no standard stream, no descriptor, no folder.
pub fn spawn_detached(arguments: &[OsString]) -> io::Result<()> {
    close_fds::CloseFdsBuilder::new().threadsafe(true).cloexecfrom(3);
    let mut own = Command::new(std::env::current_exe()?);
    own.args(arguments).current_dir("/");
    own.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    own.spawn().map(drop)
}

/// Parts this process from the terminal and the session that it was started in: it goes on when
/// they end.
pub fn leave_session() {
    // It leads a session of its own already, or else goes on in this one.
    let _ = rustix::process::setsid();
}
