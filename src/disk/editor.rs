//! A text in the user's own editor, in a private folder that is gone afterwards; and in the user's pager.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use super::new_files::{WriteError, new_temporary_folder, remove_temporary_folder, write_new};
use super::{Disk, RealDisk};

/// Why no text came back.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// No editor is named.
    #[error("Neither VISUAL nor EDITOR names an editor.")]
    None,
    /// The text could not be handed over.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// It could not be started.
    #[error("{name} can't be started: {source}.")]
    Start {
        /// Its name.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// It ended otherwise than well.
    #[error("{name} ended with {status}.")]
    Ended {
        /// Its name.
        name: String,
        /// How it ended.
        status: ExitStatus,
        /// What it left, where that is not the text that it was given.
        left: Option<Vec<u8>>,
    },
    /// What it left can't be read.
    #[error("What was written can't be read: {0}.")]
    Read(io::Error),
    /// What it left is no text.
    #[error("What was written is not UTF-8.")]
    NoText(Vec<u8>),
}

impl EditorError {
    /// What the user wrote, as far as there is anything: it is to be kept.
    pub fn left(&self) -> Option<&[u8]> {
        match self {
            EditorError::Ended { left, .. } => left.as_deref(),
            EditorError::NoText(left) => Some(left),
            _ => None,
        }
    }
}

/// Which editor runs now, told across threads.
struct RunningEditor(AtomicI32);

/// No editor runs.
const NONE: i32 = 0;
/// The program ends: an editor that starts now is ended at once.
const CLOSED: i32 = -1;

static RUNNING: RunningEditor = RunningEditor(AtomicI32::new(NONE));

impl RunningEditor {
    /// Ends the editor that runs, if any.
    fn end(&self) {
        kill(self.0.load(Ordering::SeqCst));
    }

    /// Ends the editor that runs, and each that starts later: a request that comes between the
    /// start of an editor and the moment when its number is known must not get lost.
    fn close(&self) {
        kill(self.0.swap(CLOSED, Ordering::SeqCst));
    }

    /// Waits for an editor to end.
    fn wait_for(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let pid = child.id().try_into().unwrap_or(NONE);
        if self.0.compare_exchange(NONE, pid, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            child.kill()?;
        }
        let status = child.wait();
        let _ = self.0.compare_exchange(pid, NONE, Ordering::SeqCst, Ordering::SeqCst);
        status
    }
}

fn kill(running: i32) {
    // `from_raw` refuses negative numbers with a panic.
    if running > 0
        && let Some(pid) = Pid::from_raw(running)
    {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Ends an editor that does not end by itself, by force. What it left is kept, and the folder
/// that it was given goes.
pub fn end_editor() {
    RUNNING.end();
}

/// The same for good, where the program is about to end: no editor starts after it.
pub fn end_editors() {
    RUNNING.close();
}

/// Lets the user change a text in `$VISUAL` or `$EDITOR`, whose arguments are split at
/// blanks and seen by no shell. A last line end that the editor added is taken away again.
pub fn edit_text(text: &str) -> Result<String, EditorError> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let editor = named.into_iter().find(|name| !name.trim().is_empty()).ok_or(EditorError::None)?;
    let mut words = editor.split_whitespace().map(str::to_owned);
    let name = words.next().unwrap_or_default();
    let folder = PrivateFolder(new_temporary_folder("palimp-edit")?);
    let file = folder.0.join("memory.md");
    write_new(&file, text.as_bytes())?;
    let child = Command::new(&name).args(words).arg(&file).spawn();
    let mut child = child.map_err(|source| EditorError::Start { name: name.clone(), source })?;
    let status = RUNNING.wait_for(&mut child);
    let status = status.map_err(|source| EditorError::Start { name: name.clone(), source })?;
    if !status.success() {
        let left = read_left(&file).ok().filter(|left| left != text.as_bytes());
        return Err(EditorError::Ended { name, status, left });
    }
    let after = read_left(&file).map_err(EditorError::Read)?;
    let after = String::from_utf8(after).map_err(|error| EditorError::NoText(error.into_bytes()))?;
    let added = !text.ends_with('\n') && after.ends_with('\n');
    Ok(if added { after[..after.len() - 1].to_owned() } else { after })
}

/// Lets the user read a text in `$PAGER`, whose arguments are split at blanks and seen by no shell. It
/// reads the text from a pipe, so that nothing of it is written to a file.
pub fn page_text(text: String) -> Result<(), EditorError> {
    let named = std::env::var("PAGER").ok().filter(|name| !name.trim().is_empty());
    let pager = named.unwrap_or_else(|| "less -R".to_owned());
    let mut words = pager.split_whitespace().map(str::to_owned);
    let name = words.next().unwrap_or_default();
    let failed = |source| EditorError::Start { name: name.clone(), source };
    let mut child = Command::new(&name).args(words).stdin(Stdio::piped()).spawn().map_err(failed)?;
    let input = child.stdin.take();
    // Whoever leaves a pager before its end takes no more of the text: that is no fault.
    let writes = move || drop(input.map(|mut input| input.write_all(text.as_bytes())));
    let writer = std::thread::Builder::new().name("pager".into()).spawn(writes);
    let ended = RUNNING.wait_for(&mut child);
    let _ = writer.map(std::thread::JoinHandle::join);
    ended.map(drop).map_err(failed)
}

/// What an editor left in the file. What it put in its place that is not a regular file is not
/// opened: a pipe would never answer, and a link leads elsewhere.
fn read_left(file: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file any more"));
    }
    let (bytes, _) = RealDisk.read(file, 0, None)?;
    Ok(bytes)
}

/// A folder that goes with this.
struct PrivateFolder(PathBuf);

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        remove_temporary_folder(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("600").spawn().unwrap()
    }

    #[test]
    fn an_editor_is_ended_that_started_while_the_program_was_told_to_end() {
        let running = RunningEditor(AtomicI32::new(NONE));
        for _ in 0..2 {
            running.close();
            let status = running.wait_for(&mut sleeper()).unwrap();
            assert!(!status.success());
        }
    }

    #[test]
    fn to_end_an_editor_where_none_runs_ends_no_later_one() {
        let running = RunningEditor(AtomicI32::new(NONE));
        running.end();
        let mut child = Command::new("true").spawn().unwrap();
        assert!(running.wait_for(&mut child).unwrap().success());
        assert_eq!(running.0.load(Ordering::SeqCst), NONE);
    }
}
