//! Signals: whatever ends the program, the terminal is given back first.

use std::ffi::c_int;
use std::io::{self, PipeWriter, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use signal_hook::consts::*;
use signal_hook::iterator::Signals;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use signal_hook::{flag, low_level};

use super::terminal;

/// What the screens answer in order: what was typed is kept, a change is finished.
const ORDERLY: [c_int; 12] = [
    SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGTSTP,
    SIGCONT,
];
/// Signals by which the program itself can fail, so that nothing of it may go on.
const FATAL: [c_int; 4] = [SIGABRT, SIGBUS, SIGTRAP, SIGSYS];
/// The message for the first signal. Writing it takes no memory.
const NO_MEMORY: &[u8] = b"palimp: ended by force, most likely because memory ran out. A change that was interrupted is finished or undone by the next start.\n";
/// Real-time signals: they end a program that does not expect them.
const REAL_TIME: std::ops::RangeInclusive<c_int> = 34..=64;

/// What the whole program wants of the system, with screens or without: no copy of its memory
/// on disk should it fail, and a file that may not grow is an error instead of the end.
pub fn prepare() {
    let core = getrlimit(Resource::Core);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..core });
    // A handler, not "ignore": a program that is started from here would inherit that.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// The signals that the screens answer, from now on. One that this system hasn't is left out.
pub fn listen() -> io::Result<SignalQueue> {
    let (woken, wake) = UnixStream::pair()?;
    let delivery = SignalDelivery::with_pipe(woken.try_clone()?, wake.try_clone()?, SignalOnly, ORDERLY)?;
    let handle = delivery.handle();
    let _ = handle.add_signal(SIGWINCH);
    if cfg!(target_os = "linux") {
        let _ = handle.add_signal(SIGIO);
        REAL_TIME.for_each(|number| drop(handle.add_signal(number)));
    }
    for signal in rare() {
        let _ = handle.add_signal(signal.as_raw());
    }
    Ok(SignalQueue { woken, wake, came: Mutex::new((delivery, Vec::new())) })
}

/// The signals that came and are not answered yet. Any thread may take them.
pub struct SignalQueue {
    woken: UnixStream,
    wake: UnixStream,
    /// What the handlers noted, and what was taken and left for the next.
    came: Mutex<(SignalDelivery<UnixStream, SignalOnly>, Vec<c_int>)>,
}

impl SignalQueue {
    /// Waits until a signal came.
    pub fn wait(&self) -> Result<(), Errno> {
        loop {
            match poll(&mut [PollFd::new(&self.woken, PollFlags::IN)], None) {
                Err(Errno::INTR) => {}
                other => return other.map(drop),
            }
        }
    }

    /// Takes the signals that came so far.
    pub fn take(&self) -> Vec<c_int> {
        let mut came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = std::mem::take(&mut came.1);
        all.extend(came.0.pending());
        all
    }

    /// Forgets the signals that came so far and are sent by keys: they were for another program.
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

#[cfg(target_os = "linux")]
fn rare() -> impl Iterator<Item = Signal> {
    [Signal::POWER, Signal::STKFLT].into_iter()
}

#[cfg(not(target_os = "linux"))]
fn rare() -> impl Iterator<Item = Signal> {
    std::iter::empty()
}

/// Gives the terminal back where the program fails so that no line of it may run any more:
/// out of memory above all. The handler keeps the thread that failed in place, another gives
/// the terminal back, which takes no memory, and ends the program by that signal. There are two
/// others: the system may give a signal from outside to one of them, which is kept in place then.
pub fn restore_on_failure() -> io::Result<()> {
    let others = [Signals::new(FATAL)?, Signals::new(FATAL)?];
    let (unread, full) = io::pipe()?;
    fill(&full)?;
    for signal in FATAL {
        // Behind those above, so it is run after them. It writes to a pipe that is full.
        low_level::pipe::register(signal, full.try_clone()?)?;
    }
    // Registering has made it one that does not wait.
    ioctl_fionbio(&full, false)?;
    // A pipe that nobody can read is no place to wait at.
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
    // By ever smaller pieces, until not one byte has room.
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
