//! Ids that repeat what a record said, and reasons of tombstones: an erasure takes them, too.

use super::*;
use crate::support::Verb;

/// A key that no prefix tells.
fn key() -> String {
    ["9f8e7d6c5b4a", "39281706f5e4", "d3c2b1a09f8e", "7d6c"].concat()
}

struct Desk {
    folder: tempfile::TempDir,
    store: PathBuf,
}

impl Desk {
    fn new(format: &str) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        let desk = Desk { folder, store };
        let root = desk.store.to_str().unwrap().to_owned();
        let data = desk.folder.path().join("data");
        let init = ["init", format, &root, "--yes", "--data-dir", data.to_str().unwrap()];
        Verb::new(init).run().expect_status(0);
        desk
    }

    fn run(&self, args: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        let options =
            ["--store", self.store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
        Verb::new([args, &options].concat()).run()
    }

    /// The files that hold a text, or are called after it.
    fn holding(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for item in std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()) {
                if item.is_dir() {
                    folders.push(item);
                } else if item.to_string_lossy().contains(text)
                    || memchr::memmem::find(&std::fs::read(&item).unwrap(), text.as_bytes()).is_some()
                {
                    found.push(item);
                }
            }
        }
        found
    }
}

#[test]
fn an_id_made_of_a_text_takes_no_key_from_it() {
    let desk = Desk::new("a-mem");
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8"].concat();
    desk.run(&["add", "--type", "note", "--text", &format!("deploy key {}", key())]).expect_status(0);
    desk.run(&["add", "--type", "note", "--text", &format!("push with {token}")]).expect_status(0);
    let rows = desk.run(&["list", "--json"]).json_lines();
    for row in rows {
        let id = row["id"].as_str().unwrap();
        assert!(!id.contains(&key()[..12]) && !id.contains("a1b2c3d4"), "{id}");
    }
}

#[test]
fn where_an_id_stays_that_holds_what_was_erased_is_said() {
    let desk = Desk::new("a-mem");
    desk.run(&["add", "--type", "note", "--text", "deploy"]).expect_status(0);
    // Another program made the id.
    let notes = desk.store.join("knowledge/notes");
    let note = std::fs::read_to_string(notes.join("deploy.md")).unwrap();
    let id = format!("deploy-key-{}", key());
    let with =
        note.replace("id: deploy", &format!("id: {id}")).replace("# deploy", &format!("# deploy {}", key()));
    std::fs::write(notes.join(format!("{id}.md")), format!("{with}\ndeploy key {}\n", key())).unwrap();
    desk.run(&["tag", &id, "+new"]).expect_status(0);
    desk.run(&["delete", &id]).expect_status(0);
    assert!(desk.holding(&key()).len() > 2);
    let erased = desk.run(&["erase", &id, "--json"]).expect_status(4);
    assert!(!erased.stdout.contains("erasing.json"), "{}", erased.stdout);
    for file in desk.holding(&key()) {
        assert!(erased.stdout.contains(file.to_str().unwrap()), "{}: {}", file.display(), erased.stdout);
    }
    // It is still known by what was erased.
    std::fs::write(notes.join(format!("{id}.md")), with).unwrap();
    let check = desk.run(&["check", "--json"]);
    assert!(check.stdout.contains("erased-anew"), "{}", check.stdout);
}

#[test]
fn the_reason_of_a_tombstone_goes_with_its_record() {
    let site = session_log();
    let reason = ["leaked", "by", "agent", "seven"].join("-");
    site.run(&["delete", "sess_a/mem_001", "--reason", &reason, "--yes"]).expect_status(0);
    site.run(&["undelete", "sess_a/mem_001", "--yes"]).expect_status(0);
    assert!(!found(&site.data, std::slice::from_ref(&reason)).is_empty());
    site.erase("sess_a/mem_001");
    assert_eq!(found(site.store.around(), &[reason]), Vec::<PathBuf>::new());
}
