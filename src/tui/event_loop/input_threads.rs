//! Keys and signals, each on a thread of its own, on their way to the loop.

use std::ffi::c_int;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use crossterm::event::Event;
use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTSTP, SIGWINCH};

use super::LoopEvent;
use crate::tui::keyboard::{Keyboard, KeyboardInput};
use crate::tui::message::Msg;
use crate::tui::terminal::end;
use crate::work::{end_editor, end_editors};

/// So many Ctrl-c in a row end an editor that hangs.
const ENOUGH: usize = 3;
/// A program that has not ended so long after a signal is ended by force.
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
            KeyboardInput::Event(Event::Key(key)) => Msg::Key(key),
            KeyboardInput::Event(Event::Paste(text)) => Msg::Paste(text),
            KeyboardInput::Event(Event::Mouse(event)) => Msg::Mouse(event),
            KeyboardInput::Event(_) => return true,
            KeyboardInput::Gone => {
                end_editors();
                return to_loop.send(LoopEvent::NoInput).is_ok();
            }
        };
        to_loop.send(LoopEvent::Msg(msg)).is_ok()
    });
}

/// Hands signals to the loop. If the program has not ended soon after, this thread ends it.
/// While an editor has the terminal, Ctrl-c and Ctrl-\ are meant for it, and Ctrl-z stops both.
fn wait_for_signals(to_loop: &Sender<LoopEvent>, keyboard: &Keyboard) {
    let mut interrupts = 0;
    while let Ok((numbers, is_lent)) = keyboard.signals() {
        for number in numbers {
            answer((number, is_lent), &mut interrupts, to_loop);
        }
    }
}

fn answer((number, is_lent): (c_int, bool), interrupts: &mut usize, to_loop: &Sender<LoopEvent>) {
    *interrupts = if is_lent && number == SIGINT { *interrupts + 1 } else { 0 };
    match number {
        SIGINT | SIGQUIT if is_lent && *interrupts < ENOUGH => {}
        // It is heard by an editor that does not end, and asked for again and again.
        SIGINT if is_lent => {
            end_editor();
            *interrupts = 0;
        }
        SIGTSTP if is_lent => drop(signal_hook::low_level::emulate_default_handler(SIGTSTP)),
        SIGCONT | SIGWINCH if is_lent => {}
        SIGTSTP | SIGCONT | SIGWINCH => drop(to_loop.send(LoopEvent::Signal(number))),
        _ => {
            // The loop waits for it.
            end_editors();
            let _ = to_loop.send(LoopEvent::Signal(number));
            // The program ends under this thread when the loop is done: there is nothing to hear of.
            thread::sleep(PATIENCE);
            end(128 + number);
        }
    }
}
