//! What the user wrote, where it can't be saved.

use std::path::{Path, PathBuf};

use super::asked::ChangeRequest;
use super::erase::{ERASED, unless_erased};
use super::wanted::Wanted;
use crate::model::{Entry, Moment, Store};
use crate::store::commit::{CommitError, Host, keep_text, kept_in, not_kept};

/// Why a change was not made. A text that the user wrote outlives that.
pub fn not_made(request: &ChangeRequest, why: String) -> String {
    match (&request.wanted, request.at.first()) {
        (Wanted::Edit(fields), Some(at)) => {
            let of = request.snapshot.get(*at);
            let text = fields.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join("\n");
            format!("{why} {}", keep(&request.data, of, text.as_bytes(), request.now))
        }
        _ => why,
    }
}

/// Keeps what the user wrote about a memory, and says where, as a sentence. Of one that was erased
/// meanwhile nothing is kept.
pub fn keep(data: &Path, (store, entry): (&Store, &Entry), text: &[u8], now: Moment) -> String {
    keep_at(data, (store, Some(entry)), text, now)
}

/// The same for a store, where it may be about no memory that is there.
pub fn keep_at(data: &Path, of: (&Store, Option<&Entry>), text: &[u8], now: Moment) -> String {
    let host = Host::here(data, now);
    let keep = || keep_text(host, &of.0.root, text);
    let drop = |kept: Result<PathBuf, CommitError>| {
        let _ = kept.map(|path| host.disk.remove(&path));
    };
    let kept = match of.1 {
        Some(entry) => unless_erased(host, (of.0, entry), keep, drop),
        None => Ok(Some(keep())),
    };
    match kept {
        Ok(Some(Ok(path))) => kept_in(&path),
        Ok(None) => format!("What you wrote is not kept: {ERASED}."),
        Ok(Some(Err(error))) | Err(error) => not_kept(&error),
    }
}
