//! What reaches the app, and what it wants done.

use crossterm::event::{KeyEvent, MouseEvent};

use super::app::ChangeTarget;
use crate::work::{Job, JobResult};

/// Something happened.
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A click, a drag, or the wheel.
    Mouse(MouseEvent),
    /// Text was pasted: text, never keys.
    Paste(String),
    /// The terminal has another size.
    Resize(u16, u16),
    /// A job came to its end.
    Done(JobResult),
    /// An editor was left: a memory's text before and afterwards, or why there is none.
    TextEdited(Box<ChangeTarget>, String, Result<String, String>),
    /// An editor was left that had a field or the record of the form: the text before and
    /// afterwards, or why there is none.
    FormPartEdited(FormPart, String, Result<String, String>),
    /// Typing rested, or went on for long: what was typed is kept.
    SaveDraft,
    /// Files beneath a store changed.
    StoresChanged,
    /// The key that shows masked values has not been heard for a while.
    MaskValues,
    /// What came was told for a while.
    HideBriefNotice,
    /// A change has been under way for a while: how far it is may show another figure.
    ShowProgress,
    /// Keys of a sequence have waited for a while: what may follow is shown.
    ShowNextKeys,
    /// Time went by: ages may show another value.
    Tick,
}

/// What of a form is opened in the user's editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormPart {
    /// The field of that number.
    Field(usize),
    /// The whole record.
    Record,
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
    /// Say soon that what came was told.
    HideNoticeSoon,
    /// Put a text on the clipboard of the terminal.
    Copy(String),
    /// Write a demo and open it.
    OpenDemo,
    /// Open a memory's text in the user's editor.
    EditText(Box<ChangeTarget>),
    /// Show a safe text in the user's pager.
    OpenPager(String),
    /// Open what a form has in the user's editor.
    EditFormPart(FormPart),
    /// Say soon that what was typed is to be kept.
    SaveDraftSoon,
    /// Leave.
    Quit,
}
