//! The terminal: palimp takes it, restores it, and lends it to an editor or a pager.

use std::io::{self, Stdout, Write};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::keyboard::Keyboard;
use super::terminal_backend::{self, ClusterBackend};
use crate::work::{PagerInput, edit_text, page};

/// How long palimp waits for a terminal that takes no output.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };
const PANICKED: i32 = 101;

/// Switches to the alternate screen, marks pastes, hides the cursor, and turns line wrapping off. Without
/// that, a line would wrap if the terminal gives a cluster more columns than expected.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[?7l";
const MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";
/// True if palimp takes clicks and the wheel, and does not leave them to the terminal.
pub static TAKES_MOUSE: AtomicBool = AtomicBool::new(false);
/// True in linear mode: the screen is left as it is.
pub static IS_LINEAR: AtomicBool = AtomicBool::new(false);
/// Ends an unfinished sequence and an unfinished frame. Then resets colours, mouse, focus events, marked
/// pastes, line wrapping, screen and cursor. Some of these are on only if an editor was killed.
const GIVE: &[u8] =
    b"\x1b\\\x1b[?2026l\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\
\x1b[?2004l\x1b[?7h\x1b[?1049l\x1b[?25h";

/// The modes of the terminal before palimp took it.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The screen that frames are drawn on.
pub type CrosstermScreen = terminal_backend::TerminalScreen<CrosstermBackend<FrameWriter>>;

/// The terminal's output without the lock of `Stdout`. A thread that restores the terminal must not wait for
/// a thread that is stuck in a frame.
pub struct TerminalOutput(Stdout);

impl Write for TerminalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(&self.0, bytes) {
                // A signal must not interrupt a frame.
                Err(Errno::INTR) => {}
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends what was written since the last flush as one frame, between the marks of a synchronized update:
/// the terminal shows all of it at once. Terminals that don't know the marks ignore them.
pub struct FrameWriter {
    output: TerminalOutput,
    frame: Vec<u8>,
}

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.frame.len() > BEGIN.len() {
            self.frame.extend_from_slice(END);
            let sent = self.output.write_all(&self.frame);
            self.frame.truncate(BEGIN.len());
            sent?;
        }
        self.output.flush()
    }
}

/// A text from an editor. If there is none: the reason, and what the user wrote, if there is anything.
type EditedText = Result<String, (String, Option<Vec<u8>>)>;

/// Lets the user change a text in an editor. Returns the text even if the terminal does not come back.
pub fn with_editor(
    keyboard: &Keyboard,
    screen: &mut CrosstermScreen,
    text: &str,
) -> (EditedText, io::Result<()>) {
    let (left, entered) = lend(keyboard, screen, || edit_text(text));
    let left = match left {
        Some(Ok(after)) => Ok(after),
        Some(Err(error)) => Err((format!("{error} Nothing was changed."), error.left().map(<[u8]>::to_vec))),
        None => Err(("The keyboard can't be handed to an editor. Nothing was changed.".into(), None)),
    };
    (left, entered)
}

/// Lets the user read a text in a pager. The error says why that failed.
pub fn with_pager(
    keyboard: &Keyboard,
    screen: &mut CrosstermScreen,
    input: PagerInput,
) -> (Result<(), String>, io::Result<()>) {
    let (read, entered) = lend(keyboard, screen, || page(input));
    let why = || "The keyboard can't be handed to a pager.".to_owned();
    (read.ok_or_else(why).and_then(|read| read.map_err(|error| error.to_string())), entered)
}

/// Lends the terminal to another program while `run` runs, and restores its modes afterwards. Returns `None`
/// if the keyboard can't be handed over.
fn lend<T>(
    keyboard: &Keyboard,
    screen: &mut CrosstermScreen,
    run: impl FnOnce() -> T,
) -> (Option<T>, io::Result<()>) {
    if !keyboard.lend() {
        return (None, Ok(()));
    }
    leave();
    let modes = tcgetattr(io::stdin()).ok();
    let left = run();
    if let Some(modes) = modes {
        // Keys that were typed for an editor that is gone must not reach palimp.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &modes);
    }
    // An editor that was killed leaves its modes switched on.
    if !IS_LINEAR.load(Ordering::Relaxed) {
        tell(GIVE);
    }
    let entered = enter();
    keyboard.take_back();
    let entered = entered.map(|entered| mem::forget(mem::replace(screen, entered)));
    (Some(left), entered)
}

/// Appends a text to what the terminal shows.
pub fn append(text: &str) -> io::Result<()> {
    TerminalOutput(io::stdout()).write_all(text.as_bytes())
}

/// Takes the terminal, even if palimp already has it: while palimp was stopped, another program may have
/// changed it.
pub fn enter() -> io::Result<CrosstermScreen> {
    let stdin = io::stdin();
    let now = tcgetattr(&stdin)?;
    let mut raw = now.clone();
    raw.make_raw();
    if let Some(mut before) = before() {
        tcsetattr(&stdin, OptionalActions::Now, &raw)?;
        before.get_or_insert(now);
    }
    let mut output = TerminalOutput(io::stdout());
    if !IS_LINEAR.load(Ordering::Relaxed) {
        output.write_all(TAKE)?;
    }
    if TAKES_MOUSE.load(Ordering::Relaxed) {
        output.write_all(MOUSE)?;
    }
    let backend = ClusterBackend(CrosstermBackend::new(FrameWriter { output, frame: BEGIN.to_vec() }));
    Terminal::new(backend).map(CrosstermScreen::on)
}

pub fn retake(screen: &mut CrosstermScreen) -> io::Result<()> {
    mem::forget(mem::replace(screen, enter()?));
    redraw(screen)
}

/// Returns the former modes; `None` while another thread takes or restores the terminal.
fn before() -> Option<MutexGuard<'static, Option<Termios>>> {
    match BEFORE.try_lock() {
        Ok(before) => Some(before),
        Err(TryLockError::Poisoned(before)) => Some(before.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Clears the screen, so that the next frame is drawn completely. `Terminal::clear` would ask the terminal
/// for the position of its cursor, which not every terminal answers.
pub fn redraw(screen: &mut CrosstermScreen) -> io::Result<()> {
    let size = screen.size()?;
    screen.clear(Rect::new(0, 0, size.width, size.height))
}

/// Asks the terminal to put a text on its clipboard (OSC 52). Some terminals ignore that.
pub fn copy_out(text: &str) -> io::Result<()> {
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    TerminalOutput(io::stdout()).write_all(format!("\x1b]52;c;{encoded}\x07").as_bytes())
}

/// Restores the terminal as it was. Needs no memory, and waits only for a terminal that takes no output, and
/// not for long. If the terminal is gone, nothing more can be done.
pub fn leave() {
    let Some(mut before) = before() else { return };
    if let Some(before) = before.take() {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
        if !IS_LINEAR.load(Ordering::Relaxed) {
            tell(GIVE);
        }
    }
}

/// Sends control sequences, if the terminal takes output.
fn tell(bytes: &[u8]) {
    let stdout = io::stdout();
    let mut output = [PollFd::new(&stdout, PollFlags::OUT)];
    if poll(&mut output, Some(&PATIENCE)).is_ok_and(|ready| ready > 0) {
        let _ = rustix::io::write(&stdout, bytes);
    }
}

const NO_MEMORY: &[u8] =
    b"palimp: memory or threads are short (`ulimit -v`, `ulimit -u`). A change that was interrupted is finished or undone by the next start.\n";
/// The exit status when memory ran out: the system failed.
const FAILED: i32 = 4;

/// Makes a panic restore the terminal before it is reported. A panic of a background thread ends palimp, too,
/// because the loop would continue to draw over the shell.
pub fn install_panic_hook() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let shown = before().is_some_and(|before| before.is_some());
        if shown {
            leave();
        }
        // The standard library panics if a new thread gets no memory for its stack.
        let text = panic.payload().downcast_ref::<String>();
        if shown && text.is_some_and(|text| text.ends_with("(os error 12)")) {
            let _ = rustix::io::write(io::stderr(), NO_MEMORY);
            std::process::exit(FAILED);
        }
        report(panic);
        if shown && thread::current().name() != Some("main") {
            std::process::exit(PANICKED);
        }
    }));
}
