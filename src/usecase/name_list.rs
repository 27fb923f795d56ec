//! Reads a file with a list of names, one on each line.

use std::path::Path;

use crate::disk::{Disk, RealDisk};
use crate::model::PathText;

/// A longer list is refused, in bytes.
const LONGEST: u64 = 1 << 20;

/// Returns the text of a list of names.
/// Fails if it can't be read whole. A name that is left out would not be searched for. The text says why.
pub fn read_name_list(path: &Path) -> Result<String, String> {
    let path_text = path.to_text();
    let read = RealDisk.read(path, 0, Some(LONGEST + 1));
    let (bytes, _) = read.map_err(|error| format!("{path_text} can't be read: {error}."))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("{path_text} has more than 1 MiB: split the list. Nothing was changed."));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("{path_text} is no text in UTF-8, from byte {at} on. Nothing was changed.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_can_not_be_read_whole_is_refused() {
        let folder = crate::folder::new();
        let list = folder.path().join("names.txt");
        let read = |bytes: &[u8]| {
            std::fs::write(&list, bytes).unwrap();
            read_name_list(&list)
        };
        assert_eq!(read("Zoë\n".as_bytes()).as_deref(), Ok("Zoë\n"));
        assert!(read(b"Zo\xeb\n").unwrap_err().contains("from byte 2 on"));
        assert!(read(&b"a name\n".repeat(150_000)).unwrap_err().contains("1 MiB"));
        assert!(read_name_list(folder.path()).is_err());
    }
}
