//! The screens. Keys become actions, actions change the app, the app is drawn.
//!
//! | files | content |
//! |---|---|
//! | `event_loop/` | the event loop; only it, `terminal`, `keyboard` and `signals` act on the outside |
//! | `terminal`, `terminal_backend` | takes, restores and lends the terminal; sends frames |
//! | `keyboard`, `key_decoder`, `terminal_replies` | the thread that reads keys; decoding of bytes |
//! | `signals` | restores the terminal before a signal ends palimp |
//! | `app`, `screens`, `message` | the state; panes, views and tabs; messages and effects |
//! | `marks`, `change_target`, `pending_changes`, `confirm` | marks; targets, progress and plans of changes |
//! | `difference`, `line_diff`, `statistics_view` | two memories side by side; the days of the statistics |
//! | `update/` | how each message changes the app |
//! | `editor/` | the form of a memory, and what was typed into it |
//! | `action`, `keymap`, `key_lookup` | all actions and their keys |
//! | `store_tree`, `health` | rows of the panes of stores and health |
//! | `list_view/` | the views that are lists, one file each |
//! | `why`, `action_synonyms`, `type_letters` | words for ranks, actions and types |
//! | `search_completion`, `filter_chips` | completions and filters of a search |
//! | `layout`, `pane_borders`, `pane_titles` | places of panes, movable borders, title rows and sheets |
//! | `view`, `panes/`, `linear` | the whole frame; its parts; lines for screen readers |
//! | `theme`, `colours`, `ascii` | styles and colours, and the only way from stored text to the screen |

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

/// Options of the screens.
pub struct TuiOptions {
    /// The stores to open.
    pub places: Vec<Place>,
    /// Where palimp looked for stores; shown if it found none.
    pub searched_places: Vec<DiscoveryResult>,
    /// A fixed time instead of the system clock.
    pub now: Option<Moment>,
    /// The ranking of results at the start.
    pub ranking: Ranking,
    /// The colours.
    pub palette: ColourPalette,
    /// True for signs and bars in ASCII.
    pub ascii: bool,
    /// True to print lines instead of drawing screens.
    pub linear: bool,
    /// True to take clicks and the wheel. Otherwise the terminal selects text with them.
    pub mouse: bool,
    /// The folder of palimp's own data. Without it nothing can be undone, so nothing can be changed.
    pub data: Option<PathBuf>,
    /// The time up to which the user has seen each store's memories.
    pub visits: Visits,
    /// The saved arrangement of the panes.
    pub layout: PaneLayout,
    /// True if nothing on the screen may change by itself.
    pub reduced_motion: bool,
    /// The folder of the demo, if the demo is opened.
    pub demo_folder: Option<PathBuf>,
    /// True if nothing may be changed.
    pub readonly: bool,
    /// Writes a demo. The error says why that failed.
    pub demo: fn(Moment) -> Result<WrittenDemo, String>,
}

/// A demo on disk.
pub struct WrittenDemo {
    /// The time up to which its memories count as seen.
    pub visits: Visits,
    /// Its folder.
    pub folder: PathBuf,
    /// Its stores.
    pub places: Vec<Place>,
    /// The folder of palimp's own data about it.
    pub data: PathBuf,
}
