//! The file of standard output.

use std::path::PathBuf;

/// Returns the path of standard output, if the system knows it. A pipe or a terminal may have one, too.
#[cfg(target_vendor = "apple")]
pub fn output_file() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let path = rustix::fs::getpath(std::io::stdout()).ok()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

/// Returns the path of standard output, if the system knows it. A pipe or a terminal may have one, too.
#[cfg(not(target_vendor = "apple"))]
pub fn output_file() -> Option<PathBuf> {
    std::fs::read_link("/proc/self/fd/1").ok()
}
