//! Complete sessions: created, archived, restored, deleted.

use super::*;

#[test]
fn a_session_is_archived_whole_and_comes_back_byte_for_byte() {
    let store = build(&healthy());
    let before = files(&store);
    let plan = done(&store, |context| ops::session::archive(context, NAME));
    assert_eq!(plan.records, 6);
    assert!(store.file(ARCHIVE).exists());
    let manifest: Value = serde_json::from_slice(&store.read(ARCHIVE_MANIFEST)).unwrap();
    assert_eq!(manifest["archived_at"], "2026-02-01T12:00:00Z");
    assert_eq!(manifest["user_id"], "user-789");
    assert!(files(&store).keys().all(|path| !path.starts_with(SESSION)));
    let archived = open(&store);
    assert_eq!(archived.sessions.len(), 1);
    assert_eq!(archived.count(State::Archived), 6);
    let refusal = refused(&store, |context| ops::add::add(context, &draft("finding", "x")));
    assert_eq!(refusal.code, "E_SESSION_ARCHIVED");

    let packed = store.read(ARCHIVE);
    done(&store, |context| ops::session::unarchive(context, NAME, false, &packed));
    let mut after = files(&store);
    assert_eq!(after.remove(Path::new("archive")), Some(None));
    assert_same(&after, &before);
}

#[test]
fn an_archived_session_is_deleted_and_comes_back_by_undo() {
    let store = build(&healthy());
    done(&store, |context| ops::session::archive(context, NAME));
    let refusal = refused(&store, |context| ops::session::delete(context, NAME));
    assert!(refusal.message.contains(ARCHIVE), "{}", refusal.message);
    let delete = |context: &WriteContext<'_>| {
        let files = ops::session::packed_files(context.store, NAME)?;
        let packed = files.into_iter().map(|file| (file.clone(), store.read(&file))).collect();
        let (store, now, random) = (context.store, context.now, context.random);
        ops::session::delete(&WriteContext { store, now, random, compressed_files: &packed }, NAME)
    };
    let plan = done(&store, delete);
    assert_eq!(plan.records, 6);
    assert!(!store.file(ARCHIVE).exists() && !store.file(ARCHIVE_MANIFEST).exists());
    assert_eq!(open(&store).sessions.len(), 0);
}

#[test]
fn the_folder_of_an_archived_session_goes_when_no_late_line_can_come() {
    let store = build(&healthy());
    done(&store, |context| ops::session::archive(context, NAME));
    for item in fs::read_dir(store.file(SESSION)).into_iter().flatten().map(Result::unwrap) {
        let old = OldFileName::read(&item.file_name()).unwrap();
        fs::rename(item.path(), item.path().with_file_name(OldFileName { since: 1000, ..old }.name()))
            .unwrap();
    }
    let (machine, data, loaded) = (ThisMachine::new(), crate::support::folder::new(), open(&store));
    drop(Writer::open(host(&machine, data.path()), &loaded).unwrap());
    assert!(!store.file(SESSION).exists());
    assert!(store.file("archive").exists());
}

#[test]
fn records_are_archived_only_as_a_whole_session() {
    let store = build(&healthy());
    let some =
        |context: &WriteContext<'_>| ops::archive::archive(context, &[entry(context.store, "msg-001")]);
    let refusal = refused(&store, some);
    assert!(refusal.message.contains("1 of the 6") && refusal.message.contains("session archive"));
    let all = |context: &WriteContext<'_>| {
        let own = context.store.entries.iter().filter(|entry| entry.session.is_some()).copied();
        ops::archive::archive(context, &own.collect::<Vec<_>>())
    };
    assert_eq!(done(&store, all).records, 6);
    let back =
        |context: &WriteContext<'_>| ops::archive::unarchive(context, &[entry(context.store, "msg-001")]);
    assert!(refused(&store, back).message.contains(&format!("palimp session unarchive {NAME}")));
}

#[test]
fn nothing_is_left_behind_or_overwritten_by_an_archive() {
    let archive = |context: &WriteContext<'_>| ops::session::archive(context, NAME);
    for strange in ["conversation.jsonl.tmp", "notes.txt", "drafts/one.md"] {
        let store = build(&healthy().with(&format!("{SESSION}/{strange}"), "mine"));
        let refusal = refused(&store, archive);
        assert!(refusal.message.contains("move it away first"), "{strange}: {}", refusal.message);
    }
    let store = build(&healthy().with(ARCHIVE, tar_gz(&[])));
    assert!(refused(&store, archive).message.contains("already exists"));
    let unread = build(&healthy().with(&format!("{SESSION}/manifest.json"), "{"));
    assert_eq!(refused(&unread, archive).code, "E_STORAGE_CORRUPT");
    assert_eq!(
        refused(&unread, |context| ops::session::archive(context, "other")).code,
        "E_SESSION_NOT_FOUND"
    );
}

#[test]
fn a_log_that_can_t_be_read_is_called_that_when_its_session_is_to_be_archived() {
    let store = build(&healthy());
    let mut loaded = open(&store);
    let log = Path::new(SESSION).join("findings.jsonl");
    loaded.documents.retain(|document| document.path != log);
    loaded.unread.push(UnreadPath { path: log, why: "No permission.".into() });
    let refusal = ops::session::archive(&context(&loaded), NAME).map(|plan| plan.changes).unwrap_err();
    assert!(refusal.message.contains("findings.jsonl can't be read"), "{}", refusal.message);
    assert!(!refusal.message.contains("Nothing was changed"), "{}", refusal.message);
}

#[test]
fn a_session_is_not_unarchived_over_another() {
    let store = build(&healthy());
    let packed = tar_gz(&[("conversation.jsonl", b"")]);
    let unarchive = |context: &WriteContext<'_>| ops::session::unarchive(context, NAME, false, &packed);
    assert_eq!(refused(&store, unarchive).code, "E_SESSION_NOT_FOUND");
    store.write(ARCHIVE, &packed);
    assert!(refused(&store, unarchive).message.contains("as a folder too"));
}

#[test]
fn a_hostile_archive_is_refused() {
    let zeros = vec![b' '; 4 << 20];
    let archives = [
        ("another session's", tar_gz(&[("sess-other/conversation.jsonl", b"")]), "sess-other"),
        ("a file of ours", tar_gz(&[("conversation.jsonl", b""), (".1-1.palimp-tmp", b"")]), "palimp's own"),
        ("a bomb", tar_gz(&[("conversation.jsonl", &zeros)]), "--allow-large"),
    ];
    for (what, packed, says) in archives {
        let store = build(&Files::default().with("config.json", "{}").with(ARCHIVE, &packed));
        let refusal = refused(&store, |context| ops::session::unarchive(context, NAME, false, &packed));
        assert!(refusal.message.contains(says), "{what}: {}", refusal.message);
    }
    let packed = tar_gz(&[("conversation.jsonl", &zeros)]);
    let store = build(&Files::default().with("config.json", "{}").with(ARCHIVE, &packed));
    let loaded = open(&store);
    assert!(ops::session::unarchive(&context(&loaded), NAME, true, &packed).is_ok());
    let told = r#"{"session_id":"sess-2026-01-11-abc123","original_size_bytes":7}"#;
    store.write(ARCHIVE_MANIFEST, told.as_bytes());
    let refusal = refused(&store, |context| ops::session::unarchive(context, NAME, true, &packed));
    assert!(refusal.message.contains("7 bytes"), "{}", refusal.message);
}

#[test]
fn an_archive_that_changed_since_it_was_read_is_not_removed() {
    let packed = tar_gz(&[("conversation.jsonl", lines(&[message(1)]).as_bytes())]);
    let store = build(&Files::default().with("config.json", "{}").with(ARCHIVE, &packed));
    let (machine, data, loaded) = (ThisMachine::new(), crate::support::folder::new(), open(&store));
    let plan = ops::session::unarchive(&context(&loaded), NAME, false, &packed).unwrap();
    store.write(ARCHIVE, b"other");
    let before = files(&store);
    let writer = Writer::open(host(&machine, data.path()), &loaded).unwrap();
    assert!(writer.commit(&plan).is_err());
    let mut after = files(&store);
    after.remove(Path::new("sessions"));
    assert_eq!(after, before);
}

#[test]
fn a_session_is_made_and_takes_a_record() {
    let store = build(&healthy());
    done(&store, |context| ops::session::new(context, Some("pools"), "user-1"));
    let name = "sess-2026-02-01-pools";
    let manifest: Value =
        serde_json::from_slice(&store.read(format!("sessions/{name}/manifest.json"))).unwrap();
    assert_eq!((&manifest["session_id"], &manifest["user_id"]), (&json!(name), &json!("user-1")));
    done(&store, |context| {
        ops::add::add(context, &RecordDraft { session: Some(name), ..draft("finding", "Slow start") })
    });
    let again = |context: &WriteContext<'_>| ops::session::new(context, Some("pools"), "");
    assert!(refused(&store, again).message.contains("already exists"));
    assert!(
        refused(&store, |context| ops::session::new(context, Some("../x"), "")).message.contains("separator")
    );
    done(&store, |context| ops::session::new(context, None, ""));
    assert!(store.file("sessions/sess-2026-02-01-07070707/manifest.json").exists());
}
