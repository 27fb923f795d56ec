//! The keyboard: one thread reads it, unless it is lent to an editor.
//!
//! The thread waits with `poll`, which tells at once of what was already there and of a
//! terminal that is gone, and reads all that came: nothing is left behind for the next key.

use std::ffi::c_int;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::key_decoder::KeyDecoder;
use super::signals::SignalQueue;

/// The greatest pause between the parts of a sequence or of a paste.
const SEQUENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };
/// A terminal on this machine sends a key in one piece. If nothing follows an Esc for this time, it was the
/// Esc key.
const ESC: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
/// A thread that does not let go of the keyboard is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);
/// So much is read at once.
const BLOCK: usize = 16 * 1024;

/// What comes from the terminal.
pub enum KeyboardInput {
    Event(Event),
    /// The terminal is gone.
    Gone,
}

/// The keyboard, and whose it is.
pub struct Keyboard {
    whose: Mutex<KeyboardOwner>,
    changed: Condvar,
    /// Ctrl-c and others are sent as signals while another program has the keyboard.
    signals: SignalQueue,
    /// Wakes the thread that reads.
    wake: PipeWriter,
    woken: PipeReader,
    /// Whether the bytes of one key may arrive in two pieces.
    is_far: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum KeyboardOwner {
    Ours,
    /// The thread is to let go of it.
    Requested,
    Lent,
}

/// Why the thread stopped waiting.
struct WakeReason {
    input: bool,
    gone: bool,
    called: bool,
}

impl Keyboard {
    /// A keyboard that nobody reads yet.
    pub fn new(signals: SignalQueue) -> io::Result<Keyboard> {
        let (woken, wake) = io::pipe()?;
        let is_far = std::env::var_os("SSH_CONNECTION").is_some() || std::env::var_os("SSH_TTY").is_some();
        let (whose, changed) = (Mutex::new(KeyboardOwner::Ours), Condvar::new());
        Ok(Keyboard { whose, changed, signals, wake, woken, is_far })
    }

    fn lock(&self) -> MutexGuard<'_, KeyboardOwner> {
        self.whose.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for signals. Returns them, and whether another program read the keys as they came.
    pub fn signals(&self) -> Result<(Vec<c_int>, bool), Errno> {
        self.signals.wait()?;
        let whose = self.lock();
        Ok((self.signals.take(), *whose == KeyboardOwner::Lent))
    }

    /// Takes the keyboard from the thread that reads; false where it does not let go.
    pub fn lend(&self) -> bool {
        let mut whose = self.lock();
        *whose = KeyboardOwner::Requested;
        self.call();
        whose = match self
            .changed
            .wait_timeout_while(whose, PATIENCE, |whose| *whose == KeyboardOwner::Requested)
        {
            Ok((whose, _)) => whose,
            Err(poisoned) => poisoned.into_inner().0,
        };
        if *whose == KeyboardOwner::Requested {
            *whose = KeyboardOwner::Ours;
        }
        *whose == KeyboardOwner::Lent
    }

    /// Lets the thread read again. The terminal sends no signals for keys any more.
    pub fn take_back(&self) {
        let mut whose = self.lock();
        self.signals.forget_typed();
        *whose = KeyboardOwner::Ours;
        drop(whose);
        self.call();
    }

    /// Has the thread look whose the keyboard is.
    fn call(&self) {
        let _ = (&self.wake).write_all(b"!");
    }

    /// Reads until the terminal is gone or nobody listens any more.
    pub fn read(&self, mut tell: impl FnMut(KeyboardInput) -> bool) {
        let mut decoder = KeyDecoder::default();
        let mut block = [0; BLOCK];
        let mut heard = true;
        while heard {
            let is_lent = self.let_go(&mut decoder);
            let pause = if decoder.has_esc() && !self.is_far { &ESC } else { &SEQUENCE };
            let patience = (decoder.is_waiting() && !is_lent).then_some(pause);
            let mut event = |event| heard &= tell(KeyboardInput::Event(event));
            let Ok(woken) = self.wait(is_lent, patience) else { break };
            if woken.called {
                let _ = (&self.woken).read(&mut block);
                continue;
            }
            if woken.input && !is_lent {
                match rustix::io::read(io::stdin(), &mut block) {
                    Ok(0) => break,
                    Ok(count) => decoder.take(&block[..count], &mut event),
                    Err(Errno::INTR | Errno::AGAIN) => {}
                    Err(_) => break,
                }
            } else if woken.gone {
                break;
            } else if patience.is_some() {
                decoder.pause(&mut event);
            }
        }
        let _ = tell(KeyboardInput::Gone);
    }

    /// Lets go of the keyboard where that is asked for; true while it is lent. What was half
    /// typed before is forgotten then.
    fn let_go(&self, decoder: &mut KeyDecoder) -> bool {
        let mut whose = self.lock();
        if *whose == KeyboardOwner::Requested {
            *whose = KeyboardOwner::Lent;
            *decoder = KeyDecoder::default();
            self.changed.notify_all();
        }
        *whose == KeyboardOwner::Lent
    }

    /// Waits for keys, or, while the keyboard is lent, for the end of the terminal alone.
    fn wait(&self, is_lent: bool, patience: Option<&Timespec>) -> Result<WakeReason, Errno> {
        let stdin = io::stdin();
        let wanted = if is_lent { PollFlags::empty() } else { PollFlags::IN };
        let mut ends = [PollFd::new(&stdin, wanted), PollFd::new(&self.woken, PollFlags::IN)];
        loop {
            match poll(&mut ends, patience) {
                Ok(_) => break,
                // A signal is neither a pause nor a call: nothing was written to the pipe, and
                // whoever reads it would wait for ever.
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        let [input, called] = ends.map(|end| end.revents());
        Ok(WakeReason {
            input: input.contains(PollFlags::IN),
            gone: input.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
            called: called.contains(PollFlags::IN),
        })
    }
}

/// Whether the terminal is gone, now.
pub fn is_gone() -> bool {
    let stdin = io::stdin();
    let mut input = [PollFd::new(&stdin, PollFlags::empty())];
    let looked = poll(&mut input, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    looked.is_ok() && !input[0].revents().is_empty()
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::{SIGINT, SIGUSR1};
    use signal_hook::low_level::raise;

    use super::*;

    #[test]
    fn a_ctrl_c_for_an_editor_that_has_ended_is_none_of_ours() {
        let keyboard = Keyboard::new(crate::tui::signals::listen().unwrap()).unwrap();
        *keyboard.lock() = KeyboardOwner::Lent;
        raise(SIGINT).unwrap();
        assert_eq!(keyboard.signals().unwrap(), (vec![SIGINT], true));
        raise(SIGINT).unwrap();
        raise(SIGUSR1).unwrap();
        keyboard.take_back();
        assert_eq!(keyboard.signals().unwrap(), (vec![SIGUSR1], false));
        raise(SIGINT).unwrap();
        assert_eq!(keyboard.signals().unwrap(), (vec![SIGINT], false));
    }
}
