//! Messages to the app, and effects that it asks for.

use crossterm::event::{KeyEvent, MouseEvent};

use crate::tui::state::app::ChangeTarget;
use crate::work::{Job, JobResult};

pub enum Msg {
    Key(KeyEvent),
    /// A click, a drag, or the wheel.
    Mouse(MouseEvent),
    /// Pasted text. It is never taken for keys.
    Paste(String),
    /// The new columns and rows of the terminal.
    Resize(u16, u16),
    Done(JobResult),
    /// The editor closed: a memory's text before and after, or why there is no text.
    TextEdited(Box<ChangeTarget>, String, Result<String, String>),
    /// The editor closed for a part of the form: the text before and after, or why there is no text.
    FormPartEdited(FormPart, String, Result<String, String>),
    /// Typing paused or went on for long: save the draft.
    SaveDraft,
    StoresChanged,
    /// The key that shows masked values sent nothing for a while.
    MaskValues,
    /// The brief notice was visible for long enough.
    HideBriefNotice,
    /// A change has been running for a while: its progress may have changed.
    ShowProgress,
    /// A key sequence has waited for a while: show the possible next keys.
    ShowNextKeys,
    /// Time has passed: ages may have changed.
    Tick,
}

/// The part of a form that opens in the user's editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormPart {
    /// The field with this index.
    Field(usize),
    /// The whole memory.
    Record,
}

/// An action outside the app.
pub enum Effect {
    Job(Job),
    Redraw,
    /// Return to the shell, until it continues palimp.
    Suspend,
    /// Mask values again when their key sends nothing for a while.
    MaskSoon,
    /// Hide the brief notice after a while.
    HideNoticeSoon,
    /// Put a text on the clipboard of the terminal.
    Copy(String),
    /// Write a demo and open it.
    OpenDemo,
    /// Open a memory's text in the user's editor.
    EditText(Box<ChangeTarget>),
    /// Show a safe text in the user's pager.
    OpenPager(String),
    /// Open a part of the form in the user's editor.
    EditFormPart(FormPart),
    /// Save the draft after a while.
    SaveDraftSoon,
    Quit,
}
