//! What the screens keep from one start to the next: with our own data, never in a store.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::{Layout, Visits, layout, visits};
use crate::disk::{Disk, Real, write_synced};
use crate::store::commit::make_folders;

/// A longer file is none of ours.
const LONGEST: u64 = 4 << 20;

/// Something that lasts, each in a file of its own.
pub enum Lasting {
    /// Up to when the memories of each store were seen.
    Visits(Visits),
    /// How the screens are arranged.
    Layout(Layout),
}

impl Lasting {
    /// Keeps it, replacing what was kept as a whole file.
    ///
    /// # Errors
    ///
    /// Where the folder of our own data can't be written: what can't be kept, and why.
    pub fn keep_in(&self, data: &Path) -> Result<(), String> {
        let (what, file, text) = match self {
            Lasting::Visits(own) => ("What is new", visits::FILE, serde_json::to_vec(own)),
            Lasting::Layout(own) => ("The layout", layout::FILE, serde_json::to_vec(own)),
        };
        let written = text.map_err(io::Error::from).and_then(|text| write(data, file, &text));
        written.map_err(|error| format!("{what} can't be kept: {error}."))
    }
}

/// What is kept in a file of the folder of our own data; the default where it has nothing of ours.
pub(super) fn read<T: DeserializeOwned + Default>(data: &Path, file: &str) -> T {
    let read = Real.read(&data.join(file), 0, Some(LONGEST));
    read.ok().and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn write(data: &Path, file: &str, text: &[u8]) -> io::Result<()> {
    make_folders(&Real, data)?;
    let temporary = data.join(format!("{file}.{}", std::process::id()));
    let written = write_synced(&Real, &temporary, 0o600, text);
    let moved = written.and_then(|()| Real.rename(&temporary, &data.join(file)));
    if moved.is_err() {
        let _ = Real.remove(&temporary);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deed::Border;

    #[test]
    fn a_layout_outlives_the_program_and_a_file_of_nonsense_is_none() {
        let folder = crate::folder::new();
        let data = folder.path().join("no/such/data");
        assert_eq!(Layout::kept_in(&data), Layout::default());
        let mut own = Layout::default();
        own.borders.insert(Border::Below, 512);
        own.all_facts = true;
        let roots = [std::path::PathBuf::from("/a"), "/b".into()];
        own.fold(&roots, false);
        own.fold(&roots[..1], true);
        Lasting::Layout(own.clone()).keep_in(&data).unwrap();
        let kept = Layout::kept_in(&data);
        assert_eq!(kept, own);
        assert!(kept.is_unfolded(&roots[1]) && !kept.is_unfolded(&roots[0]));
        let wrong: [&[u8]; 9] = [
            b"",
            b"\xff\x00",
            b"[]",
            b"{\"borders\":{\"sides\":70000}}",
            b"{\"borders\":{\"sides\":-1}}",
            b"{\"borders\":{\"roof\":200}}",
            b"{\"borders\":[1,2]}",
            b"{\"all_facts\":\"yes\"}",
            b"{\"borders\":{\"sides\":200}",
        ];
        for text in wrong {
            std::fs::write(data.join(layout::FILE), text).unwrap();
            assert_eq!(Layout::kept_in(&data), Layout::default(), "{text:?}");
        }
        std::fs::remove_file(data.join(layout::FILE)).unwrap();
        std::fs::create_dir(data.join(layout::FILE)).unwrap();
        assert_eq!(Layout::kept_in(&data), Layout::default());
        let said = Lasting::Layout(own).keep_in(&data).unwrap_err();
        assert!(said.starts_with("The layout can't be kept: "), "{said}");
    }
}
