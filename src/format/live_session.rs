//! The session that is live.

use super::writing::{Refusal, Result};
use super::{Format, Placement};
use crate::model::{Session, Store};
use crate::text::shell_quote;

/// Returns the session of that name that can be written: its folder, even if an archive has the same name.
pub fn live_session<'a>(format: &dyn Format, store: &'a Store, name: &str) -> Result<&'a Session> {
    let mut of_name = store.sessions.iter().filter(|session| session.name == name).peekable();
    if of_name.peek().is_none() {
        return Err(Refusal::no_session(name));
    }
    of_name.find(|session| format.place(&session.path, true) == Placement::Enter).ok_or_else(|| {
        let own = shell_quote::word(name);
        let message = format!("the session {name} is archived: `palimp session unarchive {own}` first.");
        Refusal::new("E_SESSION_ARCHIVED", message)
    })
}
