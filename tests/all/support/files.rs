//! Stores that are written file by file.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use palimp::model::Moment;

use super::store::TempStore;
use super::verb::{Output, run};

/// The clock of these stores' tests.
pub const NOW: &str = "2026-02-01T12:00:00Z";

/// A log of each format that has some.
pub const LOGS: [(&str, &str); 5] = [
    ("memory-server", "learnings.jsonl"),
    ("session-log", "sessions/s/memory.jsonl"),
    ("agent-memory", "history/events.jsonl"),
    ("bmad", "sessions/s/conversation.jsonl"),
    ("a-mem", "events/2026-01/events.jsonl"),
];

pub fn now() -> Moment {
    Moment::parse(NOW).unwrap().0
}

/// Files of a store under construction. A later file replaces an earlier one with the same path.
#[derive(Clone, Default)]
pub struct Files(pub Vec<(PathBuf, Vec<u8>)>);

impl Files {
    /// Adds a file.
    pub fn with(mut self, path: &str, content: impl AsRef<[u8]>) -> Files {
        self.0.retain(|(own, _)| own != Path::new(path));
        self.0.push((path.into(), content.as_ref().to_vec()));
        self
    }

    pub fn without(mut self, path: &str) -> Files {
        self.0.retain(|(own, _)| own != Path::new(path));
        self
    }

    /// Replaces `from`, which must be there, with `to` in a file.
    pub fn changed(mut self, path: &str, from: &str, to: &str) -> Files {
        let (_, content) = self.0.iter_mut().find(|(own, _)| own == Path::new(path)).expect(path);
        let text = String::from_utf8(content.clone()).unwrap();
        assert!(text.contains(from), "{path} holds no {from}");
        *content = text.replacen(from, to, 1).into_bytes();
        self
    }

    /// Writes them below `root` in a temporary folder.
    pub fn build(&self, root: &str) -> TempStore {
        TempStore::of_files(root, &self.0)
    }
}

/// Writes a file and its folders.
pub fn write(file: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Writes a shell script that can be run. Returns its path.
pub fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    write(&file, format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    file
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn tar_gz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        builder.append_data(&mut header, path, *bytes).unwrap();
    }
    gzip(&builder.into_inner().unwrap())
}

pub fn check(store: &TempStore) -> Output {
    run(["check", "--json", "--now", NOW, "--store", store.path.to_str().unwrap()])
}

/// A problem: code, severity, file, line.
pub type Found = (String, String, String, Option<u64>);

pub fn problems(store: &TempStore) -> Vec<Found> {
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = check(store).json_lines();
    rows.iter()
        .map(|row| (text(row, "code"), text(row, "severity"), text(row, "file"), row["line"].as_u64()))
        .collect()
}

pub fn rows(store: &TempStore, verb: &str, query: &str) -> Vec<serde_json::Value> {
    let path = store.path.to_str().unwrap();
    run([verb, "--json", "--all", "--now", NOW, "--store", path, "--", query]).json_lines()
}

pub fn ids(store: &TempStore, verb: &str, query: &str) -> Vec<String> {
    let mut ids: Vec<String> =
        rows(store, verb, query).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

#[track_caller]
pub fn assert_problem(found: &[Found], code: &str, file: &str, line: Option<u64>) {
    let is_it = |own: &Found| own.0 == code && own.2 == file && (line.is_none() || own.3 == line);
    assert!(found.iter().any(is_it), "{code} in {file}: {found:?}");
}

/// Plants each problem in the file in which it is then found: file, text, what replaces it, code, line. No text is the
/// whole file.
pub fn assert_found_where_planted(
    root: &str,
    healthy: &Files,
    cases: &[(&str, &str, &str, &str, Option<u64>)],
) {
    for (file, from, to, code, line) in cases {
        let files = healthy.clone();
        let files = if from.is_empty() { files.with(file, to) } else { files.changed(file, from, to) };
        assert_problem(&problems(&files.build(root)), code, file, *line);
    }
}
