//! The screens. Keys become actions, actions change the app, the app is drawn.
//!
//! | file | what it is |
//! |---|---|
//! | `run` | the event loop: with the three below the only file that does anything |
//! | `terminal` | the terminal taken, given back, and lent to an editor |
//! | `input`, `decode` | the thread that reads keys; from bytes to keys and pastes |
//! | `signals` | whatever ends the program, the terminal is given back first |
//! | `app` | what the screens know; `marks` what is marked, `bulk` the change under way, |
//! | | `back` what the views know that bring things back |
//! | `msg` | what reaches the app, and what it wants done |
//! | `update/` | how each message changes the app |
//! | `editor/` | the form of a memory, what was typed into it |
//! | `action`, `keys` | every action, and which keys mean it |
//! | `layout` | which pane is where |
//! | `view` | the whole frame; `panes/` each part of it |
//! | `theme` | colours, and the only way from stored text to the screen |

pub(crate) mod action;
mod app;
mod back;
mod border;
mod bulk;
mod confirm;
mod cursor;
mod decode;
mod editor;
mod input;
mod keys;
mod layout;
mod markdown;
mod marks;
mod msg;
mod panes;
mod prompt;
mod replies;
mod run;
mod signals;
mod terminal;
mod theme;
mod update;
mod view;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use crate::model::Moment;
use crate::query::Ranking;
use crate::store::{Looked, Place};

pub use run::{Ended, frame, plain, run};
pub use signals::prepare;
pub use terminal::install_panic_hook;

/// What the screens open with.
pub struct Options {
    /// The stores.
    pub places: Vec<Place>,
    /// Where the program looked; shown where it found nothing.
    pub looked: Vec<Looked>,
    /// A clock that is still; the machine's where `None`.
    pub now: Option<Moment>,
    /// How results are ranked at first.
    pub ranking: Ranking,
    /// No colours: meaning is never by colour alone.
    pub no_color: bool,
    /// The folder of palimp's own data; without one nothing could be undone, and nothing
    /// is changed.
    pub data: Option<PathBuf>,
    /// Nothing is changed.
    pub readonly: bool,
    /// Writes a demo and says where it is.
    pub demo: fn(Moment) -> Result<Demo, String>,
}

/// A demo that was written.
pub struct Demo {
    /// Its stores.
    pub places: Vec<Place>,
    /// The folder of palimp's own data about them.
    pub data: PathBuf,
}
