//! What reaches the app, and what it wants done.

use crossterm::event::KeyEvent;

use super::app::Aim;
use crate::work::{Done, Job};

/// Something happened.
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted: text, never keys.
    Paste(String),
    /// The terminal has another size.
    Resize(u16, u16),
    /// A job came to its end.
    Done(Done),
    /// An editor was left: a memory's text before and afterwards, or why there is none.
    Edited(Box<Aim>, String, Result<String, String>),
    /// Files beneath a store changed.
    Changed,
    /// The key that shows masked values has not been heard for a while.
    Mask,
    /// A change has been under way for a while: how far it is may show another figure.
    Going,
    /// Time went by: ages may show another value.
    Tick,
}

/// Something to do outside the app.
pub enum Effect {
    /// A job for the workers.
    Job(Job),
    /// Draw everything anew.
    Redraw,
    /// Back to the shell until it brings us to the front again.
    Suspend,
    /// Mask values again when the key that shows them is no longer heard.
    MaskSoon,
    /// Write a demo and open it.
    OpenDemo,
    /// Open a memory's text in the user's editor.
    Edit(Box<Aim>),
    /// Leave.
    Quit,
}
