//! Packs and unpacks sessions; checks hostile archives.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::EntryType;

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_at(Compression::fast(), bytes)
}

fn gzip_at(level: Compression, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Makes an archive with these headers: path, kind, bytes.
fn tar_of(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, kind, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn files_of(entries: &[(&str, &str)]) -> Vec<u8> {
    let entries: Vec<_> =
        entries.iter().map(|(path, bytes)| (*path, EntryType::Regular, bytes.as_bytes())).collect();
    gzip(&tar_of(&entries))
}

fn restore(tar_gz: &[u8]) -> Result<Vec<NewFile>, Refusal> {
    restore_session("s", tar_gz, None, false)
}

/// Returns the refusal of an archive with one more entry beside a harmless one.
fn with_entry(path: &str, kind: EntryType) -> String {
    let entries = [("s/conversation.jsonl", EntryType::Regular, &b""[..]), (path, kind, b"")];
    why(restore(&gzip(&tar_of(&entries))))
}

#[test]
fn an_archive_has_no_trace_of_who_made_it_and_its_manifest_has_its_sizes() {
    let log = b"{\"id\":\"msg-001\"}\n";
    let stored = br#"{"session_id": "s", "own": 1.0}"#;
    let files: [(&Path, &[u8]); 5] = [
        (Path::new("manifest.json"), stored),
        (Path::new("conversation.jsonl"), log),
        (Path::new(".lock"), b"{}"),
        (Path::new("conversation.jsonl.lock"), b"{}"),
        (Path::new("notes/own.txt"), b"own"),
    ];
    let archived = archive_session("s", &files, NOW).unwrap();
    let [(tar_path, tar_gz), (manifest_path, told)] = &archived[..] else { panic!() };
    assert_eq!(tar_path, Path::new("archive/s.tar.gz"));
    assert_eq!(manifest_path, Path::new("archive/s.manifest.json"));
    let expected = format!(
        r#"{{"session_id": "s", "own": 1.0, "archived_at": "2026-01-11T14:30:00.123Z", "original_size_bytes": {}, "compressed_size_bytes": {}}}"#,
        log.len(),
        tar_gz.len()
    );
    assert_eq!(String::from_utf8_lossy(told), expected);
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&tar_gz[..]));
    let mut names = Vec::new();
    for entry in archive.entries().unwrap() {
        let entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.mode().unwrap(), header.uid().unwrap(), header.gid().unwrap()), (0o600, 0, 0));
        assert_eq!((header.mtime().unwrap(), header.entry_type()), (1_768_141_800, EntryType::Regular));
        names.push(entry.path().unwrap().display().to_string());
    }
    assert_eq!(names, ["s/conversation.jsonl", "s/manifest.json", "s/notes/own.txt"]);
    let mut reversed = files;
    reversed.reverse();
    assert_eq!(archive_session("s", &reversed, NOW).unwrap(), archived);
}

#[test]
fn a_session_that_would_not_come_back_is_not_archived() {
    let log: (&Path, &[u8]) = (Path::new("conversation.jsonl"), b"");
    let refused = |session, files: &[(&Path, &[u8])]| why(archive_session(session, files, NOW));
    let lost = |files: &[(&Path, &[u8])]| refused("s", files).starts_with("The session can't be archived: ");
    for path in ["../x", "/x", "a/../../x", "", "conversation.jsonl/x", "conversation.jsonl"] {
        let files = [log, (Path::new(path), b"")];
        assert!(refused("s", &files).contains("does not name a file of its own"), "{path}");
    }
    for session in ["..", "a/b", "/a", ""] {
        assert!(refused(session, &[log]).contains("can't be a session's id"), "{session}");
    }
    assert!(lost(&[]));
    assert!(lost(&[log, (Path::new("a\\b"), b"")]));
    let other: (&Path, &[u8]) = (Path::new("manifest.json"), br#"{"session_id":"t"}"#);
    assert!(lost(&[log, other]));
    assert!(refused("s", &[log, (other.0, b"{")]).starts_with("The manifest can't be read: "));
}

proptest! {
    #![proptest_config(crate::tries::config(64, 1024))]

    #[test]
    fn what_was_archived_comes_back(
        logs in [any_log(), any_log(), any_log(), any_log()],
        others in proptest::collection::btree_map("[a-z]{1,3}(/[a-zé .]{1,120}[a-z]){0,2}", proptest::collection::vec(any::<u8>(), 0..600), 0..5),
    ) {
        let mut files: Vec<(&Path, &[u8])> = vec![
            (Path::new("conversation.jsonl"), &logs[0]), (Path::new("decisions.jsonl"), &logs[1]),
            (Path::new("findings.jsonl"), &logs[2]), (Path::new("preferences.jsonl"), &logs[3]),
        ];
        let of_all = logs_of([&logs[0], &logs[1], &logs[2], &logs[3]]);
        let told = manifest(None, "abc", &of_all, NOW, true).unwrap();
        files.push((Path::new("manifest.json"), &told));
        for (path, bytes) in &others {
            let (path, bytes) = (Path::new(path), bytes.as_slice());
            let plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            // A path can't be both a file and a folder.
            let clashes = others.keys().any(|other| {
                let other = Path::new(other);
                other != path && (other.starts_with(path) || path.starts_with(other))
            });
            if plain && !clashes && path.components().collect::<PathBuf>().as_os_str() == path.as_os_str() {
                files.push((path, bytes));
            }
        }
        let archived = archive_session("abc", &files, NOW).unwrap();
        let back = restore_session("abc", &archived[0].1, Some(&archived[1].1), true).unwrap();
        files.sort();
        let back: Vec<(&Path, &[u8])> = back.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())).collect();
        prop_assert_eq!(back, files);
    }

}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn any_bytes_are_unpacked_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), packed: bool) {
        let bytes = if packed { gzip(&bytes) } else { bytes };
        let _ = restore(&bytes);
    }

    #[test]
    fn a_damaged_archive_never_yields_a_path_that_leads_out(
        at in 0..3_072_usize, byte: u8, path in "[a-z./\\\\]{1,12}",
    ) {
        let mut tar = tar_of(&[("s/conversation.jsonl", EntryType::Regular, b"x"), (&path, EntryType::Regular, b"y")]);
        if let Some(own) = tar.get_mut(at) {
            *own = byte;
        }
        for (path, _) in restore_session("s", &gzip(&tar), None, true).unwrap_or_default() {
            let plain = |part| matches!(part, std::path::Component::Normal(_));
            prop_assert!(path.components().all(plain) && !path.as_os_str().is_empty());
        }
    }
}

#[test]
fn the_session_s_folder_may_be_named_in_the_archive_or_not() {
    let expected =
        [(PathBuf::from("a/b.txt"), b"y".to_vec()), (PathBuf::from("conversation.jsonl"), b"x".to_vec())];
    for before in ["s/", "./s/", "", "./"] {
        let paths = ["conversation.jsonl", "a/b.txt"].map(|name| format!("{before}{name}"));
        let packed = files_of(&[(&paths[0], "x"), (&paths[1], "y")]);
        assert_eq!(restore(&packed).unwrap(), expected, "{before}");
    }
    let folders = [
        ("./", EntryType::Directory, &b""[..]),
        ("s/", EntryType::Directory, b""),
        ("s/a/", EntryType::Directory, b""),
        ("s/conversation.jsonl", EntryType::Regular, b"x"),
        ("s/a/b.txt", EntryType::Regular, b"y"),
        ("s/.lock", EntryType::Regular, b"{}"),
    ];
    assert_eq!(restore(&gzip(&tar_of(&folders))).unwrap(), expected);
}

#[test]
fn links_devices_and_pipes_are_refused_also_where_large_ones_are_allowed() {
    use EntryType::{Block, Char, Continuous, Fifo, Link, Symlink, XGlobalHeader};
    for kind in [Symlink, Link, Char, Block, Fifo, Continuous, XGlobalHeader] {
        assert!(with_entry("s/x", kind).contains("only files and folders are unpacked"), "{kind:?}");
        let packed = gzip(&tar_of(&[("s/x", kind, b"")]));
        assert!(restore_session("s", &packed, None, true).is_err(), "{kind:?}");
    }
}

const BAD_PATH: &str = "is not a plain path within the session's folder";

#[test]
fn paths_that_lead_out_are_refused() {
    let paths = "/etc/passwd ../x s/../../x s/.. s/a/../b .. s//x s/a\\b s/\u{1b}[2J t/x x s s/ .";
    for path in paths.split(' ') {
        let found = with_entry(path, EntryType::Regular);
        assert!(found.contains(BAD_PATH), "{path}: {found}");
    }
    assert!(with_entry("../x", EntryType::Directory).contains(BAD_PATH));
}

#[test]
fn a_long_name_from_an_extension_is_judged_too() {
    for (kind, name) in
        [(EntryType::GNULongName, "../../evil\0".to_owned()), (EntryType::XHeader, pax("path", "/etc/evil"))]
    {
        let entries = [
            ("s/conversation.jsonl", EntryType::Regular, &b""[..]),
            ("././@LongLink", kind, name.as_bytes()),
            ("s/harmless", EntryType::Regular, b""),
        ];
        assert!(why(restore(&gzip(&tar_of(&entries)))).contains(BAD_PATH), "{kind:?}");
    }
}

#[test]
fn a_path_without_end_is_refused_at_once() {
    for name in ["a/".repeat(1 << 20) + "b\0", "x".repeat(2_000) + "\0", "a/".repeat(40) + "b\0"] {
        let entries = [
            ("././@LongLink", EntryType::GNULongName, name.as_bytes()),
            ("harmless", EntryType::Regular, b""),
        ];
        let found = why(restore_session("s", &gzip(&tar_of(&entries)), None, true));
        assert!(found.contains(BAD_PATH) && found.len() <= 1_024 + BAD_PATH.len() + 32);
    }
}

fn pax(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let len = rest.len() + 2;
    format!("{len}{rest}")
}

#[test]
fn one_path_for_two_entries_is_refused() {
    for paths in [["s/a", "s/a"], ["s/a", "./s/a"], ["s/a", "s/a/b"], ["s/a/b", "s/a"], ["s/a/b/c", "s/a"]] {
        let packed = files_of(&[(paths[0], "1"), (paths[1], "2"), ("s/conversation.jsonl", "")]);
        assert!(why(restore(&packed)).contains("is in the archive twice"), "{paths:?}");
    }
}

#[test]
fn too_many_entries_are_refused_whatever_is_allowed() {
    let mut names: Vec<String> = (0..10_000).map(|number| format!("s/{number}")).collect();
    names[0] = "s/conversation.jsonl".into();
    let pack = |names: &[String]| {
        let entries: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        files_of(&entries)
    };
    assert_eq!(restore_session("s", &pack(&names), None, true).unwrap().len(), 10_000);
    names.push("s/more".into());
    let many = why(restore_session("s", &pack(&names), None, true));
    assert_eq!(many, "The archive has more than 10000 entries.");
}

#[test]
fn what_grows_out_of_proportion_is_refused_unless_that_is_allowed() {
    let dense = gzip(&tar_of(&[("s/conversation.jsonl", EntryType::Regular, &vec![0; 8 << 20])]));
    assert!(why(restore(&dense)).contains("more than 100 times its size"));
    assert_eq!(restore_session("s", &dense, None, true).unwrap()[0].1.len(), 8 << 20);
}

#[test]
fn more_than_64_megabytes_are_refused_unless_that_is_allowed() {
    if cfg!(debug_assertions) && !crate::tries::is_long() {
        return;
    }
    // Stored without compression, so that only its size is too large.
    let log = vec![b'x'; (64 << 20) + 1];
    let tar = tar_of(&[("s/conversation.jsonl", EntryType::Regular, &log)]);
    let large = gzip_at(Compression::none(), &tar);
    assert!(why(restore(&large)).contains(&format!("more than {} bytes", 64 << 20)));
    assert_eq!(restore_session("s", &large, None, true).unwrap()[0].1.len(), log.len());
}

#[test]
fn a_torn_archive_is_refused_whole() {
    let tar = tar_of(&[
        ("s/conversation.jsonl", EntryType::Regular, &[b'x'; 2_000]),
        ("s/b", EntryType::Regular, b"y"),
    ]);
    let is_broken = |packed: &[u8]| why(restore(packed)).starts_with("The archive is broken: ");
    let whole = gzip(&tar);
    assert!(restore(&whole).is_ok());
    let (within, between) = (gzip(&tar[..1_000]), gzip(&tar[..3_072]));
    for packed in [&whole[..whole.len() - 4], &whole[..whole.len() / 2], b"", b"no gzip", &within, &between] {
        assert!(is_broken(packed), "{} bytes", packed.len());
    }
    let followed = gzip(&[tar.as_slice(), &tar].concat());
    assert!(is_broken(&followed));
    let empty = "The archive holds nothing of a session.";
    assert_eq!(why(restore(&gzip(&tar_of(&[])))), empty);
    assert_eq!(why(restore(&files_of(&[("s/other.txt", "x")]))), empty);
}

#[test]
fn an_archive_must_be_what_its_manifest_says() {
    let packed = files_of(&[("s/conversation.jsonl", "12345"), ("s/index.json", "{}")]);
    let with = |manifest: &str| {
        let files = restore_session("s", &packed, Some(manifest.as_bytes()), true);
        files.map(|files| files.len()).map_err(|refusal| refusal.message)
    };
    assert_eq!(with(r#"{"session_id":"s"}"#), Ok(2));
    for size in [5, 7] {
        assert_eq!(with(&format!(r#"{{"session_id":"s","original_size_bytes":{size}}}"#)), Ok(2));
    }
    let size = r#"{"session_id":"s","original_size_bytes":6}"#;
    let other = "The manifest says that the session has 6 bytes, and the archive has 5.";
    assert_eq!(with(size), Err(other.into()));
    let of = |session: &str| format!("The archive is of the session {session:?}.");
    assert_eq!(with(r#"{"session_id":"t"}"#), Err(of("t")));
    for manifest in ["{}", "{"] {
        assert!(with(manifest).unwrap_err().starts_with("The archive's manifest can't be read: "));
    }
    assert_eq!(why(restore_session("t", &packed, None, true)), of("s"));
    let inner = files_of(&[("manifest.json", r#"{"session_id":"t"}"#)]);
    assert_eq!(why(restore(&inner)), of("t"));
    assert!(why(restore_session("../s", &packed, None, true)).contains("can't be a session's id"));
}
