//! The keyboard. One thread reads it, unless an editor has it.
//!
//! The thread waits with `poll`, which also reports earlier input and a closed terminal. It reads everything
//! that arrived, so nothing is left for the next key.

use std::ffi::c_int;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::key_decoder::KeyDecoder;
use super::signals::SignalQueue;

/// The longest pause between the parts of a sequence or a paste.
const SEQUENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };
/// A local terminal sends a key in one piece. If nothing follows an Esc for this time, it was the Esc key.
const ESC: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
/// How long palimp waits for the thread to release the keyboard.
const PATIENCE: Duration = Duration::from_secs(2);
const BLOCK: usize = 16 * 1024;

pub struct Keyboard {
    whose: Mutex<KeyboardOwner>,
    changed: Condvar,
    /// Ctrl-c and others arrive as signals while another program has the keyboard.
    signals: SignalQueue,
    wake: PipeWriter,
    woken: PipeReader,
    /// True if the bytes of one key may arrive in two pieces.
    is_far: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum KeyboardOwner {
    Ours,
    /// The thread must release the keyboard.
    Requested,
    Lent,
}

impl Keyboard {
    /// Returns a keyboard. No thread reads it yet.
    pub fn new(signals: SignalQueue) -> io::Result<Keyboard> {
        let (woken, wake) = io::pipe()?;
        let is_far = std::env::var_os("SSH_CONNECTION").is_some() || std::env::var_os("SSH_TTY").is_some();
        let (whose, changed) = (Mutex::new(KeyboardOwner::Ours), Condvar::new());
        Ok(Keyboard { whose, changed, signals, wake, woken, is_far })
    }

    fn lock(&self) -> MutexGuard<'_, KeyboardOwner> {
        self.whose.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for signals. Returns them, and whether another program had the keyboard at that time.
    pub fn signals(&self) -> Result<(Vec<c_int>, bool), Errno> {
        self.signals.wait()?;
        let whose = self.lock();
        Ok((self.signals.take(), *whose == KeyboardOwner::Lent))
    }

    /// Takes the keyboard from the reading thread. Returns false if the thread does not release it.
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

    /// Lets the thread read again. Forgets the signals of keys that were for the other program.
    pub fn take_back(&self) {
        let mut whose = self.lock();
        self.signals.forget_typed();
        *whose = KeyboardOwner::Ours;
        drop(whose);
        self.call();
    }

    /// Makes the thread check the owner of the keyboard.
    fn call(&self) {
        let _ = (&self.wake).write_all(b"!");
    }

    /// Reads until the terminal is closed, which `tell` gets as `None`, or until `tell` returns false.
    pub fn read(&self, mut tell: impl FnMut(Option<Event>) -> bool) {
        let mut decoder = KeyDecoder::default();
        let mut block = [0; BLOCK];
        let mut heard = true;
        while heard {
            let is_lent = self.let_go(&mut decoder);
            let pause = if decoder.has_esc() && !self.is_far { &ESC } else { &SEQUENCE };
            let patience = (decoder.is_waiting() && !is_lent).then_some(pause);
            let mut event = |event| heard &= tell(Some(event));
            let Ok([input, is_gone, is_called]) = self.wait(is_lent, patience) else { break };
            if is_called {
                let _ = (&self.woken).read(&mut block);
                continue;
            }
            if input && !is_lent {
                match rustix::io::read(io::stdin(), &mut block) {
                    Ok(0) => break,
                    Ok(count) => decoder.take(&block[..count], &mut event),
                    Err(Errno::INTR | Errno::AGAIN) => {}
                    Err(_) => break,
                }
            } else if is_gone {
                break;
            } else if patience.is_some() {
                decoder.pause(&mut event);
            }
        }
        let _ = tell(None);
    }

    /// Releases the keyboard if that was requested, and forgets an incomplete key then. Returns true while
    /// another program has it.
    fn let_go(&self, decoder: &mut KeyDecoder) -> bool {
        let mut whose = self.lock();
        if *whose == KeyboardOwner::Requested {
            *whose = KeyboardOwner::Lent;
            *decoder = KeyDecoder::default();
            self.changed.notify_all();
        }
        *whose == KeyboardOwner::Lent
    }

    /// Waits for keys. While another program has the keyboard, waits only for the end of the terminal. Returns whether
    /// there is input, whether the terminal is gone, and whether the owner of the keyboard may have changed.
    fn wait(&self, is_lent: bool, patience: Option<&Timespec>) -> Result<[bool; 3], Errno> {
        let stdin = io::stdin();
        let wanted = if is_lent { PollFlags::empty() } else { PollFlags::IN };
        let mut ends = [PollFd::new(&stdin, wanted), PollFd::new(&self.woken, PollFlags::IN)];
        loop {
            match poll(&mut ends, patience) {
                Ok(_) => break,
                // A signal is neither a pause nor a call. Nothing was written to the pipe, so a read would
                // block for ever.
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        let [input, called] = ends.map(|end| end.revents());
        let is_gone = input.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
        Ok([input.contains(PollFlags::IN), is_gone, called.contains(PollFlags::IN)])
    }
}

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
