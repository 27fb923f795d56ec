//! Reads keys and signals on a thread each, and sends them to the event loop.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use crossterm::event::Event;
use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTSTP, SIGWINCH};

use super::LoopEvent;
use crate::tui::keyboard::Keyboard;
use crate::tui::message::Msg;
use crate::tui::terminal::leave;
use crate::work::{end_editor, end_editors};

/// This many Ctrl-c in a row end an editor that hangs.
const ENOUGH: usize = 3;
/// If palimp has not ended this long after a signal, it is ended by force.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn listen(to_loop: &Sender<LoopEvent>, keyboard: &Arc<Keyboard>) -> io::Result<()> {
    let (keys, own) = (to_loop.clone(), Arc::clone(keyboard));
    thread::Builder::new().name("keys".into()).spawn(move || read_keys(&keys, &own))?;
    let (to_loop, own) = (to_loop.clone(), Arc::clone(keyboard));
    thread::Builder::new().name("signals".into()).spawn(move || wait_for_signals(&to_loop, &own))?;
    Ok(())
}

fn read_keys(to_loop: &Sender<LoopEvent>, keyboard: &Keyboard) {
    keyboard.read(|input| {
        let msg = match input {
            Some(Event::Key(key)) => Msg::Key(key),
            Some(Event::Paste(text)) => Msg::Paste(text),
            Some(Event::Mouse(event)) => Msg::Mouse(event),
            Some(_) => return true,
            None => {
                end_editors();
                return to_loop.send(LoopEvent::NoInput).is_ok();
            }
        };
        to_loop.send(LoopEvent::Msg(msg)).is_ok()
    });
}

/// Sends signals to the loop. If palimp does not end soon after one, this thread ends it. While an
/// editor has the terminal, Ctrl-c and Ctrl-\ are for the editor, and Ctrl-z stops both.
fn wait_for_signals(to_loop: &Sender<LoopEvent>, keyboard: &Keyboard) {
    let mut interrupts = 0;
    while let Ok((numbers, is_lent)) = keyboard.signals() {
        for number in numbers {
            interrupts = if is_lent && number == SIGINT { interrupts + 1 } else { 0 };
            match number {
                SIGINT | SIGQUIT if is_lent && interrupts < ENOUGH => {}
                // The editor got every Ctrl-c, too, and did not end.
                SIGINT if is_lent => {
                    end_editor();
                    interrupts = 0;
                }
                SIGTSTP if is_lent => drop(signal_hook::low_level::emulate_default_handler(SIGTSTP)),
                SIGCONT | SIGWINCH if is_lent => {}
                SIGTSTP | SIGCONT | SIGWINCH => drop(to_loop.send(LoopEvent::Signal(number))),
                _ => {
                    // The loop waits for the editor.
                    end_editors();
                    let _ = to_loop.send(LoopEvent::Signal(number));
                    // When the loop is done, the process ends during this sleep.
                    thread::sleep(PATIENCE);
                    leave();
                    std::process::exit(128 + number);
                }
            }
        }
    }
}
