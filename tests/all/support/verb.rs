//! Runs palimp's verbs as a script does: in a clean environment, without a terminal.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Output {
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(parse).collect()
    }

    /// Fails with both streams unless the exit status is `status`.
    #[track_caller]
    pub fn expect_status(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails with both streams unless standard output has that text.
    #[track_caller]
    pub fn expect_stdout(&self, text: impl AsRef<str>) -> &Self {
        let text = text.as_ref();
        assert!(self.stdout.contains(text), "{text}\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails with both streams unless standard error has that text.
    #[track_caller]
    pub fn expect_stderr(&self, text: impl AsRef<str>) -> &Self {
        let text = text.as_ref();
        assert!(self.stderr.contains(text), "{text}\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// A run of palimp under preparation.
pub struct Verb {
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    home: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    input: Option<String>,
}

impl Verb {
    /// A run with these arguments, in an empty folder, with an empty home.
    pub fn new<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Verb {
        let args = args.into_iter().map(Into::into).collect();
        Verb { args, folder: None, home: None, env: Vec::new(), input: None }
    }

    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn with_input(mut self, text: &str) -> Self {
        self.input = Some(text.to_owned());
        self
    }

    pub fn run(self) -> Output {
        let empty = super::folder::new();
        let output = self.command(empty.path().to_owned()).output().expect("palimp starts");
        Output {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }

    /// Runs it with a closed pipe as standard output. Returns the exit status and standard error.
    pub fn run_into_closed_pipe(self) -> (Option<i32>, String) {
        let empty = super::folder::new();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = self.command(empty.path().to_owned()).stdout(writer).output().expect("palimp starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    pub fn run_into(self, file: &Path) {
        let empty = super::folder::new();
        let mut command = self.command(empty.path().to_owned());
        let status = command.stdout(File::create(file).unwrap()).status().expect("palimp starts");
        assert!(status.success(), "{status}");
    }

    fn command(self, empty: PathBuf) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palimp"));
        command.args(self.args).env_clear().stdin(Stdio::from(File::open("/dev/null").unwrap()));
        command.env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8").env("TERM", "dumb");
        command.env("HOME", self.home.as_ref().unwrap_or(&empty));
        command.current_dir(self.folder.as_ref().unwrap_or(&empty));
        command.envs(self.env);
        if let Some(text) = self.input {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).and_then(|()| file.rewind()).unwrap();
            command.stdin(file);
        }
        command
    }
}

/// Runs palimp with these arguments, in an empty folder, with an empty home.
pub fn run<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Output {
    Verb::new(args).run()
}
