//! Damages the files of a store as crashes, merges, power cuts and other programs do.

use std::path::{Path, PathBuf};

use palimp::text::json_edit::set;

use super::desk::Desk;
use super::stores::{log, record};
use crate::lossless::Chance;

/// A short description of the damage.
pub type Told = String;

type Way = fn(&mut Vec<u8>, &mut Chance, &str);

const OF_LOGS: [(&str, Way); 18] = [
    ("cut the file", |log, chance, _| log.truncate(1 + chance.below(log.len() - 1))),
    ("tear a line", tear),
    ("tear a line", tear),
    ("join two lines", |log, chance, _| {
        if let Some(at) = some_line_end(log, chance) {
            log.remove(at);
        }
    }),
    ("drop the last line end", |log, _, _| log.truncate(log.len() - 1)),
    ("NULs", |log, chance, _| {
        let at = chance.below(log.len());
        drop(log.splice(at..at, [0, 0, 0]));
    }),
    ("NULs before a line", |log, chance, _| {
        let at = some_line_end(log, chance).map_or(0, |at| at + 1);
        drop(log.splice(at..at, [0, 0]));
    }),
    ("an extra brace", |log, chance, _| before_a_line_end(log, chance, b'}')),
    ("a line twice", |log, chance, _| {
        let line = some_line(log, chance);
        log.extend(line);
    }),
    ("a line twice that differs", |log, chance, format| {
        let line = some_line(log, chance);
        log.extend(otherwise(&line, format, chance));
    }),
    ("conflict markers", |log, chance, format| {
        let line = some_line(log, chance);
        let other = otherwise(&line, format, chance);
        let parts = [b"<<<<<<< HEAD\n", &line[..], b"=======\n", &other, b">>>>>>> topic\n"].concat();
        log.extend(parts);
    }),
    ("half a timestamp", |log, chance, _| {
        let at = memchr::memmem::find_iter(log, "T10:00:00").collect::<Vec<_>>();
        if let Some(at) = at.get(chance.below(at.len())) {
            drop(log.drain(at + 4 + chance.below(2)..at + 10));
        }
    }),
    ("indentation", |log, chance, _| {
        let at = some_line_end(log, chance).map_or(0, |at| at + 1);
        drop(log.splice(at..at, *b"  \t"));
    }),
    ("a lone CR", |log, chance, _| before_a_line_end(log, chance, b'\r')),
    ("a byte that is no UTF-8", |log, chance, _| {
        let at = chance.below(log.len());
        log.insert(at, 0xff);
    }),
    ("a byte order mark", |log, _, _| drop(log.splice(0..0, *b"\xef\xbb\xbf"))),
    ("a line break in a line", |log, chance, _| {
        let at = chance.below(log.len());
        log.insert(at, b'\n');
    }),
    ("an agent's line behind a torn one", |log, chance, format| {
        log.truncate(log.len() - 2 - chance.below(60).min(log.len() / 2));
        log.extend(format!("{}\n", record(format, 30 + chance.below(5))).bytes());
    }),
];

fn tear(log: &mut Vec<u8>, chance: &mut Chance, _: &str) {
    if let Some(end) = some_line_end(log, chance) {
        let start = memchr::memrchr(b'\n', &log[..end]).map_or(0, |at| at + 1);
        let count = 1 + chance.below((end - start).max(2) - 1);
        drop(log.drain(end - count.min(end - start)..end));
    }
}

fn before_a_line_end(log: &mut Vec<u8>, chance: &mut Chance, byte: u8) {
    if let Some(at) = some_line_end(log, chance) {
        log.insert(at, byte);
    }
}

fn some_line_end(log: &[u8], chance: &mut Chance) -> Option<usize> {
    let all: Vec<usize> = memchr::memchr_iter(b'\n', log).collect();
    all.get(chance.below(all.len())).copied()
}

fn some_line(log: &[u8], chance: &mut Chance) -> Vec<u8> {
    let all: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let line = all.get(chance.below(all.len())).copied().unwrap_or_default();
    if line.ends_with(b"\n") { line.to_vec() } else { [line, b"\n"].concat() }
}

fn otherwise(line: &[u8], format: &str, chance: &mut Chance) -> Vec<u8> {
    let own = line.trim_ascii();
    let (name, value) = match (chance.below(3), format) {
        (0, _) => ("more", "\"said later\""),
        (1, "memory-server") => ("access_count", "7"),
        (1, "bmad") => ("agent_id", "\"qa\""),
        (1, "a-mem") => ("status", "\"failure\""),
        (1, _) => ("tags", "[\"z\"]"),
        _ => return [own, b" \n"].concat(),
    };
    let changed = set(own, &[name], value).unwrap_or_else(|_| own.to_vec());
    [&changed[..], b"\n"].concat()
}

/// Damages the store in one way or several. Returns the descriptions.
pub fn damage(desk: &Desk, chance: &mut Chance) -> Vec<Told> {
    let count = 1 + chance.below(3);
    (0..count).map(|_| once(desk, chance)).collect()
}

fn once(desk: &Desk, chance: &mut Chance) -> Told {
    match chance.below(12) {
        0 => of_document(desk, chance),
        1 => of_tombstones(desk, chance).unwrap_or_else(|| of_log(desk, chance)),
        2 => leftover(desk, chance),
        3 => of_copy(desk, chance).unwrap_or_else(|| of_log(desk, chance)),
        4 => of_archive(desk, chance).unwrap_or_else(|| of_document(desk, chance)),
        _ => of_log(desk, chance),
    }
}

fn of_log(desk: &Desk, chance: &mut Chance) -> Told {
    let format = desk.place.format;
    let (what, way) = chance.one_of(&OF_LOGS);
    let Some(mut bytes) = desk.read(log(format)).filter(|own| own.len() > 200) else {
        return "nothing".into();
    };
    way(&mut bytes, chance, format);
    desk.write(log(format), &bytes);
    format!("{what} of {}", log(format))
}

fn ending(desk: &Desk, ends: &[&str]) -> Vec<PathBuf> {
    let all = desk.files().into_keys();
    let own = all.filter(|path| ends.iter().any(|end| path.to_string_lossy().ends_with(end)));
    own.filter_map(|path| Some(path.strip_prefix(&desk.place.root).ok()?.to_owned())).collect()
}

fn of_document(desk: &Desk, chance: &mut Chance) -> Told {
    let mut all = ending(desk, &[".json", ".md"]);
    let docs = desk.place.root.join("../docs/agent-memory/gotchas.md");
    all.extend(docs.exists().then(|| "../docs/agent-memory/gotchas.md".into()));
    let Some(file) = all.get(chance.below(all.len())).cloned() else { return "nothing".into() };
    let bytes = desk.read(&file).unwrap_or_default();
    let (what, left) = match chance.below(6) {
        0 => ("empty", Vec::new()),
        1 => ("hello", b"hello".to_vec()),
        2 => ("NULs", vec![0; bytes.len().max(1)]),
        3 => (
            "both sides of a merge",
            [b"<<<<<<< HEAD\n", &bytes[..], b"=======\n", &bytes, b">>>>>>> t\n"].concat(),
        ),
        _ => ("cut", bytes[..chance.below(bytes.len().max(1))].to_vec()),
    };
    desk.write(&file, &left);
    format!("{what}: {}", file.display())
}

fn of_tombstones(desk: &Desk, chance: &mut Chance) -> Option<Told> {
    let file = ending(desk, &["tombstones.jsonl"]).pop()?;
    let mut bytes = desk.read(&file)?;
    if chance.once_in(2) {
        tear(&mut bytes, chance, "");
        desk.write(&file, &bytes);
        return Some(format!("a torn line of {}", file.display()));
    }
    let count = 1 + chance.below(bytes.len().min(70));
    bytes.truncate(bytes.len().checked_sub(count)?);
    desk.write(&file, &bytes);
    Some(format!("{count} bytes cut off {}", file.display()))
}

/// Puts a temporary file beside a log.
fn leftover(desk: &Desk, chance: &mut Chance) -> Told {
    let own = log(desk.place.format);
    let bytes = desk.read(own).unwrap_or_default();
    let old = copies(desk, own).first().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let (what, left) = match chance.below(4) {
        0 => ("equal", bytes),
        1 => ("older", old),
        2 => ("with more", [bytes, format!("{}\n", record(desk.place.format, 33)).into_bytes()].concat()),
        _ => ("cut", bytes[..chance.below(bytes.len().max(1))].to_vec()),
    };
    desk.write(format!("{own}.tmp"), &left);
    format!("a temporary file, {what}")
}

/// Returns the backups of a file in palimp's data.
fn copies(desk: &Desk, own: &str) -> Vec<PathBuf> {
    let name = Path::new(own).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let all = desk.everything().into_keys();
    let is_copy = |path: &PathBuf| {
        let text = path.to_string_lossy();
        path.starts_with(desk.data()) && text.contains("backups") && text.contains(&name)
    };
    all.filter(is_copy).collect()
}

/// Cuts a backup, or restores half of it.
fn of_copy(desk: &Desk, chance: &mut Chance) -> Option<Told> {
    let own = log(desk.place.format);
    let all = copies(desk, own);
    let file = all.get(chance.below(all.len()))?;
    let bytes = std::fs::read(file).ok()?;
    let half = &bytes[..chance.below(bytes.len().max(1))];
    if chance.once_in(2) {
        desk.write(own, half);
        return Some("a backup restored by half".into());
    }
    std::fs::write(file, half).ok()?;
    Some("a backup cut".into())
}

fn of_archive(desk: &Desk, chance: &mut Chance) -> Option<Told> {
    let all = ending(desk, &[".gz"]);
    let file = all.get(chance.below(all.len()))?;
    let bytes = desk.read(file)?;
    desk.write(file, &bytes[..chance.below(bytes.len())]);
    Some(format!("cut: {}", file.display()))
}
