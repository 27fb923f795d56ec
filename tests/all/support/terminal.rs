//! Drives a program through a pseudo-terminal, and reads the screen that it draws.
//!
//! Frames are shown completely, as on a terminal with synchronized updates. Nothing sleeps: a thread feeds
//! the output into a terminal emulator and wakes waiting threads, and every wait has a deadline.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, kill_process};

use super::frames::Received;

pub use rustix::process::Signal;

/// A program on a pseudo-terminal. Dropping it ends the program.
pub struct Terminal {
    shared: Arc<Shared>,
    master: Box<dyn MasterPty + Send>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    pid: u32,
    // The program's empty home; it must exist longer than the program.
    _home: tempfile::TempDir,
}

/// How a terminal treats input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Keys come line by line.
    pub lines: bool,
    /// Keys are shown.
    pub echo: bool,
    /// Ctrl-c interrupts.
    pub interrupts: bool,
    /// Enter is a line end.
    pub returns: bool,
    /// Line ends are translated for the terminal.
    pub output: bool,
}

#[allow(dead_code, reason = "each test binary takes what it needs")]
impl Modes {
    /// As a shell sets them for the programs that it starts.
    pub fn cooked() -> Modes {
        Modes { lines: true, echo: true, interrupts: true, returns: true, output: true }
    }

    /// As a program sets them that reads every key.
    pub fn raw() -> Modes {
        Modes { lines: false, echo: false, interrupts: false, returns: false, output: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this status.
    Status(u32),
    /// By a signal, with this name.
    Signal(String),
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    emulator: vt100::Parser,
    received: Received,
    exit: Option<Exit>,
    silent: bool,
}

/// A program to start on a pseudo-terminal.
pub struct Program {
    program: OsString,
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    env: Vec<(String, OsString)>,
}

impl Program {
    pub fn new<A: Into<OsString>>(program: impl Into<OsString>, args: impl IntoIterator<Item = A>) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Program { program: program.into(), args, folder: None, env: Vec::new() }
    }

    /// Runs it in `folder` instead of its empty home.
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Sets one more variable, or another `HOME` or `TERM`.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Starts it on a terminal of `rows` by `cols`.
    pub fn spawn(self, rows: u16, cols: u16) -> Terminal {
        let home = super::folder::new();
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.args);
        command.env_clear();
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("PATH", "/usr/bin:/bin");
        self.env.iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(self.folder.as_deref().unwrap_or(home.path()));

        let pair = native_pty_system().openpty(size(rows, cols)).expect("a pseudo-terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        // As long as this end is open, the reader does not see the program's end.
        drop(pair.slave);
        Terminal::of(pair.master, child, home, (rows, cols))
    }
}

impl Terminal {
    /// Starts `program` with a clean environment and an empty home.
    pub fn spawn<A: Into<OsString>>(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
        rows: u16,
        cols: u16,
    ) -> Terminal {
        Program::new(program, args).spawn(rows, cols)
    }

    /// Starts palimp with a clean environment and an empty home.
    pub fn palimp<A: Into<OsString>>(args: impl IntoIterator<Item = A>, rows: u16, cols: u16) -> Terminal {
        Terminal::spawn(env!("CARGO_BIN_EXE_palimp"), args, rows, cols)
    }

    fn of(
        master: Box<dyn MasterPty + Send>,
        child: Box<dyn Child + Send + Sync>,
        home: tempfile::TempDir,
        (rows, cols): (u16, u16),
    ) -> Terminal {
        let emulator = vt100::Parser::new(cells(rows), cells(cols), 0);
        let state = Mutex::new(State { emulator, received: Received::default(), exit: None, silent: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let reader = master.try_clone_reader().expect("a reader");
        let keys = Arc::new(Mutex::new(master.take_writer().expect("a writer")));
        let killer = child.clone_killer();
        let pid = child.process_id().expect("a process id");
        thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.read_all(reader)
        });
        thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.await_exit(child)
        });
        Terminal { shared, master, keys, killer, pid, _home: home }
    }

    pub fn send_keys(&mut self, keys: &str) {
        self.send_bytes(keys.as_bytes());
    }

    /// Sends keys and waits for a text on the screen.
    #[track_caller]
    pub fn send_and_see(&mut self, keys: &str, text: &str) {
        self.send_keys(keys);
        self.wait_for_text(text, super::SOON);
    }

    /// Quits palimp, which has to end by itself.
    #[track_caller]
    pub fn quit(&mut self) {
        self.send_keys("Q");
        assert_eq!(self.wait_exit(super::SOON), Exit::Status(0));
    }

    /// Sends bytes as they are: escape sequences of special keys, pastes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        // A program that has ended reads no keys; the following wait reports that.
        let mut keys = self.keys.lock().expect("nobody failed to type");
        let _ = keys.write_all(bytes).and_then(|()| keys.flush());
    }

    /// Sends bytes that may not fit into the terminal at once. The receiver learns when all are sent.
    pub fn send_in_background(&mut self, bytes: Vec<u8>) -> Receiver<()> {
        let keys = Arc::clone(&self.keys);
        let (tell, sent) = channel();
        thread::spawn(move || {
            let mut keys = keys.lock().expect("nobody failed to type");
            let _ = keys.write_all(&bytes).and_then(|()| keys.flush());
            let _ = tell.send(());
        });
        sent
    }

    /// Waits until `predicate`, which does not look at the screen, holds.
    #[track_caller]
    pub fn wait_until(&self, predicate: impl Fn() -> bool, deadline: Duration) {
        let until = Instant::now() + deadline;
        while !predicate() {
            assert!(Instant::now() < until, "it never became as expected\n{}", self.report());
            thread::yield_now();
        }
    }

    pub fn child(&self) -> u32 {
        let file = format!("/proc/{0}/task/{0}/children", self.pid);
        let children = std::fs::read_to_string(file).expect("the program runs");
        children.trim().parse().expect("one child")
    }

    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.shared.lock().emulator.set_size(cells(rows), cells(cols));
        self.master.resize(size(rows, cols)).expect("the terminal takes its new size");
    }

    /// Waits until `predicate` holds for the screen.
    ///
    /// Fails with the screen if it does not within `deadline`, or if the program ends first.
    #[track_caller]
    pub fn wait_for(&self, predicate: impl Fn(&vt100::Screen) -> bool, deadline: Duration) {
        let wait = self.wait(deadline, |state| {
            predicate(state.emulator.screen()).then_some(()).ok_or(state.exit.is_some() && state.silent)
        });
        if let Err(why) = wait {
            panic!("the screen never became as expected: {why}\n{}", self.report());
        }
    }

    #[track_caller]
    pub fn wait_for_text(&self, text: &str, deadline: Duration) {
        let found = self.wait(deadline, |state| {
            let there = state.emulator.screen().contents().contains(text);
            there.then_some(()).ok_or(state.exit.is_some() && state.silent)
        });
        if let Err(why) = found {
            panic!("{text:?} was never on the screen: {why}\n{}", self.report());
        }
    }

    #[track_caller]
    pub fn wait_exit(&self, deadline: Duration) -> Exit {
        match self.wait(deadline, |state| state.exit.clone().filter(|_| state.silent).ok_or(false)) {
            Ok(exit) => exit,
            Err(why) => panic!("the program did not end: {why}\n{}", self.report()),
        }
    }

    pub fn screen_text(&self) -> String {
        self.shared.lock().emulator.screen().contents()
    }

    pub fn screen<T>(&self, read: impl FnOnce(&vt100::Screen) -> T) -> T {
        read(self.shared.lock().emulator.screen())
    }

    /// Returns every byte that the program has sent, to prove which it never sends.
    pub fn raw_output(&self) -> Vec<u8> {
        self.shared.lock().received.bytes.clone()
    }

    pub fn raw_len(&self) -> usize {
        self.shared.lock().received.bytes.len()
    }

    /// Returns the terminal's modes, as the program set them.
    #[allow(dead_code, reason = "each test binary takes what it needs")]
    pub fn modes(&self) -> Modes {
        use rustix::fs::{Mode, OFlags, open};
        use rustix::termios::{InputModes, LocalModes, OutputModes, tcgetattr};
        let name = self.master.tty_name().expect("the terminal has a name");
        // This process must not get a controlling terminal by that.
        let own = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the terminal opens");
        let now = tcgetattr(own).expect("the terminal tells its modes");
        Modes {
            lines: now.local_modes.contains(LocalModes::ICANON),
            echo: now.local_modes.contains(LocalModes::ECHO),
            interrupts: now.local_modes.contains(LocalModes::ISIG),
            returns: now.input_modes.contains(InputModes::ICRNL),
            output: now.output_modes.contains(OutputModes::OPOST),
        }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends a signal to the program, if it still runs.
    pub fn signal(&self, signal: Signal) {
        // Under the lock, the process id stays the program's own until its end is noted.
        let state = self.shared.lock();
        if state.exit.is_none() {
            let pid = Pid::from_raw(self.pid as i32).expect("a process id");
            kill_process(pid, signal).expect("the program takes the signal");
        }
    }

    fn wait<T>(&self, deadline: Duration, check: impl Fn(&State) -> Result<T, bool>) -> Result<T, String> {
        let until = Instant::now() + deadline;
        let mut state = self.shared.lock();
        loop {
            match check(&state) {
                Ok(found) => return Ok(found),
                Err(true) => return Err(format!("the program ended, {:?}", state.exit)),
                Err(false) => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("{deadline:?} have passed"));
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap().0;
        }
    }

    fn report(&self) -> String {
        let state = self.shared.lock();
        let screen = state.emulator.screen();
        let (rows, cols) = screen.size();
        let edge = "─".repeat(usize::from(cols.get()));
        let lines: String = screen.rows(0, cols.get()).map(|row| format!("│{row}\n")).collect();
        format!(
            "screen of {rows}x{cols}, cursor at {:?}, {} bytes received, exit {:?}\n┌{edge}\n{lines}└{edge}",
            screen.cursor_position(),
            state.received.bytes.len(),
            state.exit,
        )
    }
}

/// Sends a signal to a process that was started here.
pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).expect("a process id"), signal).expect("it takes the signal");
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.shared.lock().exit.is_none() {
            let _ = self.killer.kill();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn read_all(&self, mut reader: Box<dyn Read + Send>) {
        let mut block = [0; 16 * 1024];
        // On Linux, the program's end is an error here; elsewhere, it is an end of file.
        while let Ok(count @ 1..) = reader.read(&mut block) {
            let State { emulator, received, .. } = &mut *self.lock();
            emulator.process(received.take(&block[..count]));
            self.changed.notify_all();
        }
        let mut state = self.lock();
        let State { emulator, received, .. } = &mut *state;
        emulator.process(received.rest());
        state.silent = true;
        drop(state);
        self.changed.notify_all();
    }

    fn await_exit(&self, mut child: Box<dyn Child + Send + Sync>) {
        let status = child.wait();
        let exit = match status {
            Ok(status) => match status.signal() {
                Some(name) => Exit::Signal(name.to_owned()),
                None => Exit::Status(status.exit_code()),
            },
            Err(error) => Exit::Signal(error.to_string()),
        };
        self.lock().exit = Some(exit);
        self.changed.notify_all();
    }
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has at least one row and column")
}
