//! What is under way of a change: the menu, the plan that waits for its yes, how far it is, what
//! it came to.

use std::sync::Arc;

use super::app::Aim;
use crate::work::{Planned, Progress, Wanted};

/// Changes that are under way, and the last one.
#[derive(Default)]
pub struct Bulk {
    /// What is being planned or written, where somebody may wait for it.
    pub going: Option<Going>,
    /// What was changed last, to be repeated.
    pub last: Option<Wanted>,
    /// What an erasure came to, until it was read. Untrusted text.
    pub receipt: Option<Vec<String>>,
}

/// A change that is being planned or written.
pub struct Going {
    pub progress: Arc<Progress>,
    /// What is going on, in a few words. Untrusted text.
    pub what: String,
    /// Whether it is planned; then every key but that which stops it waits.
    pub plans: bool,
}

/// A change that was planned and is shown, to be carried out as it is or not at all.
pub struct Confirm {
    pub planned: Box<Planned>,
    /// What is asked. Untrusted text.
    pub question: String,
    /// What has to be typed for it, and what was.
    pub typed: Option<Typed>,
    /// So many of its lines are above the first on screen.
    pub top: usize,
}

/// A word that is typed before something goes for good.
pub struct Typed {
    pub wanted: String,
    pub so_far: String,
}

/// The menu of what takes memories away, or brings them back.
pub struct Menu {
    pub aim: Aim,
    pub lines: Vec<Choice>,
}

/// A line of the menu.
pub struct Choice {
    pub key: char,
    pub name: &'static str,
    /// What it does. May quote the store.
    pub about: String,
    pub wanted: Wanted,
    /// What it is aimed at, where that is all that the search shows.
    pub found: Option<Aim>,
    /// Why it can't be done, where it can't.
    pub refused: Option<String>,
}
