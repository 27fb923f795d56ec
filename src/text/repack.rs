//! Rebuilds compressed files and archives with some of their bytes changed.

use std::io::{self, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::unpack::{TarMember, plain};

/// The size of headers and files in an archive is a multiple of this many bytes.
const BLOCK: usize = 512;

/// Compresses bytes. The result does not depend on the time.
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
}

/// Packs files into an archive. The result does not depend on the time.
pub fn tar_gzip(members: &[TarMember]) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for own in members {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(own.bytes.len() as u64);
        header.set_mode(0o600);
        tar.append_data(&mut header, &own.path, &own.bytes[..])?;
    }
    gzip(&tar.into_inner()?)
}

/// Returns the new bytes of a file of an archive, or `None` if the file stays.
pub type MemberEdit<'e> = dyn FnMut(&Path, &[u8]) -> Option<Vec<u8>> + 'e;

/// Returns an archive with files changed. Every other byte stays, except for the length and the checksum in
/// the header of a changed file. `None` if nothing changes.
pub fn retar(tar: &[u8], edit: &mut MemberEdit<'_>) -> io::Result<Option<Vec<u8>>> {
    let torn = || io::Error::other("it ends within a file");
    let (mut out, mut from) = (Vec::new(), 0);
    for entry in tar::Archive::new(tar).entries()? {
        let entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let (head, start) = (entry.raw_header_position() as usize, entry.raw_file_position() as usize);
        let end = start.saturating_add(entry.size() as usize);
        let bytes = tar.get(start..end).ok_or_else(torn)?;
        let Some(new) = edit(&plain(&entry.path()?), bytes).filter(|new| *new != bytes) else { continue };
        let mut header = entry.header().clone();
        // A length outside the header would stay the old one.
        if header.entry_size()? != entry.size() {
            return Err(io::Error::other("a file's length is outside its header"));
        }
        header.set_size(new.len() as u64);
        header.set_cksum();
        out.extend_from_slice(tar.get(from..head).ok_or_else(torn)?);
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(&new);
        out.resize(out.len() + new.len().next_multiple_of(BLOCK) - new.len(), 0);
        from = end.next_multiple_of(BLOCK).min(tar.len());
    }
    if out.is_empty() {
        return Ok(None);
    }
    out.extend_from_slice(&tar[from..]);
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::unpack::{gunzip, untar};

    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o640);
            header.set_mtime(7);
            builder.append_data(&mut header, path, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn a_changed_file_leaves_every_other_byte_as_it_is() {
        let long = "deep/".repeat(40) + "c.jsonl";
        let files: [(&str, &[u8]); 3] = [("s/a", &[b'a'; 600]), (&long, b"keep\nlose\n"), ("s/c", b"last")];
        let tar = tar_of(&files);
        let new = retar(&tar, &mut |path, _| (path == Path::new(&long)).then(|| b"keep\n".to_vec()));
        let wanted = [files[0], (&long, b"keep\n".as_slice()), files[2]];
        assert_eq!(new.unwrap().unwrap(), tar_of(&wanted));
        assert_eq!(retar(&tar, &mut |_, _| None).unwrap(), None);
        assert!(retar(&tar[..900], &mut |_, _| Some(Vec::new())).is_err());
    }

    #[test]
    fn a_file_may_be_emptied_and_what_is_packed_comes_out() {
        let tar = tar_of(&[("a", b"x\n"), ("b", b"y\n")]);
        let new = retar(&tar, &mut |_, bytes| (bytes == b"x\n").then(Vec::new)).unwrap().unwrap();
        let packed = gzip(&new).unwrap();
        assert_eq!(packed, gzip(&new).unwrap());
        assert_eq!(packed[4..8], [0; 4]);
        assert_eq!(gunzip(&packed, 1 << 20).content, new);
        let both = [gzip(b"a\n").unwrap(), gzip(b"b\n").unwrap()].concat();
        assert_eq!(gunzip(&both, 1 << 20).content, b"a\nb\n");
        let members = untar(&packed, 1 << 20).content;
        let found: Vec<&[u8]> = members.iter().map(|member| &*member.bytes).collect();
        assert_eq!(found, [b"".as_slice(), b"y\n"]);
    }
}
