//! The screens. Keys become actions, actions change the app, the app is drawn.
//!
//! | file | what it is |
//! |---|---|
//! | `run` | the event loop: with the three below the only file that does anything |
//! | `terminal` | the terminal taken, given back, and lent to an editor |
//! | `input`, `decode` | the thread that reads keys; from bytes to keys and pastes |
//! | `signals` | whatever ends the program, the terminal is given back first |
//! | `app`, `views` | what the screens know, and what can be on the screen; `marks` what is marked, |
//! | | `aim` what a change is aimed at, |
//! | | `bulk` the change under way, `calendar` the days of the statistics, |
//! | | `compare`, `differences` two memories beside each other |
//! | `msg` | what reaches the app, and what it wants done |
//! | `update/` | how each message changes the app |
//! | `editor/` | the form of a memory, what was typed into it |
//! | `action`, `keys` | every action, and which keys mean it |
//! | `tree`, `health` | rows of the stores, of the health |
//! | `list_view/` | the views that are a list, a file each: their rows, and what is about a row |
//! | `why`, `suggest`, `chips`, `synonyms`, `kinds` | words: of a rank, of a search, of the palette; letters of types |
//! | `layout`, `borders`, `pane` | which pane is where, the borders that move; title rows and sheets |
//! | `view` | the whole frame; `panes/` each part of it |
//! | `theme`, `palette`, `ascii` | styles and colours, and the only way from stored text to the screen |

pub(crate) mod action;
mod aim;
mod app;
mod ascii;
mod borders;
mod bulk;
mod calendar;
mod chips;
mod compare;
mod confirm;
mod cursor;
mod decode;
mod differences;
mod editor;
mod health;
mod input;
pub mod keymap;
mod keys;
mod kinds;
mod layout;
mod linear;
mod list_view;
mod markdown;
mod marks;
mod msg;
mod paint;
mod palette;
mod pane;
mod panes;
mod prompt;
mod replies;
mod run;
mod signals;
mod suggest;
mod synonyms;
mod terminal;
mod theme;
mod tree;
mod update;
mod view;
mod views;
mod why;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use crate::deed::{Layout, Visits};
use crate::model::Moment;
use crate::query::Ranking;
use crate::store::{Looked, Place};

pub use palette::Palette;
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
    /// The colours.
    pub palette: Palette,
    /// Signs and bars in ASCII.
    pub ascii: bool,
    /// Whether lines are told instead of screens drawn.
    pub linear: bool,
    /// Whether clicks and the wheel are taken; else the terminal selects text with them.
    pub mouse: bool,
    /// The folder of palimp's own data; without one nothing could be undone, and nothing
    /// is changed.
    pub data: Option<PathBuf>,
    /// Up to when the memories of each store were seen.
    pub visits: Visits,
    /// How the screens were arranged.
    pub layout: Layout,
    /// Whether nothing on the screen changes by itself.
    pub reduced_motion: bool,
    /// Where the demo is, if that is what is opened.
    pub demo_folder: Option<PathBuf>,
    /// Nothing is changed.
    pub readonly: bool,
    /// Writes a demo and says where it is.
    pub demo: fn(Moment) -> Result<Demo, String>,
}

/// A demo that was written.
pub struct Demo {
    /// Up to when its memories were seen.
    pub visits: Visits,
    /// Where it is.
    pub folder: PathBuf,
    /// Its stores.
    pub places: Vec<Place>,
    /// The folder of palimp's own data about them.
    pub data: PathBuf,
}
