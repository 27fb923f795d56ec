//! The actions `suspend` and `redraw`.

use std::io;

use signal_hook::consts::SIGTSTP;

use super::EventLoop;
use crate::model::Moment;
use crate::tui::linear::LinearOutput;
use crate::tui::terminal::{leave, redraw, retake};

impl EventLoop<'_> {
    /// Returns to the shell, until it continues palimp.
    pub(super) fn suspend(&mut self, now: Moment) -> io::Result<()> {
        // If palimp stopped in the middle of a change, it would block agents with its lock.
        let held = self.workers.hold_changes();
        leave();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        retake(self.screen)?;
        drop(held);
        self.take_size(now)
    }

    pub(super) fn redraw(&mut self) -> io::Result<()> {
        match &mut self.linear {
            Some(told) => *told = LinearOutput::default(),
            None => redraw(self.screen)?,
        }
        Ok(())
    }
}
