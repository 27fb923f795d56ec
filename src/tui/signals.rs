//! Signals. palimp restores the terminal before a signal ends it.

use std::ffi::c_int;
use std::io::{self, PipeWriter, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
#[cfg(target_os = "linux")]
use rustix::process::Signal;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::*;
use signal_hook::iterator::Signals;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use signal_hook::{flag, low_level};

use super::terminal;

/// Signals that the screens handle in order: they save what was typed, and finish a change.
const ORDERLY: [c_int; 12] = [
    SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGTSTP,
    SIGCONT,
];
/// Signals that show a failure of palimp itself. None of its code may go on.
const FATAL: [c_int; 4] = [SIGABRT, SIGBUS, SIGTRAP, SIGSYS];
/// The message for the first of these signals. Writing it needs no memory.
const NO_MEMORY: &[u8] = b"palimp: ended by force, most likely because memory ran out. A change that was interrupted is finished or undone by the next start.\n";
/// Real-time signals. They end a program that does not handle them.
#[cfg(target_os = "linux")]
const REAL_TIME: std::ops::RangeInclusive<c_int> = 34..=64;

/// Prepares the process, with or without screens: a crash writes no copy of its memory to disk, and a file
/// that reaches its size limit causes an error instead of the end of palimp.
pub fn prepare() {
    let core = getrlimit(Resource::Core);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..core });
    // A handler, not "ignore", because child processes would inherit "ignore".
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Starts to handle signals. Signals that this system doesn't have are left out.
pub fn listen() -> io::Result<SignalQueue> {
    let (woken, wake) = UnixStream::pair()?;
    let delivery = SignalDelivery::with_pipe(woken.try_clone()?, wake.try_clone()?, SignalOnly, ORDERLY)?;
    let handle = delivery.handle();
    let _ = handle.add_signal(SIGWINCH);
    #[cfg(target_os = "linux")]
    for number in [SIGIO, Signal::POWER.as_raw(), Signal::STKFLT.as_raw()].into_iter().chain(REAL_TIME) {
        let _ = handle.add_signal(number);
    }
    Ok(SignalQueue { woken, wake, came: Mutex::new((delivery, Vec::new())) })
}

/// Signals that arrived and are not handled yet. Any thread may take them.
pub struct SignalQueue {
    woken: UnixStream,
    wake: UnixStream,
    /// The signals that the handlers noted, and those that `forget_typed` left for the next `take`.
    came: Mutex<(SignalDelivery<UnixStream, SignalOnly>, Vec<c_int>)>,
}

impl SignalQueue {
    pub fn wait(&self) -> Result<(), Errno> {
        loop {
            match poll(&mut [PollFd::new(&self.woken, PollFlags::IN)], None) {
                Err(Errno::INTR) => {}
                other => return other.map(drop),
            }
        }
    }

    pub fn take(&self) -> Vec<c_int> {
        let mut came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = std::mem::take(&mut came.1);
        all.extend(came.0.pending());
        all
    }

    /// Forgets the signals of keys that arrived so far: they were for another program.
    pub fn forget_typed(&self) {
        let mut left = self.take();
        left.retain(|number| !matches!(*number, SIGINT | SIGQUIT));
        if left.is_empty() {
            return;
        }
        self.came.lock().unwrap_or_else(PoisonError::into_inner).1.append(&mut left);
        let _ = (&self.wake).write_all(b"!");
    }
}

/// Restores the terminal if palimp fails and none of its code may run, for example without memory. The signal
/// handler blocks the failed thread. Another thread restores the terminal, which needs no memory, and ends
/// palimp by the same signal. There are two such threads: if the signal comes from outside, the system may
/// give it to one of them, which is then blocked.
pub fn restore_on_failure() -> io::Result<()> {
    let others = [Signals::new(FATAL)?, Signals::new(FATAL)?];
    let (unread, full) = io::pipe()?;
    fill(&full)?;
    for signal in FATAL {
        // Registered after the handlers above, so it runs after them. It writes to a full pipe, so it blocks.
        low_level::pipe::register(signal, full.try_clone()?)?;
    }
    // `register` made the pipe non-blocking.
    ioctl_fionbio(&full, false)?;
    // Without a reading end, the write would fail instead of blocking.
    let (kept, is_left) = (Arc::new((unread, full)), Arc::new(AtomicBool::new(false)));
    for mut failed in others {
        let (kept, is_left) = (Arc::clone(&kept), Arc::clone(&is_left));
        thread::Builder::new().name("failure".into()).spawn(move || {
            let _kept = kept;
            for number in failed.forever() {
                if !is_left.swap(true, Ordering::SeqCst) {
                    terminal::leave();
                    if number == SIGABRT {
                        let _ = rustix::io::write(io::stderr(), NO_MEMORY);
                    }
                    let _ = low_level::emulate_default_handler(number);
                }
            }
        })?;
    }
    Ok(())
}

fn fill(mut pipe: &PipeWriter) -> io::Result<()> {
    ioctl_fionbio(pipe, true)?;
    // In smaller and smaller pieces, until not one byte fits.
    let block = [0; 4_096];
    let mut size = block.len();
    while size > 0 {
        match pipe.write(&block[..size]) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => size /= 2,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
