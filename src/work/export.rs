//! The memories of a list, written into a new file of the user's.

use std::path::{Path, PathBuf};

use crate::disk::{Disk, Real, write_new};
use crate::model::{EntryRef, Snapshot, Tell};
use crate::ops::export::{Shape, export};
use crate::text::secrets::mask;

/// Where a path that was typed leads: `~/` is the user's home.
fn of_home(file: &str) -> PathBuf {
    let home = directories::UserDirs::new().map(|own| own.home_dir().to_owned());
    match (file.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    }
}

/// Writes memories into a file that is not there yet, in the shape that its name asks for. JSON has the
/// bytes that are stored; in what is for people secrets are masked. Says what was done.
pub fn write(snapshot: &Snapshot, entries: &[EntryRef], file: &str) -> String {
    let path = of_home(file);
    let Some(shape) = Shape::of_name(&path) else {
        return format!("{file}: the name must end in .md, .csv, .json or .jsonl. Nothing was written.");
    };
    if let Some(folder) = path.parent().filter(|own| *own != Path::new("") && Real.look(own).is_err()) {
        return format!("There is no folder {}. Nothing was exported.", folder.told());
    }
    let is_json = matches!(shape, Shape::Json | Shape::JsonLines);
    let mut text = Vec::new();
    for piece in export(snapshot, entries, shape) {
        match is_json {
            true => text.extend(piece),
            false => text.extend(mask(&String::from_utf8_lossy(&piece)).as_bytes()),
        }
    }
    if let Some((_, file)) = snapshot.changed().next() {
        return format!("{} changed meanwhile. Nothing was written; try again.", file.path.told());
    }
    match write_new(&path, &text) {
        Ok(()) => {
            let whole = std::path::absolute(&path).unwrap_or(path);
            format!("Exported {} to {}.", crate::deed::memories(entries.len()), whole.told())
        }
        Err(error) if error.source.kind() == std::io::ErrorKind::AlreadyExists => {
            format!("There is a file {} already. Nothing was exported; choose another name.", path.told())
        }
        Err(error) => format!("{}: {}. Nothing was exported.", path.told(), error.source),
    }
}
