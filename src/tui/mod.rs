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
mod action_synonyms;
mod app;
mod ascii;
mod change_target;
mod colours;
mod confirm;
mod difference;
mod editor;
mod event_loop;
mod filter_chips;
mod health;
mod key_decoder;
mod key_lookup;
mod keyboard;
pub mod keymap;
mod layout;
mod line_diff;
mod linear;
mod list_cursor;
mod list_view;
mod markdown;
mod marks;
mod message;
mod pane_borders;
mod pane_titles;
mod panes;
mod pending_changes;
mod prompt;
mod screens;
mod search_completion;
mod signals;
mod statistics_view;
mod store_tree;
mod terminal;
mod terminal_backend;
mod terminal_replies;
mod theme;
mod type_letters;
mod update;
mod view;
mod why;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use crate::model::Moment;
use crate::query::Ranking;
use crate::store::{DiscoveryResult, Place};
use crate::usecase::{PaneLayout, Visits};

pub use colours::ColourPalette;
pub use event_loop::{ExitReason, frame, plain, run};
pub use signals::prepare;
pub use terminal::install_panic_hook;

/// What the screens open with.
pub struct TuiOptions {
    /// The stores.
    pub places: Vec<Place>,
    /// Where the program looked; shown where it found nothing.
    pub searched_places: Vec<DiscoveryResult>,
    /// A clock that is still; the machine's where `None`.
    pub now: Option<Moment>,
    /// How results are ranked at first.
    pub ranking: Ranking,
    /// The colours.
    pub palette: ColourPalette,
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
    pub layout: PaneLayout,
    /// Whether nothing on the screen changes by itself.
    pub reduced_motion: bool,
    /// Where the demo is, if that is what is opened.
    pub demo_folder: Option<PathBuf>,
    /// Nothing is changed.
    pub readonly: bool,
    /// Writes a demo and says where it is.
    pub demo: fn(Moment) -> Result<WrittenDemo, String>,
}

/// A demo that was written.
pub struct WrittenDemo {
    /// Up to when its memories were seen.
    pub visits: Visits,
    /// Where it is.
    pub folder: PathBuf,
    /// Its stores.
    pub places: Vec<Place>,
    /// The folder of palimp's own data about them.
    pub data: PathBuf,
}
