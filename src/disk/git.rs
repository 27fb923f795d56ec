//! Reads the history of a git repository. Runs nothing from its config, fetches nothing, has a time limit.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::model::PathText;
use crate::text::names;

/// Turns off what a config could make git run.
const PLAIN: [&str; 12] = names(
    "--no-pager --no-replace-objects --literal-pathspecs -c core.fsmonitor= -c core.hooksPath=/dev/null \
     -c diff.external= -c log.showSignature=false -C",
);
/// The most bytes of an answer. It is cut off there.
const ANSWER: u64 = 256 << 20;

/// A repository, with a time limit.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
    until: Instant,
}

impl Git {
    /// Returns the repository of a folder.
    pub fn of(folder: &Path, time: Duration) -> Git {
        Git { folder: folder.to_owned(), until: Instant::now() + time }
    }

    /// Returns git's answer, and whether it is complete. Fails if git is missing or reports an error.
    pub fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> io::Result<(Vec<u8>, bool)> {
        let mut child = self.command(arguments).stdin(Stdio::null()).spawn()?;
        let out = child.stdout.take();
        let mut answer = Vec::new();
        let read = |_: &mpsc::Sender<()>| out.map_or(Ok(0), |out| out.take(ANSWER).read_to_end(&mut answer));
        let (status, is_late) = self.watch(child, read)?;
        match is_late || status.success() || answer.len() as u64 >= ANSWER {
            true => Ok((answer, !is_late && status.success())),
            false => Err(io::Error::other(format!("git failed ({status})"))),
        }
    }

    /// Calls `see` with each object's id and bytes until it returns false. True if it got all objects. A missing
    /// object, or one larger than `largest`, has no bytes and does not count. Fails if git is missing, or its answer
    /// can't be read.
    pub fn objects(
        &self,
        ids: &[String],
        largest: u64,
        see: &mut dyn FnMut(&str, &[u8]) -> bool,
    ) -> io::Result<bool> {
        let mut child = self.command(&["cat-file", "--batch"]).stdin(Stdio::piped()).spawn()?;
        let (into, out) = (child.stdin.take(), child.stdout.take());
        let asked = [ids.join("\n").into_bytes(), b"\n".to_vec()].concat();
        let writes = move || into.map(|mut into| into.write_all(&asked));
        // If no thread can start, git ends at the end of its input.
        let writer = thread::Builder::new().name("git".into()).spawn(writes)?;
        let mut seen = 0;
        let mut is_all = true;
        let watched = self.watch(child, |end| {
            let Some(out) = out else { return Ok(()) };
            let mut out = BufReader::with_capacity(1 << 16, out);
            while let Some((id, bytes)) = object(&mut out, largest)? {
                seen += 1;
                is_all &= bytes.is_some();
                if !see(&id, &bytes.unwrap_or_default()) {
                    // It may work long before it notices that nobody reads.
                    let _ = end.send(());
                    break;
                }
            }
            Ok(())
        });
        let _ = writer.join();
        watched.map(|_| is_all && seen == ids.len())
    }

    /// Calls `read`, waits for the process, and ends it at the time limit, or when `read` sends a message. Returns
    /// whether the time was over.
    fn watch<T>(
        &self,
        mut child: Child,
        read: impl FnOnce(&mpsc::Sender<()>) -> io::Result<T>,
    ) -> io::Result<(std::process::ExitStatus, bool)> {
        let (done, over) = mpsc::channel::<()>();
        let left = self.until.saturating_duration_since(Instant::now());
        let waits = move || {
            let waited = over.recv_timeout(left);
            let is_late = waited == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late || waited.is_ok() {
                let _ = child.kill();
            }
            (child.wait(), is_late)
        };
        let watcher = thread::Builder::new().name("git".into()).spawn(waits)?;
        let outcome = read(&done);
        drop(done);
        let (status, is_late) = watcher.join().map_err(|_| io::Error::other("git can't be waited for"))?;
        if !is_late {
            outcome?;
        }
        Ok((status?, is_late))
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut git = Command::new("git");
        git.args(PLAIN).arg(&self.folder).args(arguments);
        // Only the folder decides which repository it is.
        let own = |name: &OsString| name.to_text().starts_with("GIT_");
        std::env::vars_os().map(|(name, _)| name).filter(own).for_each(|name| {
            git.env_remove(name);
        });
        git.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
        git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        git.stdout(Stdio::piped()).stderr(Stdio::null());
        git
    }
}

/// Returns the next object, without its bytes if they are missing or over the limit; `None` at the end.
fn object(out: &mut impl BufRead, largest: u64) -> io::Result<Option<(String, Option<Vec<u8>>)>> {
    let mut head = String::new();
    if out.read_line(&mut head)? == 0 {
        return Ok(None);
    }
    let mut words = head.split_whitespace();
    let id = words.next().unwrap_or_default().to_owned();
    // `<id> missing`: a repository may have some of its objects elsewhere.
    let Some(len) = words.nth(1).and_then(|len| len.parse::<u64>().ok()) else { return Ok(Some((id, None))) };
    if len > largest {
        io::copy(&mut out.take(len + 1), &mut io::sink())?;
        return Ok(Some((id, None)));
    }
    let mut bytes = vec![0; len as usize];
    out.read_exact(&mut bytes)?;
    out.read_exact(&mut [0])?;
    Ok(Some((id, Some(bytes))))
}
