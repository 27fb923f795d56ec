//! Names the processes that have files of a folder open.

use std::path::Path;

/// A process that has a file open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileHolder {
    /// Its id.
    pub process: u32,
    /// The name of its program. Untrusted text.
    pub program: String,
}

/// Returns the other processes that have a file below a folder open, as far as this user can see. A system that does
/// not tell names none.
#[cfg(not(target_os = "linux"))]
pub fn file_holders(_folder: &Path) -> Vec<FileHolder> {
    Vec::new()
}

/// Returns the other processes that have a file below a folder open, as far as this user can see.
#[cfg(target_os = "linux")]
pub fn file_holders(folder: &Path) -> Vec<FileHolder> {
    let Ok(folder) = std::fs::canonicalize(folder) else { return Vec::new() };
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let number = |own: &std::fs::DirEntry| own.file_name().to_str()?.parse().ok();
    let mut numbers: Vec<u32> = processes.flatten().filter_map(|own| number(&own)).collect();
    numbers.sort_unstable();
    let holds = |process: &u32| {
        let Ok(open) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return false };
        open.flatten().any(|own| std::fs::read_link(own.path()).is_ok_and(|to| to.starts_with(&folder)))
    };
    let others = numbers.into_iter().filter(|own| *own != std::process::id()).filter(holds);
    let named = |process: u32| {
        let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        FileHolder { process, program: name.trim_end().to_owned() }
    };
    others.map(named).collect()
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_that_has_a_file_open_is_named_and_this_one_is_not() {
        let folder = crate::folder::new();
        let path = folder.path().join("log");
        std::fs::write(&path, "x").unwrap();
        let _own = std::fs::File::open(&path).unwrap();
        assert!(file_holders(folder.path()).is_empty());
        let stdin = std::fs::File::open(&path).unwrap();
        let mut other = std::process::Command::new("sleep").arg("60").stdin(stdin).spawn().unwrap();
        let found = file_holders(folder.path());
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(found.iter().map(|own| own.process).collect::<Vec<_>>(), [other.id()]);
    }
}
