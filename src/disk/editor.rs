//! Opens a text in the user's editor, in a private temporary folder, or in the user's pager.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use super::new_files::{WriteError, new_temporary_folder, remove_temporary_folder, write_new};
use super::{Disk, RealDisk};

/// The reason why the editor returned no text.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// The user has named no editor.
    #[error("Neither VISUAL nor EDITOR names an editor.")]
    None,
    /// The text could not be written to a file.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// The editor could not be started.
    #[error("{0} can't be started: {1}.")]
    Start(String, io::Error),
    /// The editor ended with an error.
    #[error("{name} ended with {status}.")]
    Ended {
        name: String,
        status: ExitStatus,
        /// The text that it left, unless that is the original one.
        left: Option<Vec<u8>>,
    },
    /// The file that it left can't be read.
    #[error("What was written can't be read: {0}.")]
    Read(io::Error),
    /// The file that it left is not UTF-8.
    #[error("What was written is not UTF-8.")]
    NoText(Vec<u8>),
}

impl EditorError {
    /// Returns what the user wrote, if anything. It must not get lost.
    pub fn left(&self) -> Option<&[u8]> {
        match self {
            EditorError::Ended { left, .. } => left.as_deref(),
            EditorError::NoText(left) => Some(left),
            _ => None,
        }
    }
}

/// The process id of the running editor, shared by threads.
struct RunningEditor(AtomicI32);

const NONE: i32 = 0;
/// The program ends. An editor that starts later is ended at once.
const CLOSED: i32 = -1;

static RUNNING: RunningEditor = RunningEditor(AtomicI32::new(NONE));

impl RunningEditor {
    fn end(&self) {
        kill(self.0.load(Ordering::SeqCst));
    }

    /// Ends the running editor and every later one, also one that has started and whose process id
    /// is unknown.
    fn close(&self) {
        kill(self.0.swap(CLOSED, Ordering::SeqCst));
    }

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
    // `from_raw` panics at negative numbers.
    if running > 0
        && let Some(pid) = Pid::from_raw(running)
    {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Ends an editor by force. The text that it left is kept, and its folder is removed.
pub fn end_editor() {
    RUNNING.end();
}

/// Ends the running editor and every later one, because the program ends.
pub fn end_editors() {
    RUNNING.close();
}

/// Lets the user edit a text in `$VISUAL` or `$EDITOR`. Arguments are split at spaces, without a
/// shell. A last line end that the editor added is removed.
pub fn edit_text(text: &str) -> Result<String, EditorError> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let editor = named.into_iter().find(|name| !name.trim().is_empty()).ok_or(EditorError::None)?;
    let mut words = editor.split_whitespace().map(str::to_owned);
    let name = words.next().unwrap_or_default();
    let folder = PrivateFolder(new_temporary_folder("palimp-edit")?);
    let file = folder.0.join("memory.md");
    write_new(&file, text.as_bytes())?;
    let child = Command::new(&name).args(words).arg(&file).spawn();
    let mut child = child.map_err(|source| EditorError::Start(name.clone(), source))?;
    let status = RUNNING.wait_for(&mut child);
    let status = status.map_err(|source| EditorError::Start(name.clone(), source))?;
    if !status.success() {
        let left = read_left(&file).ok().filter(|left| left != text.as_bytes());
        return Err(EditorError::Ended { name, status, left });
    }
    let after = read_left(&file).map_err(EditorError::Read)?;
    let after = String::from_utf8(after).map_err(|error| EditorError::NoText(error.into_bytes()))?;
    let added = !text.ends_with('\n') && after.ends_with('\n');
    Ok(if added { after[..after.len() - 1].to_owned() } else { after })
}

/// What a pager shows.
pub enum PagerInput {
    /// A text. It goes through a pipe, so that no file contains it.
    Text(String),
    /// A file, from this line on.
    File(PathBuf, u64),
}

/// Shows a text or a file in `$PAGER`. Arguments are split at spaces, without a shell.
pub fn page(input: PagerInput) -> Result<(), EditorError> {
    let named = std::env::var("PAGER").ok().filter(|name| !name.trim().is_empty());
    // The colours of a text are ours. A file may have any sequence.
    let usual = if matches!(input, PagerInput::Text(_)) { "less -R" } else { "less" };
    let pager = named.unwrap_or_else(|| usual.to_owned());
    let mut words = pager.split_whitespace().map(str::to_owned);
    let name = words.next().unwrap_or_default();
    let failed = |source| EditorError::Start(name.clone(), source);
    let mut command = Command::new(&name);
    command.args(words);
    let text = match input {
        PagerInput::Text(text) => Some(text),
        PagerInput::File(path, line) => {
            command.arg(format!("+{line}")).arg(path);
            None
        }
    };
    let stdin = if text.is_some() { Stdio::piped() } else { Stdio::inherit() };
    let mut child = command.stdin(stdin).spawn().map_err(failed)?;
    let input = child.stdin.take().zip(text);
    // If the user leaves the pager early, this write fails. That is not an error.
    let writes = move || drop(input.map(|(mut input, text)| input.write_all(text.as_bytes())));
    let writer = std::thread::Builder::new().name("pager".into()).spawn(writes);
    let ended = RUNNING.wait_for(&mut child);
    let _ = writer.map(std::thread::JoinHandle::join);
    ended.map(drop).map_err(failed)
}

/// Reads what an editor left, if it is a regular file: a pipe would block, and a link leads elsewhere.
fn read_left(file: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file any more"));
    }
    let (bytes, _) = RealDisk.read(file, 0, None)?;
    Ok(bytes)
}

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
