//! Finds out if a process that opened a file earlier can still write to it.

use std::path::Path;

/// For each file, true if a process may have it open for writing. This system does not tell, so always true.
#[cfg(not(target_os = "linux"))]
pub fn may_be_open(files: &[&Path]) -> Vec<bool> {
    vec![true; files.len()]
}

/// For each file, true if a process may have it open for writing: by a descriptor or a shared
/// mapping. It checks twice, because a descriptor can be passed on between two checks. A process
/// that it can't check counts if it may write the file.
#[cfg(target_os = "linux")]
pub fn may_be_open(files: &[&Path]) -> Vec<bool> {
    let mut sought: Vec<linux::CandidateFile> =
        files.iter().map(|file| linux::CandidateFile::of(file)).collect();
    for _ in 0..2 {
        if linux::look(&mut sought).is_err() {
            return vec![true; files.len()];
        }
    }
    sought.iter().map(|file| file.is_open).collect()
}

/// True if a process is known to have one of the files open for writing. This system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn is_any_open(_files: &[&Path]) -> bool {
    false
}

/// True if a process is known to have one of the files open for writing, as far as this user can see.
#[cfg(target_os = "linux")]
pub fn is_any_open(files: &[&Path]) -> bool {
    linux::is_any_open(files)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, Metadata};
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use rustix::fs::statfs;

    /// The capability to write any file, as a bit.
    const WRITES_ANYTHING: u64 = 1 << 1;

    /// The first process namespace. Its process 1 is the system's, and opens no file of a store.
    const FIRST: &str = "pid:[4026531836]";

    /// The file system of a container's root. No process outside opens its files.
    const OVERLAY: u64 = 0x794c_7630;
    /// File systems that other machines or the host may write to: NFS, SMB in its three kinds,
    /// Ceph, AFS, GFS2, OCFS2, 9P and FUSE (linux/magic.h).
    const SHARED: [u64; 10] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x00c3_6400,
        0x5346_414f,
        0x0116_1970,
        0x7461_636f,
        0x0102_1997,
        0x6573_5546,
    ];

    /// A file, and whether a process may have it open.
    pub struct CandidateFile {
        found: Option<Metadata>,
        pub is_open: bool,
    }

    impl CandidateFile {
        pub fn of(file: &Path) -> CandidateFile {
            // The writers of a file are unknown if it can't be read, or processes are hidden.
            let found = fs::symlink_metadata(file).ok();
            let is_seen = found.as_ref().is_some_and(|found| sees_all(file, found));
            CandidateFile { is_open: !is_seen, found }
        }

        /// Returns the file's metadata while no writer is found.
        fn pending(&self) -> Option<&Metadata> {
            self.found.as_ref().filter(|_| !self.is_open)
        }
    }

    fn is_first() -> bool {
        fs::read_link("/proc/self/ns/pid").is_ok_and(|own| own.as_os_str() == FIRST)
    }

    /// True if all processes that may have a file open are visible. Not so on a disk that machines
    /// share, if processes are hidden, or in a namespace on a disk that others use.
    fn sees_all(file: &Path, found: &Metadata) -> bool {
        // The type is signed or unsigned, with 32 or 64 bits.
        let kind = |path: &Path| statfs(path).ok().map(|own| own.f_type as u64 & 0xffff_ffff);
        let is_own = kind(file).is_some_and(|own| !SHARED.contains(&own));
        let is_of_root = || fs::metadata("/").is_ok_and(|root| root.dev() == found.dev());
        let is_inside = || is_of_root() && kind(Path::new("/")) == Some(OVERLAY);
        // If processes of other users are hidden, process 1 is, too.
        is_own && fs::metadata("/proc/1").is_ok() && (is_first() || is_inside())
    }

    /// Checks every process once.
    pub fn look(sought: &mut [CandidateFile]) -> io::Result<()> {
        let is_first = is_first();
        for process in fs::read_dir("/proc")? {
            if sought.iter().all(|file| file.pending().is_none()) {
                break;
            }
            let process = process?;
            let name = process.file_name();
            let is_number = name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
            if is_number && !(is_first && name == "1") {
                look_at(&process.path(), sought)?;
            }
        }
        Ok(())
    }

    pub fn is_any_open(files: &[&Path]) -> bool {
        let unseen = |file: &&Path| CandidateFile { found: fs::symlink_metadata(file).ok(), is_open: false };
        let mut sought: Vec<CandidateFile> = files.iter().map(unseen).collect();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        // What can't be looked into is not known.
        processes.for_each(|process| drop(descriptors(&process.path(), &mut sought)));
        sought.iter().any(|file| file.is_open)
    }

    fn look_at(process: &Path, sought: &mut [CandidateFile]) -> io::Result<()> {
        let seen = descriptors(process, sought).and_then(|()| mappings(process, sought));
        match seen {
            Ok(()) => Ok(()),
            Err(error) if is_gone(&error) => Ok(()),
            Err(_) => {
                let Some(rights) = ProcessRights::of(process)? else { return Ok(()) };
                for file in sought.iter_mut() {
                    file.is_open |= file
                        .pending()
                        .is_some_and(|found| rights.may(found.uid(), found.gid(), found.mode()));
                }
                Ok(())
            }
        }
    }

    fn is_gone(error: &io::Error) -> bool {
        let gone = rustix::io::Errno::SRCH.raw_os_error();
        error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(gone)
    }

    fn descriptors(process: &Path, sought: &mut [CandidateFile]) -> io::Result<()> {
        for entry in fs::read_dir(process.join("fd"))? {
            let name = entry?.file_name();
            let there = match fs::metadata(process.join("fd").join(&name)) {
                Ok(there) => there,
                Err(error) if is_gone(&error) => continue,
                Err(error) => return Err(error),
            };
            let is_it = |file: &CandidateFile| {
                file.pending().is_some_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
            };
            let Some(file) = sought.iter_mut().find(|file| is_it(file)) else { continue };
            file.is_open = fs::read_to_string(process.join("fdinfo").join(&name))
                .map_or_else(|error| !is_gone(&error), |info| is_to_write(&info));
        }
        Ok(())
    }

    /// True if a descriptor was opened for writing. Without flags it may have been.
    pub fn is_to_write(info: &str) -> bool {
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_none_or(|flags| flags & 0o3 != 0)
    }

    /// A shared mapping writes without a descriptor. Its device number can differ, so only the inode counts.
    fn mappings(process: &Path, sought: &mut [CandidateFile]) -> io::Result<()> {
        let maps = fs::read(process.join("maps"))?;
        for line in maps.split(|byte| *byte == b'\n') {
            let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
            let is_shared = words.nth(1).is_some_and(|modes| modes.get(3) == Some(&b's'));
            let inode = words.nth(2).and_then(|word| std::str::from_utf8(word).ok()?.parse::<u64>().ok());
            for file in sought.iter_mut().filter(|_| is_shared) {
                file.is_open |= file.pending().is_some_and(|own| Some(own.ino()) == inode);
            }
        }
        Ok(())
    }

    pub struct ProcessRights {
        users: Vec<u32>,
        groups: Vec<u32>,
        capabilities: u64,
    }

    impl ProcessRights {
        /// Returns `None` if the process is gone or has no memory: a part of the kernel, or a zombie.
        fn of(process: &Path) -> io::Result<Option<ProcessRights>> {
            match fs::read_to_string(process.join("status")) {
                Ok(status) => Ok(ProcessRights::read(&status)),
                Err(error) if is_gone(&error) => Ok(None),
                Err(error) => Err(error),
            }
        }

        pub fn read(status: &str) -> Option<ProcessRights> {
            let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
            let numbers = |name: &str| -> Vec<u32> {
                let words = line(name).unwrap_or_default().split_whitespace();
                words.filter_map(|word| word.parse().ok()).collect()
            };
            line("VmSize:")?;
            let capabilities = line("CapEff:").and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
            Some(ProcessRights {
                users: numbers("Uid:"),
                groups: [numbers("Gid:"), numbers("Groups:")].concat(),
                capabilities: capabilities.unwrap_or(u64::MAX),
            })
        }

        pub fn may(&self, owner: u32, group: u32, mode: u32) -> bool {
            self.capabilities & WRITES_ANYTHING != 0
                || self.users.contains(&owner)
                || mode & 0o002 != 0
                || (mode & 0o020 != 0 && self.groups.contains(&group))
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};

    use super::linux::{ProcessRights, is_to_write};
    use super::*;

    #[test]
    fn a_file_counts_as_open_while_a_descriptor_can_write_to_it() {
        let desk = crate::folder::new();
        let [one, other, gone] = ["one", "other", "gone"].map(|name| desk.path().join(name));
        let files: [&Path; 3] = [&one, &other, &gone];
        std::fs::write(&other, "x").unwrap();
        let writer = OpenOptions::new().append(true).create(true).open(&one).unwrap();
        let _reader = File::open(&other).unwrap();
        assert!(may_be_open(&files)[0]);
        drop(writer);
        assert!(may_be_open(&files)[2], "nobody knows who has a file that is gone");
    }

    #[test]
    fn who_is_not_allowed_to_write_a_file_has_it_not_open_to_write() {
        let status = "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nGid:\t100\t100\t100\t100\nGroups:\t27 \n\
                      VmSize:\t3060 kB\nCapEff:\t0000000000000000\n";
        let own = ProcessRights::read(status).unwrap();
        assert!(own.may(1000, 0, 0o600) && own.may(0, 27, 0o660) && own.may(0, 0, 0o666));
        assert!(!own.may(0, 27, 0o640) && !own.may(1001, 100, 0o600));
        let root =
            ProcessRights::read(&status.replace("CapEff:\t0000000000000000", "CapEff:\t00000000000000ff"));
        assert!(root.unwrap().may(1001, 0, 0o600));
        assert!(
            ProcessRights::read(&status.replace("VmSize", "Vm")).is_none(),
            "a part of the kernel opens no file"
        );
    }

    #[test]
    fn a_descriptor_that_only_reads_does_not_count() {
        assert!(!is_to_write("pos:\t0\nflags:\t0100000\nmnt_id:\t5\n"));
        assert!(is_to_write("pos:\t0\nflags:\t0102001\n") && is_to_write("pos:\t0\nflags:\t02\n"));
        assert!(is_to_write("something else"));
    }
}
