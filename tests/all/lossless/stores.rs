//! Stores as agents, crashes and people leave them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use palimp::model::Moment;
use palimp::text::json_scanner::Tape;
use palimp::text::{canonical, json_edit};

use super::chance::Chance;

/// The files of a store by their paths below its root.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The clock at the start: the disk in memory counts its time from 1970.
pub const START: Moment = Moment(20 * 24 * 3_600_000_000);

const ODD: [&str; 14] = [
    "1.0",
    "1e400",
    "-0",
    "1E-7",
    "0.10",
    "12345678901234567890",
    "null",
    "true",
    "[]",
    "{}",
    "\"\\u0041\\/\"",
    "\"\\ud83d\\ude00 \\ud800\"",
    "[1, {\"id\":\"mem_1\"}]",
    "{\"type\" : \"x\",\"type\":2}",
];
const KINDS: [&str; 4] = ["conversation", "decision", "finding", "preference"];
const FILES: [(&str, &str); 3] =
    [("core_memories.jsonl", "core"), ("learnings.jsonl", "learning"), ("tasks.jsonl", "task")];

pub fn random(chance: &mut Chance, format: &str) -> Files {
    let mut maker = Maker { chance, next: 0, ids: Vec::new() };
    match format {
        "memory-server" => maker.memory_server(),
        _ => maker.session_log(),
    }
}

struct Maker<'a> {
    chance: &'a mut Chance,
    next: u32,
    ids: Vec<String>,
}

impl Maker<'_> {
    fn memory_server(&mut self) -> Files {
        let mut files = Files::new();
        for (name, kind) in FILES {
            if !self.chance.once_in(6) || name.starts_with("core") {
                let log = self.log(&mut |maker| maker.memory(kind, false));
                files.insert(name.into(), log);
            }
        }
        if self.chance.once_in(3) {
            let archived = self.log(&mut |maker| maker.memory("learning", true));
            files.insert("archive/1969/learnings_1969_Q4.jsonl".into(), archived);
            let mixed = self.log(&mut |maker| {
                let kind = FILES[maker.chance.below(3)].1;
                maker.memory(kind, true)
            });
            files.insert("archive/1969/core_memories_1969_Q4.jsonl".into(), mixed);
        }
        for number in 0..self.chance.below(7) {
            let name = format!(".backup/core_memories.jsonl.backup.19700101_00000{number}");
            files.insert(name.into(), b"old\n".to_vec());
        }
        if self.chance.once_in(5) {
            let (core, task) = (self.memory("learning", true), self.memory("task", false));
            let document = format!("{{\n  \"learnings\": [{core}],\n  \"tasks\": [{task}]\n}}");
            files.insert("agent.json".into(), document.into_bytes());
        }
        self.index(&mut files, "index.json");
        files
    }

    fn session_log(&mut self) -> Files {
        let mut files = Files::new();
        for session in ["s_one", "s_two"].into_iter().take(1 + self.chance.below(2)) {
            self.ids.clear();
            let folder = PathBuf::from("sessions").join(session);
            let log = self.log(&mut |maker| maker.entry(session));
            files.insert(folder.join("memory.jsonl"), log);
            if !self.chance.once_in(3) {
                files.insert(folder.join("tombstones.jsonl"), self.tombstones());
            }
            let metadata = match self.chance.below(6) {
                0 => None,
                1 => Some("{\"session_id\"".to_owned()),
                2 => {
                    Some(format!("{{\"session_id\":\"{session}\",\"total_entries\":0,\"statistics\":null}}"))
                }
                3 => Some(format!("\u{feff}{{\"session_id\":\"{session}\",\"total_entries\":1.0}}")),
                _ => Some(format!(
                    "{{\n  \"session_id\": \"{session}\",\n  \"total_entries\": 7,\n  \"odd\": 1e400,\n  \"total_size_bytes\": 3,\n  \"statistics\": {{\n    \"findings\": 2,\n    \"own\": 1.0\n  }}\n}}\n"
                )),
            };
            files.extend(metadata.map(|text| (folder.join("metadata.json"), text.into_bytes())));
            self.index(&mut files, &format!("sessions/{session}/index.json"));
        }
        files
    }

    fn index(&mut self, files: &mut Files, path: &str) {
        let bytes: &[u8] = match self.chance.below(7) {
            0 => b"",
            1 => b"{\"version\":1,\"ent",
            2 => b"{\"version\":\"9\",\"own\":1.0,\"entries\":{\"gone\":{}},\"tags\":{\"x\":[\"gone\"]},\"tags\":[]}",
            3 => b"{\n  \"statistics\": {\"total_memories\": 99},\n  \"tags_index\": {},\n  \"extra\": \"\\u0041\"\n}\n",
            4 => b"\xef\xbb\xbf{}",
            _ => return,
        };
        files.insert(path.into(), bytes.to_vec());
    }

    fn tombstones(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for id in self.ids.clone() {
            if self.chance.once_in(5) {
                let reason =
                    if self.chance.once_in(2) { "\"user_request\"" } else { "\"\\u0061\", \"x\": 1.0" };
                bytes.extend(
                    format!("{{\"id\":\"{id}\",\"timestamp\":\"1970-01-02T00:00:00Z\",\"reason\":{reason}}}")
                        .bytes(),
                );
                bytes.extend(self.line_end().bytes());
            }
        }
        if self.chance.once_in(6) {
            bytes.extend(b"{\"id\":\"torn");
        }
        bytes
    }

    fn line_end(&mut self) -> &'static str {
        if self.chance.once_in(4) { "\r\n" } else { "\n" }
    }

    fn log(&mut self, record: &mut dyn FnMut(&mut Self) -> String) -> Vec<u8> {
        let mut bytes = if self.chance.once_in(8) { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        let mut last: Option<String> = None;
        for _ in 0..self.chance.below(12) {
            let one = record(self);
            let line: Vec<u8> = match self.chance.below(24) {
                0 => Vec::new(),
                1 => b" \t".to_vec(),
                2 => self.torn(&one),
                3 => {
                    let gap = *self.chance.one_of(&["", " ", "  ", "\t \0"]);
                    [one.as_bytes(), gap.as_bytes(), record(self).as_bytes()].concat()
                }
                4 => [one.as_bytes(), self.chance.one_of(&["}", "}}", " } ", "}\0"]).as_bytes()].concat(),
                5 => [b"\0\0", one.as_bytes(), b"\0"].concat(),
                6 => self
                    .chance
                    .one_of(&[
                        &b"[1]"[..],
                        b"\"text\"",
                        b"nonsense",
                        b"\xff\xfe{}",
                        b"\0\0\0",
                        b"<<<<<<< HEAD",
                    ])
                    .to_vec(),
                7 => [
                    one.as_bytes(),
                    self.chance.one_of(&["  ", " ", ""]).as_bytes(),
                    b"{\"id\":\"torn\",\"a\":[",
                ]
                .concat(),
                8 => last.clone().unwrap_or(one).into_bytes(),
                9 => [one.as_bytes(), b"} ", record(self).as_bytes(), b"}"].concat(),
                10 => one.replacen("\",\"", &format!("\",{}  \"", self.line_end()), 2).into_bytes(),
                11 => format!("  {one} \t").into_bytes(),
                _ => {
                    last = Some(one.clone());
                    one.into_bytes()
                }
            };
            bytes.extend(line);
            bytes.extend(self.line_end().bytes());
        }
        if self.chance.once_in(4) {
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
        }
        bytes
    }

    /// Returns a part of a record, never up to a colon: a record with an extra brace could complete it.
    fn torn(&mut self, record: &str) -> Vec<u8> {
        let part = &record[..record.len() - 1 - self.chance.below(record.len() - 1)];
        part.trim_end().trim_end_matches(':').as_bytes().to_vec()
    }

    fn memory(&mut self, kind: &str, archived: bool) -> String {
        let id = self.id(|number| format!("00000000-0000-4000-8000-{number:012x}"));
        let when = self.when();
        let importance = *self.chance.one_of(&["high", "medium", "low"]);
        let archived = archived || self.chance.once_in(10);
        let mut members = vec![
            ("id".to_owned(), id),
            ("type".into(), format!("\"{kind}\"")),
            ("content".into(), format!("\"Memory {} \\u00e9\\/.\"", self.next)),
            ("created_at".into(), when.clone()),
            ("updated_at".into(), when.clone()),
            ("accessed_at".into(), when),
            ("access_count".into(), self.chance.below(4).to_string()),
            ("tags".into(), self.tags()),
            ("importance".into(), format!("\"{importance}\"")),
            ("archived".into(), archived.to_string()),
        ];
        if self.chance.once_in(3) {
            members.push(("category".into(), "\"c\\u0061t\"".into()));
        }
        self.spoil(&mut members);
        self.spelled(&members)
    }

    fn entry(&mut self, session: &str) -> String {
        let id = self.id(|number| format!("mem_{number}"));
        let kind = *self.chance.one_of(&KINDS);
        let mut members = vec![
            ("id".to_owned(), id),
            ("session_id".into(), format!("\"{session}\"")),
            ("timestamp".into(), self.when()),
            ("type".into(), format!("\"{kind}\"")),
            (
                "content".into(),
                format!(
                    "{{\"{}\":\"Entry {}\\ud800\"}}",
                    if kind == "conversation" { "message" } else { kind },
                    self.next
                ),
            ),
            ("importance".into(), self.chance.one_of(&["0.5", "1.0", "1E-1", "0.30", "0"]).to_string()),
            ("tags".into(), self.tags()),
        ];
        if self.chance.once_in(3) {
            members.push(("references".into(), "[\"mem_1\"]".into()));
        }
        self.spoil(&mut members);
        match self.chance.below(4) {
            0 => self.spelled(&members),
            1 => {
                members.push(("checksum".into(), "\"sha256:00\"".into()));
                self.spelled(&members)
            }
            flavour => {
                let text = self.spelled(&members);
                let mut tape = Tape::default();
                let Ok(value) = json_edit::scan(&mut tape, text.as_bytes()) else { return text };
                let sign = if flavour == 2 { canonical::checksum } else { canonical::legacy_checksum };
                let signed =
                    json_edit::set(text.as_bytes(), &["checksum"], &json_edit::quoted(&sign(value))).unwrap();
                String::from_utf8(signed).unwrap()
            }
        }
    }

    fn id(&mut self, of: impl Fn(u32) -> String) -> String {
        self.next += 1;
        let doubled = self.chance.once_in(12) && !self.ids.is_empty();
        let id = if doubled { self.chance.one_of(&self.ids).clone() } else { of(self.next) };
        self.ids.push(id.clone());
        let escaped = id.replacen('0', "\\u0030", 1).replacen('m', "\\u006d", 1);
        format!("\"{}\"", if self.chance.once_in(8) { &escaped } else { &id })
    }

    fn when(&mut self) -> String {
        match self.chance.below(4) {
            0 => "\"1960-01-01T00:00:00Z\"".into(),
            1 => "\"1970-01-19T12:00:00.5+02:00\"".into(),
            _ => format!("\"1970-01-0{}T08:00:00.000Z\"", 1 + self.chance.below(9)),
        }
    }

    fn tags(&mut self) -> String {
        self.chance
            .one_of(&[
                "[]",
                "[ ]",
                "[\"a\"]",
                "[\"a\", \"b\"]",
                "[\"a\",\"a\"]",
                "[\"\\u0061\",\"c\"]",
                "[\"d\" , 5 , \"a\"]",
            ])
            .to_string()
    }

    /// Adds members that no schema knows, and names that occur twice.
    fn spoil(&mut self, members: &mut Vec<(String, String)>) {
        for number in 0..self.chance.below(4) {
            let name = *self.chance.one_of(&["x", "note", "o\\u0064d", "y"]);
            let at = self.chance.below(members.len() + 1);
            let name = if number == 0 { name.to_owned() } else { format!("{name}{number}") };
            let value = self.chance.one_of(&ODD).to_string();
            members.insert(at, (name, value));
        }
        if self.chance.once_in(6) {
            let twice = members[self.chance.below(members.len())].clone();
            members.push(twice);
        }
    }

    fn spelled(&mut self, members: &[(String, String)]) -> String {
        let (gap, colon) = *self.chance.one_of(&[("", ""), ("", ""), (" ", " "), ("", " "), (" \t", "")]);
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("{gap}\"{name}\":{colon}{value}")).collect();
        let end = *self.chance.one_of(&["", "", " "]);
        format!("{{{}{end}}}", members.join(","))
    }
}
