//! Small stores in which everything agrees, and some in which something does not.

use std::path::{Path, PathBuf};

/// Files by their paths below the store's root.
pub type Files = Vec<(PathBuf, Vec<u8>)>;

/// The creation time of these memories.
const WHEN: &str = "1970-01-10T12:00:00.000Z";

pub fn nothing() -> Files {
    Vec::new()
}

fn entry(session: &str, id: &str, kind: &str, content: &str, tags: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"session_id\":\"{session}\",\"timestamp\":\"{WHEN}\",\"type\":\"{kind}\",\
         \"content\":{{{content}}},\"importance\":0.5,\"decay_factor\":1.0,\"tags\":[{tags}],\
         \"references\":[]}}\n"
    )
}

fn log(session: &str, first: u32) -> String {
    let id = |number| format!("mem_{:03}", first + number);
    [
        entry(session, &id(0), "conversation", "\"role\":\"user\",\"message\":\"Hello.\"", "\"a\""),
        entry(session, &id(1), "finding", "\"finding\":\"Water is wet.\"", "\"a\",\"b\""),
        entry(session, &id(2), "decision", "\"decision\":\"Go on.\"", ""),
        entry(session, &id(3), "preference", "\"preference\":\"Tea.\"", "\"b\""),
    ]
    .concat()
}

fn metadata(session: &str) -> Vec<u8> {
    format!(
        "{{\n  \"session_id\": \"{session}\",\n  \"user_id\": \"user\",\n  \"created_at\": \"{WHEN}\",\n  \
         \"last_accessed\": \"{WHEN}\",\n  \"total_entries\": 0,\n  \"total_size_bytes\": 0,\n  \
         \"statistics\": {{\n    \"conversations\": 0,\n    \"decisions\": 0,\n    \"findings\": 0,\n    \
         \"preferences\": 0\n  }}\n}}\n"
    )
    .into_bytes()
}

fn in_session(session: &str, file: &str) -> PathBuf {
    Path::new("sessions").join(session).join(file)
}

/// Two sessions without deletions.
pub fn sessions() -> Files {
    vec![
        ("config.json".into(), b"{\"version\": \"1.0\"}\n".to_vec()),
        (in_session("sess_a", "memory.jsonl"), log("sess_a", 1).into_bytes()),
        (in_session("sess_a", "metadata.json"), metadata("sess_a")),
        (in_session("sess_b", "memory.jsonl"), log("sess_b", 101).into_bytes()),
        (in_session("sess_b", "metadata.json"), metadata("sess_b")),
    ]
}

fn log_changed(change: impl Fn(&mut Vec<u8>)) -> Files {
    let mut files = sessions();
    files
        .iter_mut()
        .filter(|(path, _)| path.ends_with("sess_a/memory.jsonl"))
        .for_each(|(_, own)| change(own));
    files
}

/// The last line of the log has no line end.
pub fn sessions_unfinished() -> Files {
    log_changed(|own| own.truncate(own.len() - 1))
}

/// The first entry is there twice, byte for byte.
pub fn sessions_doubled() -> Files {
    log_changed(|own| {
        let end = own.iter().position(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
        own.extend_from_within(..end);
    })
}

/// A session that has only metadata.
pub fn sessions_without_log() -> Files {
    let mut files = sessions();
    files.retain(|(path, _)| !path.ends_with("sess_a/memory.jsonl"));
    files
}

/// One entry is deleted.
pub fn sessions_deleted() -> Files {
    let line = format!("{{\"id\":\"mem_002\",\"timestamp\":\"{WHEN}\",\"reason\":\"user_request\"}}\n");
    let mut files = sessions();
    files.push((in_session("sess_a", "tombstones.jsonl"), line.into_bytes()));
    files
}

/// An index with entries that do not exist.
pub fn sessions_stale() -> Files {
    let mut files = sessions();
    let wrong = "{\"version\": 1, \"entries\": {\"mem_777\": {}}, \"tags\": {}, \"types\": {}}";
    files.push((in_session("sess_a", "index.json"), wrong.into()));
    files
}

/// A torn line, and two records on one line.
pub fn sessions_broken() -> Files {
    log_changed(|own| {
        let more = ["mem_011", "mem_012"].map(|id| entry("sess_a", id, "finding", "\"finding\":\"!\"", ""));
        own.extend_from_slice(more[0].trim_end().as_bytes());
        own.extend_from_slice(more[1].as_bytes());
        own.extend_from_slice(b"{\"id\":\"mem_013\",\"session_id\":\"sess_a\",\"time\n");
    })
}

fn memory(id: &str, kind: &str, when: &str, importance: &str) -> String {
    format!(
        "{{\"id\":\"00000000-0000-4000-8000-0000000000{id}\",\"type\":\"{kind}\",\"content\":\"Memory {id}.\",\
         \"created_at\":\"{when}\",\"updated_at\":\"{when}\",\"accessed_at\":\"{when}\",\"access_count\":0,\
         \"tags\":[\"a\"],\"importance\":\"{importance}\",\"archived\":false}}\n"
    )
}

/// Three files, and the most backups that one of them may have.
pub fn memories() -> Files {
    let core = [memory("c1", "core", WHEN, "high"), memory("c2", "core", WHEN, "low")].concat();
    let learnings =
        [memory("a1", "learning", WHEN, "medium"), memory("a2", "learning", WHEN, "low")].concat();
    let mut files: Files = vec![
        ("core_memories.jsonl".into(), core.into()),
        ("learnings.jsonl".into(), learnings.into()),
        ("tasks.jsonl".into(), memory("b1", "task", WHEN, "medium").into()),
    ];
    for day in 11..16 {
        let name = format!(".backup/core_memories.jsonl.backup.197001{day}_120000");
        files.push((name.into(), format!("as on day {day}\n").into_bytes()));
    }
    files
}

/// One learning is archived.
pub fn memories_archived() -> Files {
    let line = memory("a9", "learning", WHEN, "low").replace("\"archived\":false", "\"archived\":true");
    let mut files = memories();
    files.push(("archive/1970/learnings_1970_Q1.jsonl".into(), line.into()));
    files
}

/// One learning has decayed.
pub fn memories_old() -> Files {
    let line = memory("a8", "learning", "1969-01-01T00:00:00.000000Z", "low");
    let mut files = memories();
    let learnings =
        files.iter_mut().find(|(path, _)| path.ends_with("learnings.jsonl")).expect("it is there");
    learnings.1.extend_from_slice(line.as_bytes());
    files
}

/// An index with entries that do not exist.
pub fn memories_stale() -> Files {
    let mut files = memories();
    let wrong =
        "{\"version\":\"1.0.0\",\"statistics\":{\"total_memories\":70},\"tags_index\":{\"x\":[\"y\"]}}";
    files.push(("index.json".into(), wrong.into()));
    files
}

/// A torn line, and two records on one line.
pub fn memories_broken() -> Files {
    let mut files = memories();
    let core = &mut files[0].1;
    core.pop();
    core.extend_from_slice(memory("c3", "core", WHEN, "low").as_bytes());
    core.extend_from_slice(b"{\"id\":\"00000000-0000-4000-80\n");
    files
}
