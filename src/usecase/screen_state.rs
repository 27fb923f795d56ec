//! What the screens keep between starts: with palimp's own data, never in a store.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::{PaneLayout, Visits, pane_layout, visits};
use crate::disk::{Disk, RealDisk, write_synced};
use crate::store::commit::make_folders;

/// A longer file, in bytes, is not one of palimp's.
const LONGEST: u64 = 4 << 20;

/// State that is kept, each kind in its own file.
pub enum ScreenState {
    /// Up to when the memories of each store were seen.
    Visits(Visits),
    /// The arrangement of the screens.
    Layout(PaneLayout),
}

impl ScreenState {
    /// Keeps it. The old file is replaced as a whole.
    ///
    /// # Errors
    ///
    /// If the folder of palimp's own data can't be written. The text says what can't be kept, and why.
    pub fn keep_in(&self, data: &Path) -> Result<(), String> {
        let (what, file, text) = match self {
            ScreenState::Visits(own) => ("What is new", visits::FILE, serde_json::to_vec(own)),
            ScreenState::Layout(own) => ("The layout", pane_layout::FILE, serde_json::to_vec(own)),
        };
        let written = text.map_err(io::Error::from).and_then(|text| write(data, file, &text));
        written.map_err(|error| format!("{what} can't be kept: {error}."))
    }
}

/// Reads a file in the folder of palimp's own data; the default if there is no valid file.
pub(super) fn read<T: DeserializeOwned + Default>(data: &Path, file: &str) -> T {
    let read = RealDisk.read(&data.join(file), 0, Some(LONGEST));
    read.ok().and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

pub(super) fn write(data: &Path, file: &str, text: &[u8]) -> io::Result<()> {
    make_folders(&RealDisk, data)?;
    let temporary = data.join(format!("{file}.{}", std::process::id()));
    let written = write_synced(&RealDisk, &temporary, 0o600, text);
    let moved = written.and_then(|()| RealDisk.rename(&temporary, &data.join(file)));
    if moved.is_err() {
        let _ = RealDisk.remove(&temporary);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usecase::PaneBorder;

    #[test]
    fn a_layout_outlives_the_program_and_a_file_of_nonsense_is_none() {
        let folder = crate::folder::new();
        let data = folder.path().join("no/such/data");
        assert_eq!(PaneLayout::kept_in(&data), PaneLayout::default());
        let mut own = PaneLayout::default();
        own.borders.insert(PaneBorder::Below, 512);
        own.all_facts = true;
        let roots = [std::path::PathBuf::from("/a"), "/b".into()];
        own.fold(&roots, false);
        own.fold(&roots[..1], true);
        ScreenState::Layout(own.clone()).keep_in(&data).unwrap();
        let kept = PaneLayout::kept_in(&data);
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
            std::fs::write(data.join(pane_layout::FILE), text).unwrap();
            assert_eq!(PaneLayout::kept_in(&data), PaneLayout::default(), "{text:?}");
        }
        std::fs::remove_file(data.join(pane_layout::FILE)).unwrap();
        std::fs::create_dir(data.join(pane_layout::FILE)).unwrap();
        assert_eq!(PaneLayout::kept_in(&data), PaneLayout::default());
        let said = ScreenState::Layout(own).keep_in(&data).unwrap_err();
        assert!(said.starts_with("The layout can't be kept: "), "{said}");
    }
}
