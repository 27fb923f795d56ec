//! Writes the memories of a list to a new file of the user.

use std::path::{Path, PathBuf};

use crate::disk::{Disk, RealDisk, write_new};
use crate::model::{EntryRef, PathText, Snapshot};
use crate::usecase::export::{ExportFormat, export, for_people, masked};

/// Returns the path that was typed. `~/` is the user's home.
fn of_home(file: &str) -> PathBuf {
    let home = directories::UserDirs::new().map(|own| own.home_dir().to_owned());
    match (file.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    }
}

/// Writes memories to a new file, in the format that its name asks for. Says what was done, and
/// whether secrets are masked.
/// Fails if nothing was written. The text says why.
pub fn write(snapshot: &Snapshot, entries: &[EntryRef], file: &str) -> Result<String, String> {
    let path = of_home(file);
    let Some(shape) = ExportFormat::of_name(&path) else {
        return Err(format!("{file}: the name must end in .md, .csv, .json or .jsonl. Nothing was written."));
    };
    if let Some(folder) = path.parent().filter(|own| *own != Path::new("") && RealDisk.look(own).is_err()) {
        return Err(format!("There is no folder {}. Nothing was exported.", folder.to_text()));
    }
    let mut text = Vec::new();
    let mut with_secrets = 0;
    for piece in export(snapshot, entries, (shape, false)) {
        let (piece, is_masked) = for_people(shape, piece);
        with_secrets += usize::from(is_masked);
        text.extend(piece);
    }
    match write_new(&path, &text) {
        Ok(()) => {
            let whole = std::path::absolute(&path).unwrap_or(path);
            let done =
                format!("Exported {} to {}.", crate::usecase::memory_count(entries.len()), whole.to_text());
            Ok([Some(done), masked(with_secrets)].into_iter().flatten().collect::<Vec<_>>().join(" "))
        }
        Err(error) if error.source.kind() == std::io::ErrorKind::AlreadyExists => {
            let path = path.to_text();
            Err(format!("There is a file {path} already. Nothing was exported; choose another name."))
        }
        Err(error) => Err(format!("{}: {}. Nothing was exported.", path.to_text(), error.source)),
    }
}
