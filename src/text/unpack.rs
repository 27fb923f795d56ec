//! Unpacks compressed files and archives in memory, never onto the disk.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;

/// The maximum number of files that are read from an archive.
pub const MEMBERS: usize = 100_000;
/// Memory is reserved in pieces of at most this many bytes, no matter what size an archive states.
const PIECE: u64 = 1 << 20;

/// The unpacked content, and a fault.
#[derive(Debug, Default)]
pub struct Unpacked<T> {
    /// As much as could be read.
    pub content: T,
    /// The reason why it ends there, if that is not its end.
    pub fault: Option<String>,
}

/// One regular file of an archive.
#[derive(Clone, Debug)]
pub struct TarMember {
    /// Its path within the archive, without `.`, `..` and a root.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Unpacks a gzip file, to at most `limit` bytes.
pub fn gunzip(packed: &[u8], limit: u64) -> Unpacked<Vec<u8>> {
    let mut content = Vec::new();
    let fault = fill(&mut MultiGzDecoder::new(packed), limit, &mut content);
    Unpacked { content, fault }
}

/// Unpacks the regular files of a tar.gz file, to at most `limit` bytes in all.
pub fn untar(packed: &[u8], limit: u64) -> Unpacked<Vec<TarMember>> {
    // Bytes between the members count, too. Otherwise an archive of holes would never end.
    let stream = MultiGzDecoder::new(packed).take(limit.saturating_add(PIECE));
    let mut content = Vec::new();
    let fault =
        read_members(tar::Archive::new(stream), limit, &mut content).err().map(|error| error.to_string());
    Unpacked { content, fault }
}

fn read_members(
    mut archive: tar::Archive<impl Read>,
    mut left: u64,
    members: &mut Vec<TarMember>,
) -> io::Result<()> {
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if members.len() == MEMBERS {
            return Err(io::Error::other(format!("it has more than {MEMBERS} files")));
        }
        let path = plain(&entry.path()?);
        let mut bytes = Vec::new();
        let fault = fill(&mut entry, left, &mut bytes);
        left -= bytes.len() as u64;
        members.push(TarMember { path, bytes });
        if let Some(fault) = fault {
            return Err(io::Error::other(fault));
        }
    }
    Ok(())
}

/// Reads up to `limit` bytes. Returns the reason if that is not the correct end.
fn fill(from: &mut impl Read, limit: u64, into: &mut Vec<u8>) -> Option<String> {
    loop {
        let left = limit - into.len() as u64;
        match from.by_ref().take(left.min(PIECE)).read_to_end(into) {
            Ok(0) if left > 0 => return None,
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => return Some(error.to_string()),
        }
    }
    match from.read(&mut [0]) {
        Ok(0) => None,
        Ok(_) => Some(format!("it unpacks to more than {limit} bytes")),
        Err(error) => Some(error.to_string()),
    }
}

pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            builder.append(&header, *bytes).unwrap();
        }
        gzip(&builder.into_inner().unwrap())
    }

    #[test]
    fn what_was_packed_comes_out_also_in_parts() {
        let packed = [gzip(b"one\n"), gzip(b"two\n")].concat();
        let unpacked = gunzip(&packed, 8);
        assert_eq!((unpacked.content.as_slice(), unpacked.fault), (b"one\ntwo\n".as_slice(), None));
    }

    #[test]
    fn a_torn_file_gives_what_it_has_and_says_so() {
        let packed = gzip(&b"line\n".repeat(10_000));
        let unpacked = gunzip(&packed[..packed.len() / 2], 1 << 20);
        assert!(unpacked.content.starts_with(b"line\n") && unpacked.fault.is_some());
        assert!(gunzip(b"no gzip", 1 << 20).fault.is_some());
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let bomb = gzip(&vec![0; 50 << 20]);
        let unpacked = gunzip(&bomb, 1 << 20);
        assert_eq!(unpacked.content.len(), 1 << 20);
        assert_eq!(unpacked.fault.unwrap(), "it unpacks to more than 1048576 bytes");
        let in_tar = tar_of(&[("a", b"first"), ("b", &vec![0; 5 << 20])]);
        let unpacked = untar(&in_tar, 1 << 20);
        assert_eq!(unpacked.content.iter().map(|member| member.bytes.len()).sum::<usize>(), 1 << 20);
        assert!(unpacked.fault.is_some());
    }

    #[test]
    fn members_never_lead_out_of_the_archive() {
        let packed = tar_of(&[("../../etc/passwd", b"x"), ("/s/./log.jsonl", b"y")]);
        let paths: Vec<PathBuf> = untar(&packed, 100).content.into_iter().map(|member| member.path).collect();
        assert_eq!(paths, [PathBuf::from("etc/passwd"), PathBuf::from("s/log.jsonl")]);
    }
}
