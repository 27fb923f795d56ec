//! What somebody wrote and could not be saved: kept, and told where.

use std::io;
use std::path::{Path, PathBuf};

use super::{Host, Vault};
use crate::format::writing::hex;
use crate::model::plan::PRIVATE;

/// Keeps a text that was meant for the store at `root`, and says where, as a sentence. Where
/// our own data can't be written, it goes to the system's temporary files.
pub fn keep_draft(host: Host<'_>, root: &Path, text: &[u8]) -> String {
    let vault = Vault::open(host.disk, host.data, root);
    let kept = vault.and_then(|vault| vault.draft(text, host.now));
    match kept.map_err(|error| (temporary(host, text), error)) {
        Ok(path) | Err((Ok(path), _)) => format!("What you wrote is kept in {}.", path.display()),
        Err((Err(_), error)) => format!("What you wrote could not be kept: {error}"),
    }
}

fn temporary(host: Host<'_>, text: &[u8]) -> io::Result<PathBuf> {
    let name = format!("palimp-draft-{}.md", &hex(&host.machine.random())[..16]);
    let path = std::env::temp_dir().join(name);
    let mut out = host.disk.create(&path, PRIVATE)?;
    out.write(text)?;
    out.sync()?;
    Ok(path)
}
