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

/// Returns the other processes that have a file below a folder open, as far as this user can see. `None`: this system
/// does not tell.
#[cfg(not(target_os = "linux"))]
pub fn file_holders(_folder: &Path) -> Option<Vec<FileHolder>> {
    None
}

/// Returns the other processes that have a file below a folder open, as far as this user can see. `None` if the system
/// does not tell. Who has only a folder open, such as a file manager, does not count.
#[cfg(target_os = "linux")]
pub fn file_holders(folder: &Path) -> Option<Vec<FileHolder>> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let processes = std::fs::read_dir("/proc").ok()?;
    let number = |own: &std::fs::DirEntry| own.file_name().to_str()?.parse().ok();
    let mut numbers: Vec<u32> = processes.flatten().filter_map(|own| number(&own)).collect();
    // Without its own number it sees nothing: `/proc` is not that of processes.
    numbers.contains(&std::process::id()).then_some(())?;
    numbers.sort_unstable();
    let is_held = |link: &Path| {
        let is_below = std::fs::read_link(link).is_ok_and(|to| to.starts_with(&folder));
        // The link leads to the file also if its name is gone.
        is_below && std::fs::metadata(link).is_ok_and(|own| !own.is_dir())
    };
    let holds = |process: &u32| {
        let Ok(open) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return false };
        open.flatten().any(|own| is_held(&own.path()))
    };
    let others = numbers.into_iter().filter(|own| *own != std::process::id()).filter(holds);
    let named = |process: u32| {
        let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        FileHolder { process, program: name.trim_end().to_owned() }
    };
    Some(others.map(named).collect())
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
        assert_eq!(file_holders(folder.path()), Some(Vec::new()));
        let stdin = std::fs::File::open(&path).unwrap();
        let mut other = std::process::Command::new("sleep").arg("60").stdin(stdin).spawn().unwrap();
        let found = file_holders(folder.path()).unwrap();
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(found.iter().map(|own| own.process).collect::<Vec<_>>(), [other.id()]);
    }

    #[test]
    fn a_process_that_has_only_the_folder_open_is_not_named() {
        let folder = crate::folder::new();
        let stdin = std::fs::File::open(folder.path()).unwrap();
        let mut sleep = std::process::Command::new("sleep");
        let mut other = sleep.arg("60").current_dir(folder.path()).stdin(stdin).spawn().unwrap();
        let found = file_holders(folder.path());
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(found, Some(Vec::new()));
        assert_eq!(file_holders(&folder.path().join("gone")), None);
    }
}
