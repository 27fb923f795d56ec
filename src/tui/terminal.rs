//! The terminal: taken, given back, and lent to an editor.

use std::io::{self, Stdout, Write};
use std::mem;
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
};
use crossterm::style::ResetColor;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use signal_hook::consts::SIGWINCH;

use crate::work::edit_text;

/// A terminal that does not answer is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);
/// The status after a panic, as Rust's own.
const PANICKED: i32 = 101;

/// What is drawn on.
pub type Screen = Terminal<CrosstermBackend<io::BufWriter<Stdout>>>;

/// The keyboard: one thread reads it, unless it is lent.
#[derive(Default)]
pub struct Keyboard {
    whose: Mutex<Whose>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Whose {
    #[default]
    Ours,
    /// The thread is to let go of it.
    Asked,
    Lent,
}

impl Keyboard {
    fn lock(&self) -> MutexGuard<'_, Whose> {
        self.whose.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the thread that reads: lets go of the keyboard where that is asked for, and comes
    /// back when it may read.
    pub fn wait_for_turn(&self) {
        let mut whose = self.lock();
        if *whose == Whose::Asked {
            *whose = Whose::Lent;
            self.changed.notify_all();
        }
        let ours = self.changed.wait_while(whose, |whose| *whose == Whose::Lent);
        drop(ours);
    }

    /// Whether somebody else reads the keys.
    pub fn is_lent(&self) -> bool {
        *self.lock() == Whose::Lent
    }

    /// Takes the keyboard from the thread that reads; false where it does not let go.
    fn lend(&self) -> bool {
        let mut whose = self.lock();
        *whose = Whose::Asked;
        // Whoever waits for a key wakes at this signal, as at a change of the size.
        let _ = signal_hook::low_level::raise(SIGWINCH);
        whose = match self.changed.wait_timeout_while(whose, PATIENCE, |whose| *whose == Whose::Asked) {
            Ok((whose, _)) => whose,
            Err(poisoned) => poisoned.into_inner().0,
        };
        if *whose == Whose::Asked {
            *whose = Whose::Ours;
        }
        *whose == Whose::Lent
    }

    fn take_back(&self) {
        *self.lock() = Whose::Ours;
        self.changed.notify_all();
    }
}

/// What came back from an editor.
pub enum Left {
    /// A text.
    Text(String),
    /// None: why, and what somebody wrote, as far as there is anything.
    Nothing(String, Option<Vec<u8>>),
}

/// Lets the user change a text in an editor, which has the terminal meanwhile. However the
/// editor ends, the terminal is as it should be afterwards; where it can't be, what was
/// written is returned all the same.
pub fn with_editor(keyboard: &Keyboard, screen: &mut Screen, text: &str) -> (Left, io::Result<()>) {
    if !keyboard.lend() {
        let why = "The keyboard can't be handed to an editor. Nothing was changed.";
        return (Left::Nothing(why.into(), None), Ok(()));
    }
    leave();
    let modes = tcgetattr(io::stdin()).ok();
    let left = match edit_text(text) {
        Ok(after) => Left::Text(after),
        Err(error) => {
            Left::Nothing(format!("{error} Nothing was changed."), error.left().map(<[u8]>::to_vec))
        }
    };
    if let Some(modes) = modes {
        // What was typed for an editor that is gone must not be taken for keys of ours.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &modes);
    }
    // An editor that was killed leaves what it had switched on.
    let _ = execute!(io::stdout(), DisableMouseCapture, DisableFocusChange, ResetColor);
    let entered = enter();
    keyboard.take_back();
    let entered = entered.map(|entered| mem::forget(mem::replace(screen, entered)));
    (left, entered)
}

/// Ends the program. A terminal that takes no output blocks whoever writes to it, and
/// whoever waits for the lock on the output: it is left within its time, or not at all.
pub fn end(status: i32) {
    let (left, answer) = channel();
    let leaving = thread::Builder::new().spawn(move || {
        leave();
        let _ = left.send(());
    });
    if leaving.is_ok() {
        let _ = answer.recv_timeout(PATIENCE / 4);
    }
    std::process::exit(status);
}

/// Takes the terminal.
pub fn enter() -> io::Result<Screen> {
    crossterm::terminal::enable_raw_mode()?;
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    let out = io::BufWriter::with_capacity(1 << 16, out);
    Terminal::new(CrosstermBackend::new(out))
}

/// Clears what is shown, so that the next frame is drawn whole. `Terminal::clear` would ask
/// the terminal where its cursor is, which not every terminal answers.
pub fn redraw(screen: &mut Screen) -> io::Result<()> {
    let size = screen.size()?;
    screen.resize(Rect::new(0, 0, size.width, size.height))
}

/// Gives the terminal back as it was. Nothing more can be done if it is gone.
pub fn leave() {
    // First what can't block.
    let _ = crossterm::terminal::disable_raw_mode();
    let mut out = io::stdout();
    let _ = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = out.flush();
}

/// Makes a panic give the terminal back before it is reported. A panic of a background
/// thread ends the program too: the loop would draw on over the shell.
pub fn install_panic_hook() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let shown = crossterm::terminal::is_raw_mode_enabled().unwrap_or(false);
        if shown {
            leave();
        }
        report(panic);
        if shown && thread::current().name() != Some("main") {
            std::process::exit(PANICKED);
        }
    }));
}
