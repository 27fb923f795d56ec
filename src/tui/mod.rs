//! The screens. Keys become actions, actions change the app, the app is drawn.
//!
//! | files | content |
//! |---|---|
//! | `event_loop/` | the event loop; only it, `terminal`, `keyboard` and `signals` act on the outside |
//! | `terminal`, `terminal_backend` | takes, restores and lends the terminal; sends frames |
//! | `keyboard`, `key_decoder` | the thread that reads keys; decoding of bytes |
//! | `signals` | restores the terminal before a signal ends palimp |
//! | `app`, `screens`, `message` | the state; panes, views and tabs; messages and effects |
//! | `marks`, `pending_changes`, `confirm` | marks; targets, progress and plans of changes |
//! | `difference`, `line_diff`, `statistics_view` | two memories side by side; the days of the statistics |
//! | `update/` | how each message changes the app |
//! | `editor/` | the form of a memory, and what was typed into it |
//! | `action`, `keymap`, `key_lookup` | all actions and their keys |
//! | `store_tree` | rows of the pane of stores |
//! | `list_view/` | the views that are lists, one file each |
//! | `why`, `type_letters` | words for ranks and types |
//! | `search_completion`, `filter_chips` | completions and filters of a search |
//! | `layout`, `pane_titles` | places of panes, title rows and sheets |
//! | `view`, `panes/`, `linear` | the whole frame; its parts; lines for screen readers |
//! | `theme`, `colours`, `ascii` | styles and colours, and the only way from stored text to the screen |

pub(crate) mod action;
mod ascii;
mod colours;
mod confirm;
mod difference;
mod editor;
mod event_loop;
mod filter_chips;
mod key_decoder;
mod key_lookup;
mod keyboard;
pub mod keymap;
mod layout;
mod line_diff;
mod linear;
mod list_view;
mod markdown;
mod message;
mod pane_titles;
mod panes;
mod search_completion;
mod signals;
mod state;
mod statistics_view;
mod store_tree;
mod terminal;
mod terminal_backend;
mod theme;
mod type_letters;
mod update;
mod value_prompt;
mod view;
mod why;

mod found_words;
mod possible_changes;
#[cfg(test)]
mod tests;
pub mod tui_options;

pub use crate::tui::view::plain;
pub use colours::ColourPalette;
pub use event_loop::{ExitReason, frame, run};
pub use signals::prepare;
pub use terminal::install_panic_hook;
