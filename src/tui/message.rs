//! Messages to the app, and effects that it asks for.

use crossterm::event::{KeyEvent, MouseEvent};

use crate::tui::state::app::ChangeTarget;
use crate::work::{Job, JobResult, PagerInput};

pub enum Msg {
    Key(KeyEvent),
    Mouse(MouseEvent),
    /// Pasted text. It is never taken for keys.
    Paste(String),
    Resize(u16, u16),
    Done(JobResult),
    /// The editor closed: a memory's text before and after, or why there is no text.
    TextEdited(Box<ChangeTarget>, String, Result<String, String>),
    /// The editor closed for a part of the form: the text before and after, or why there is no text.
    FormPartEdited(FormPart, String, Result<String, String>),
    SaveDraft,
    StoresChanged,
    /// The key that shows masked values sent nothing for a while.
    MaskValues,
    HideBriefNotice,
    ShowProgress,
    /// A key sequence has waited for a while: show the possible next keys.
    ShowNextKeys,
    Tick,
}

/// The part of a form that opens in the user's editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormPart {
    Field(usize),
    Record,
}

pub enum Effect {
    Job(Job),
    Redraw,
    /// Return to the shell, until it continues palimp.
    Suspend,
    MaskSoon,
    HideNoticeSoon,
    Copy(String),
    OpenDemo,
    EditText(Box<ChangeTarget>),
    OpenPager(PagerInput),
    EditFormPart(FormPart),
    SaveDraftSoon,
    Quit,
}
