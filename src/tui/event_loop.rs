//! The event loop. In `tui`, only it, the terminal, the keyboard and the signals act on the outside.

mod editor_and_pager;
mod first_frame;
mod input_threads;

use std::io;
use std::mem::{self, ManuallyDrop};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGTSTP, SIGWINCH};

use crate::model::Moment;
use crate::tui::event_loop::first_frame::first_entries;
use crate::tui::event_loop::input_threads::listen;
use crate::tui::keyboard::{Keyboard, is_gone};
use crate::tui::message::{Effect, Msg};
use crate::tui::signals::{self, SignalQueue};
use crate::tui::state::app::App;
use crate::tui::terminal::{
    CrosstermScreen, IS_LINEAR, TAKES_MOUSE, append, copy_out, enter, leave, redraw, retake,
};
use crate::tui::tui_options::TuiOptions;
use crate::tui::view::view;
use crate::tui::{linear, update};
use crate::work::{FolderWatch, Job, Workers};

pub use crate::tui::event_loop::first_frame::frame;

/// Ages are drawn again at this interval if nothing else happens.
const TICK: Duration = Duration::from_secs(60);
/// Masked values stay visible for this time after the last event of their key. A held key repeats faster.
const REVEAL_TIME: Duration = Duration::from_millis(800);
/// How long a notice about new memories stays.
const BRIEF_NOTICE_TIME: Duration = Duration::from_secs(10);
/// If keys come fast, a frame is still drawn at this interval.
const FRAME: Duration = Duration::from_millis(50);
/// How long the loop waits, once a frame, for the answer to a cursor move.
const AT_ONCE: Duration = Duration::from_millis(2);
/// A running change shows its progress after this time, and then at this interval.
const PROGRESS_DELAY: Duration = Duration::from_millis(200);
/// The possible next keys of a sequence are shown after this time.
const NEXT_KEYS_DELAY: Duration = Duration::from_millis(300);
/// A draft is saved this long after its first unsaved key.
const DRAFT_DELAY: Duration = Duration::from_millis(400);

/// Why the screens ended.
#[derive(Debug)]
pub enum ExitReason {
    /// The user quit.
    ByUser,
    /// A signal with this number. It is also `SIGHUP` if the terminal disappeared without a signal.
    BySignal(i32),
    /// An error after the first frame. The user may have changed stores before it.
    ByError(io::Error),
}

enum LoopEvent {
    Msg(Msg),
    Signal(i32),
    NoInput,
}

/// Runs the screens until the user leaves them, and restores the terminal. An error means that they could
/// not start, and that no store was touched.
pub fn run(options: &TuiOptions) -> io::Result<ExitReason> {
    let now = || options.now.unwrap_or_else(Moment::of_the_clock);
    let size = if options.linear { linear::SIZE } else { crossterm::terminal::size()? };
    let mut app = App::new(options, size, now());
    // The signals come before the terminal, so that every signal restores it.
    let signals = signals::listen()?;
    signals::restore_on_failure()?;
    // Dropping the screen would print to a terminal that may be gone, and a panic in a drop aborts.
    TAKES_MOUSE.store(options.mouse, Ordering::Relaxed);
    IS_LINEAR.store(options.linear, Ordering::Relaxed);
    let mut screen = ManuallyDrop::new(enter()?);
    let mut workers = None;
    let outcome = EventLoop::start(options, &mut app, &mut screen, signals).map(|mut run| {
        let outcome = run.until_left(&now);
        workers = Some(run.workers);
        outcome.unwrap_or_else(ExitReason::ByError)
    });
    leave();
    // If a signal ended palimp while a form was open, what was typed is saved for the next start.
    if let (Some(workers), Some(job)) = (&mut workers, update::editor::leave::unkept(&app)) {
        workers.give(job);
    }
    // After a signal palimp does not wait for jobs, but it finishes a change that is being written.
    if let Some(workers) = workers {
        workers.finish_changes();
    }
    // If the terminal is gone, drawing on it and retaking it from an editor fail. That is a hang-up.
    match outcome {
        Err(error) | Ok(ExitReason::ByError(error))
            if is_gone() || error.raw_os_error() == Some(Errno::IO.raw_os_error()) =>
        {
            Ok(ExitReason::BySignal(SIGHUP))
        }
        outcome => outcome,
    }
}

struct EventLoop<'a> {
    options: &'a TuiOptions,
    app: &'a mut App,
    screen: &'a mut CrosstermScreen,
    events: Receiver<LoopEvent>,
    to_loop: Sender<LoopEvent>,
    is_resized: bool,
    workers: Workers,
    keyboard: Arc<Keyboard>,
    watch: Option<FolderWatch>,
    pending: Vec<Effect>,
    /// A search and what belongs to it. It starts after the next frame: it would take the cores from it.
    after_frame: Vec<Job>,
    linear: Option<linear::LinearOutput>,
    /// True if the loop has waited, for this frame, for the answer to a cursor move.
    has_waited: bool,
    started: Instant,
    mask_at: Option<Instant>,
    hide_notice_at: Option<Instant>,
    keep_at: Option<Instant>,
}

impl<'a> EventLoop<'a> {
    /// Draws the newest memories at once. The workers read everything else.
    fn start(
        options: &'a TuiOptions,
        app: &'a mut App,
        screen: &'a mut CrosstermScreen,
        signals: SignalQueue,
    ) -> io::Result<Self> {
        first_entries(app);
        update::ready(app);
        if !options.linear {
            screen.draw(|frame| view(app, frame))?;
        }
        let (to_loop, events) = channel();
        let deliver = to_loop.clone();
        let workers = Workers::start(move |done| {
            let _ = deliver.send(LoopEvent::Msg(Msg::Done(done)));
        })?;
        let keyboard = Arc::new(Keyboard::new(signals)?);
        listen(&to_loop, &keyboard)?;
        let mut this = EventLoop {
            options,
            app,
            screen,
            events,
            to_loop,
            is_resized: false,
            workers,
            keyboard,
            watch: None,
            pending: Vec::new(),
            after_frame: Vec::new(),
            linear: options.linear.then(linear::LinearOutput::default),
            has_waited: false,
            started: Instant::now(),
            mask_at: None,
            hide_notice_at: None,
            keep_at: None,
        };
        this.watch();
        Ok(this)
    }

    /// Watches the stores, and reads them when they are watched: nothing that changes in between is missed.
    fn watch(&mut self) {
        let roots: Vec<_> = self.app.places.iter().map(|place| place.root.clone()).collect();
        let to_loop = self.to_loop.clone();
        let changed = move || drop(to_loop.send(LoopEvent::Msg(Msg::StoresChanged)));
        self.watch = if roots.is_empty() { None } else { FolderWatch::start(roots, changed).ok() };
        if self.watch.is_none() {
            self.pending.push(update::load_now(self.app));
        }
    }

    fn until_left(&mut self, now: &dyn Fn() -> Moment) -> io::Result<ExitReason> {
        loop {
            while !self.pending.is_empty() {
                for effect in std::mem::take(&mut self.pending) {
                    if self.carry_out(effect, now())? {
                        return Ok(ExitReason::ByUser);
                    }
                }
            }
            if let Some(msg) = self.due() {
                self.update(msg, now());
                continue;
            }
            self.take_size(now())?;
            // Redraw even if the size is the same again: the terminal has moved its content.
            if mem::take(&mut self.is_resized) {
                redraw(self.screen)?;
            }
            if let Some(event) = self.comes_at_once() {
                match self.take_in(event, now)? {
                    Some(ended) => return Ok(ended),
                    None => continue,
                }
            }
            self.show()?;
            self.after_frame.drain(..).for_each(|job| self.workers.give(job));
            let waits = !self.app.key_sequence.is_empty() && !self.app.shows_next_keys;
            let shown_at = waits.then(|| Instant::now() + NEXT_KEYS_DELAY);
            let next =
                [self.mask_at, self.hide_notice_at, self.keep_at, shown_at].into_iter().flatten().min();
            let wait = next.map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
            let wait = if self.app.changes.active.is_some() { wait.min(PROGRESS_DELAY) } else { wait };
            let event = match self.events.recv_timeout(wait) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => LoopEvent::Msg(self.due().unwrap_or(match waits {
                    true => Msg::ShowNextKeys,
                    false if self.app.changes.active.is_some() => Msg::ShowProgress,
                    false => Msg::Tick,
                })),
                Err(RecvTimeoutError::Disconnected) => return Ok(ExitReason::ByUser),
            };
            if let Some(ended) = self.take_in(event, now)? {
                return Ok(ended);
            }
        }
    }

    /// Updates the app. What waits for the user uses the time since the start: `now` may be fixed.
    fn update(&mut self, msg: Msg, now: Moment) {
        let micros = self.started.elapsed().as_micros();
        self.app.monotonic_now = Moment(i64::try_from(micros).unwrap_or(i64::MAX));
        if matches!(msg, Msg::Key(_) | Msg::Mouse(_) | Msg::Paste(_)) {
            self.workers.user_acted();
        }
        self.pending.extend(update::take(self.app, msg, now));
    }

    /// Waits shortly after a cursor move, because the explanation of the rank often arrives in that time.
    fn comes_at_once(&mut self) -> Option<LoopEvent> {
        let is_asked = self.after_frame.is_empty() && self.app.why.is_none() && self.app.selected().is_some();
        self.has_waited = is_asked && !self.has_waited;
        if self.has_waited { self.events.recv_timeout(AT_ONCE).ok() } else { None }
    }

    /// Draws the screen, or prints what is new.
    fn show(&mut self) -> io::Result<()> {
        update::ready(self.app);
        let Some(output) = &mut self.linear else {
            return self.screen.draw(|frame| view(self.app, frame));
        };
        let text = linear::new_output(self.app, output);
        if text.is_empty() { Ok(()) } else { append(&text) }
    }

    /// Handles all waiting events before the next frame, so that frames don't queue up.
    fn take_in(&mut self, mut event: LoopEvent, now: &dyn Fn() -> Moment) -> io::Result<Option<ExitReason>> {
        let until = Instant::now() + FRAME;
        loop {
            match event {
                LoopEvent::Msg(msg) => {
                    if let (Msg::Key(key), true) = (&msg, self.linear.is_some()) {
                        append(&linear::echo(self.app, *key))?;
                    }
                    self.update(msg, now());
                }
                LoopEvent::Signal(SIGTSTP) => self.pending.push(Effect::Suspend),
                LoopEvent::Signal(SIGWINCH) => self.is_resized = true,
                // While palimp was stopped, another program may have changed the terminal.
                LoopEvent::Signal(SIGCONT) => retake(self.screen)?,
                LoopEvent::Signal(number) => return Ok(Some(ExitReason::BySignal(number))),
                LoopEvent::NoInput => return Ok(Some(ExitReason::BySignal(SIGHUP))),
            }
            let leaves = |effect: &Effect| {
                matches!(
                    effect,
                    Effect::Quit
                        | Effect::Suspend
                        | Effect::EditText(_)
                        | Effect::EditFormPart(_)
                        | Effect::OpenPager(_)
                )
            };
            if self.pending.iter().any(leaves) || Instant::now() >= until {
                return Ok(None);
            }
            match self.events.try_recv() {
                Ok(next) => event = next,
                Err(_) => return Ok(None),
            }
        }
    }

    /// Returns what waited for its time, if the time has come.
    fn due(&mut self) -> Option<Msg> {
        let now = Instant::now();
        let waiting = [
            (&mut self.mask_at, Msg::MaskValues),
            (&mut self.hide_notice_at, Msg::HideBriefNotice),
            (&mut self.keep_at, Msg::SaveDraft),
        ];
        waiting.into_iter().find_map(|(at, msg)| at.take_if(|at| *at <= now).map(|_| msg))
    }

    /// Reads the size once a frame, so a fast series of sizes causes few updates.
    fn take_size(&mut self, now: Moment) -> io::Result<()> {
        if self.linear.is_some() {
            return Ok(());
        }
        let size = self.screen.size()?;
        if (size.width, size.height) != self.app.size {
            self.update(Msg::Resize(size.width, size.height), now);
        }
        Ok(())
    }

    /// Carries out an effect. Returns true if palimp must quit.
    fn carry_out(&mut self, effect: Effect, now: Moment) -> io::Result<bool> {
        match effect {
            Effect::Quit => return Ok(true),
            Effect::Job(job @ Job::Search(_)) => {
                self.workers.stop_search();
                self.after_frame = vec![job];
            }
            Effect::Job(job @ Job::Explain(..)) if !self.after_frame.is_empty() => self.after_frame.push(job),
            Effect::Job(job) => self.workers.give(job),
            Effect::MaskSoon => self.mask_at = Some(Instant::now() + REVEAL_TIME),
            Effect::HideNoticeSoon => self.hide_notice_at = Some(Instant::now() + BRIEF_NOTICE_TIME),
            Effect::Redraw => self.redraw()?,
            Effect::Suspend => self.suspend(now)?,
            Effect::EditText(aim) => self.edit(*aim, now)?,
            Effect::EditFormPart(what) => self.lend(what, now)?,
            Effect::OpenPager(input) => self.page(input, now)?,
            // Counts from the first unsaved key, so that continuous typing is saved as well.
            Effect::SaveDraftSoon => drop(self.keep_at.get_or_insert_with(|| Instant::now() + DRAFT_DELAY)),
            Effect::Copy(text) => copy_out(&text)?,
            Effect::OpenDemo => self.open_demo(now),
        }
        Ok(false)
    }
}
