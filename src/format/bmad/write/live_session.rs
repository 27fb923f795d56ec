//! The session that is live.

use crate::format::writing::Refusal;
use crate::format::writing::Result;
use crate::model::Session;
use crate::model::Store;
use crate::text::shell_quote;

/// Returns the session of that name that can be written: the folder, even if an archive exists.
pub fn live_session<'a>(store: &'a Store, name: &str) -> Result<&'a Session> {
    let mut of_name = store.sessions.iter().filter(|session| session.name == name).peekable();
    if of_name.peek().is_none() {
        return Err(Refusal::no_session(name));
    }
    of_name.find(|session| session.path.starts_with("sessions")).ok_or_else(|| {
        let own = shell_quote::word(name);
        let message = format!("the session {name} is archived: `palimp session unarchive {own}` first.");
        Refusal::new("E_SESSION_ARCHIVED", message)
    })
}
