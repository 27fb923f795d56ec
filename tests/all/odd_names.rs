//! Names that are not UTF-8: such files are listed, changed, restored and erased like any other,
//! and messages show a text that can be used as their name.

use crate::support;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Output, Verb};

const NOW: &str = "2026-02-01T12:00:00Z";

/// The demo's stores in folders with odd names; in each, a file or folder has an odd name, too.
struct Site {
    folder: tempfile::TempDir,
}

/// A format, its store, and the part of it that gets an odd name.
const STORES: [(&str, &[u8], &str); 5] = [
    ("memory-server", b"te\xffam/memories", "archive"),
    ("session-log", b"op\xffs/memory", "sessions"),
    ("agent-memory", b"we\xffb/.agent-memory", ""),
    ("bmad", b"sh\xffop/.bmad/memory", "sessions"),
    ("a-mem", b"no\xfftes/.chora/memory", "knowledge/notes"),
];

fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

fn odd(name: &OsStr) -> OsString {
    let at = name.len().min(3);
    let (before, behind) = name.as_bytes().split_at(at);
    OsString::from_vec([before, b"\xe9", behind].concat())
}

impl Site {
    fn new() -> Site {
        let site = Site { folder: crate::support::folder::new() };
        crate::support::demo::lay_out_of_today(&site.path("demo"));
        let demo = site.path("demo");
        let names = [
            ("team", &b"te\xffam"[..]),
            ("ops", b"op\xffs"),
            ("web", b"we\xffb"),
            ("shop", b"sh\xffop"),
            ("notes", b"no\xfftes"),
        ];
        for (name, odd) in names {
            fs::rename(demo.join(name), demo.join(path(odd))).unwrap();
        }
        for (_, root, folder) in STORES.iter().filter(|own| !own.2.is_empty()) {
            for item in fs::read_dir(site.root(root).join(folder)).unwrap().map(Result::unwrap) {
                fs::rename(item.path(), item.path().with_file_name(odd(&item.file_name()))).unwrap();
            }
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn root(&self, root: &[u8]) -> PathBuf {
        self.path("demo").join(path(root))
    }

    fn told(&self, root: &[u8]) -> String {
        let root = String::from_utf8(root.iter().copied().flat_map(told).collect()).unwrap();
        self.path("demo").join(root).to_str().unwrap().to_owned()
    }

    /// Returns palimp's data about that format's store; another store may have the same texts.
    fn kept(&self, format: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let folders = fs::read_dir(self.path("data/stores")).unwrap().map(|item| item.unwrap().path());
        let is_it = |own: &PathBuf| fs::read_to_string(own.join("store.json")).unwrap().contains(format);
        folders.filter(is_it).flat_map(|own| files(&own)).collect()
    }

    fn run(&self, args: &[&str]) -> Output {
        let data = self.path("data");
        let all = args.iter().map(OsString::from).chain(["--data-dir".into(), data.into()]);
        let own = Verb::new(all.chain(["--yes".into(), "--now".into(), NOW.into()])).run();
        assert!(!format!("{}{}", own.stdout, own.stderr).contains('\u{fffd}'), "{args:?}: {own:?}");
        own
    }

    fn rows(&self, args: &[&str]) -> Vec<Value> {
        self.run(&[args, &["--json"]].concat()).json_lines()
    }
}

fn told(byte: u8) -> Vec<u8> {
    if byte < 128 { vec![byte] } else { format!("\\x{byte:02X}").into_bytes() }
}

/// Returns the files with records below a folder, without derived files and locks.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<_> = support::files_below(folder).into_iter().collect();
    let is_ours = |path: &Path| {
        let name = path.file_name().unwrap().as_bytes();
        name.ends_with(b"lock") || name.ends_with(b".palimp-old")
    };
    found.retain(|(path, _)| !is_ours(path));
    found.sort();
    found
}

fn text<'v>(row: &'v Value, name: &str) -> &'v str {
    row[name].as_str().unwrap_or_default()
}

#[test]
fn in_every_format_what_has_an_odd_name_is_told_changed_undone_and_erased() {
    let site = Site::new();
    for (format, root, folder) in support::tries::some(STORES, &[1]) {
        let (whole, store) = (site.root(root), site.told(root));
        let on = |args: &[&str]| site.run(&[args, &["--store", &store]].concat());
        let stores = site.rows(&["stores", "--store", &store]);
        assert_eq!((text(&stores[0], "path"), text(&stores[0], "format")), (&*store, format));

        let rows = site.rows(&["list", "--all", "--store", &store]);
        let is_odd = |row: &&Value| folder.is_empty() || text(row, "file").contains("\\xE9");
        let own = rows.iter().find(|row| is_odd(row) && row["id"].is_string() && row["state"] != "broken");
        let own = own.unwrap_or_else(|| panic!("{format}: {rows:?}"));
        assert_eq!(text(own, "store"), store);
        let id = text(own, "id");
        let file = {
            let told = text(own, "file").replace("\\xE9", "\u{1}");
            path(&told.bytes().map(|byte| if byte == 1 { 0xe9 } else { byte }).collect::<Vec<u8>>())
        };
        let is_packed = text(own, "file").contains("!/");
        assert!(is_packed || whole.join(&file).is_file(), "{format}: {file:?}");
        let session = own["session"].as_str().map(|name| format!("{name}/")).unwrap_or_default();
        for name in [text(own, "key").to_owned(), format!("{store}/{session}{id}")] {
            let shown = on(&["show", &name, "--json"]).expect_status(0);
            assert_eq!(text(&shown.json_lines()[0], "file"), text(own, "file"), "{name}");
        }
        let problems = site.rows(&["check", "--store", &store]);
        assert!(problems.iter().all(|row| text(row, "store") == store));
        // Without a terminal, the first screen is printed.
        let screen = on(&[]).expect_status(0).stdout;
        assert!(screen.contains(id) || screen.contains("\\x"), "{format}: {screen}");

        let live = rows.iter().find(|row| {
            let may = format != "agent-memory" || text(row, "id").starts_with("gotchas.");
            may && is_odd(row)
                && row["state"] == "live"
                && row["id"].is_string()
                && text(row, "problems").is_empty()
        });
        if let Some(live) = live {
            changes_and_back(&site, format, &store, &whole, live);
        }
        let own = live.unwrap_or(own);
        let words = text(own, "text").lines().max_by_key(|line| line.len()).unwrap_or_default().to_owned();
        on(&["erase", text(own, "key")]).expect_status(0);
        let rows = site.rows(&["list", "--all", "--store", &store]);
        assert!(rows.iter().all(|row| row["key"] != own["key"]), "{format}");
        let journal = site.rows(&["journal", "--store", &store]);
        assert_eq!(text(journal.last().unwrap(), "verb"), "erase", "{format}");
        let alike = rows.iter().any(|row| text(row, "raw").contains(&words));
        for (path, bytes) in files(&whole).into_iter().chain(site.kept(format)) {
            let holds = memchr::memmem::find(&bytes, words.as_bytes()).is_some();
            assert!(alike || words.len() < 12 || !holds, "{format}: {path:?} holds {words:?}");
        }
    }
}

/// Each change is undone byte for byte, by its step and from a backup.
fn changes_and_back(site: &Site, format: &str, store: &str, whole: &Path, live: &Value) {
    let on = |args: &[&str]| site.run(&[args, &["--store", store]].concat());
    let key = text(live, "key");
    let before = files(whole);
    let mut changes = vec![vec!["edit", key, "--set", "text=It is another text now."], vec!["delete", key]];
    if !matches!(format, "agent-memory") {
        changes.push(vec!["tag", key, "+odd"]);
    }
    if matches!(format, "session-log" | "bmad") {
        let session = text(live, "session");
        changes.push(vec!["add", "--session", session, "--type", "finding", "--text", "One more."]);
        changes.push(vec!["session", "delete", session]);
    }
    for change in changes {
        let planned = on(&[&change[..], &["--dry-run", "--json"]].concat()).expect_status(0);
        assert!(planned.stdout.contains("\"files\""), "{format}: {change:?}");
        let own = on(&change).expect_status(0);
        let after = files(whole);
        assert_ne!(after, before, "{format} {change:?}: {own:?}");
        let journal = site.rows(&["journal", "--store", store]);
        let named = journal.last().unwrap()["files"].as_array().unwrap().clone();
        let planned: Value = serde_json::from_str(&planned.stdout).unwrap();
        let first = planned["plan"]["files"][0]["path"].as_str().unwrap();
        assert!(named.iter().any(|file| first.ends_with(text(file, "path"))), "{first} {named:?}");
        on(&["undo"]).expect_status(0);
        let kept = |all: &[(PathBuf, Vec<u8>)]| -> Vec<(PathBuf, Vec<u8>)> {
            let is_copy = |path: &Path| path.components().any(|part| part.as_os_str() == ".backup");
            all.iter().filter(|own| !is_copy(&own.0)).cloned().collect()
        };
        let back = kept(&files(whole));
        for (was, is) in kept(&before).iter().zip(&back) {
            assert!(was == is, "{format} {change:?}: {:?} {:?}", was.0, is.0);
        }
        assert_eq!(kept(&before).len(), back.len(), "{format} {change:?}");
    }
    // The complete file is restored from a copy that names it.
    on(&["backup", "create"]).expect_status(0);
    let backups = site.rows(&["backup", "list", "--store", store]);
    let copy = backups.iter().find(|own| own["file"] == live["file"]).unwrap();
    on(&["edit", key, "--set", "text=Yet another one."]).expect_status(0);
    let restored = on(&["backup", "restore", text(copy, "backup"), "--replace"]);
    if restored.status == Some(0) {
        on(&["show", key]).expect_status(0);
    } else {
        // A part of a store whose files agree with each other is not restored alone.
        assert_eq!(restored.status, Some(3), "{restored:?}");
        on(&["undo"]).expect_status(0);
    }
    // A deleted memory is restored by its id.
    on(&["delete", key]).expect_status(0);
    let session = live["session"].as_str().map(|name| format!("{name}/")).unwrap_or_default();
    on(&["undelete", &format!("{session}{}", text(live, "id"))]).expect_status(0);
    on(&["undo"]).expect_status(0);
    on(&["undo"]).expect_status(0);
    on(&["show", key]).expect_status(0);
}

/// Two notes that would look alike: the name of one is not UTF-8, and the other has the text shown for it.
#[test]
fn of_two_names_that_look_alike_each_is_told_and_erased_by_itself() {
    let folder = crate::support::folder::new();
    let notes = folder.path().join("knowledge/notes");
    fs::create_dir_all(&notes).unwrap();
    let note = |text: &str| {
        format!(
            "---\ncreated: 2026-01-01T00:00:00Z\ntags: [a]\nlinked_to: []\nconfidence: high\n---\n\n# Title\n\n{text}\n"
        )
    };
    let names = [path(b"a\xff.md"), path(b"a\\xFF.md"), path(b"a\xfe.md"), path("a\u{fffd}.md".as_bytes())];
    let texts = ["first of the four", "second of the four", "third of the four", "fourth of the four"];
    for (name, text) in names.iter().zip(texts) {
        fs::write(notes.join(name), note(text)).unwrap();
    }
    let run = |args: &[&str]| {
        let (store, data) = (folder.path(), folder.path().join("data"));
        let all = args.iter().map(OsString::from).chain(["--store".into(), store.into()]);
        Verb::new(all.chain(["--data-dir".into(), data.into(), "--yes".into()])).run()
    };
    let rows = run(&["list", "--json"]).expect_status(0).json_lines();
    let mut files: Vec<&str> = rows.iter().map(|row| text(row, "file")).collect();
    files.sort();
    let of = |name: &str| format!("knowledge/notes/{name}");
    assert_eq!(files, [of("a\\x5CxFF.md"), of("a\\xFE.md"), of("a\\xFF.md"), of("a\u{fffd}.md")]);
    let key = rows.iter().find(|row| text(row, "file").ends_with("a\\xFF.md")).unwrap();
    run(&["erase", text(key, "key")]).expect_status(0);
    let left: Vec<bool> = names.iter().map(|name| notes.join(name).exists()).collect();
    assert_eq!(left, [false, true, true, true]);
    let erased = run(&["journal", "--json"]).json_lines();
    assert_eq!(text(&erased.last().unwrap()["files"][0], "path"), of("a\\xFF.md"));
}

#[test]
fn the_undo_that_is_printed_can_be_pasted_whatever_the_path_holds() {
    let names: [&[u8]; 5] = [
        b"plain",
        b"it's \"two\" `words`",
        b"new\nline \x1b[31m",
        b"not \xff text",
        "\u{202e}turned $HOME!".as_bytes(),
    ];
    for name in support::tries::some(names, &[1, 2, 3]) {
        let folder = crate::support::folder::new();
        let (root, data) =
            (folder.path().join(path(name)), folder.path().join(path(&[name, b"-data"].concat())));
        fs::create_dir(&root).unwrap();
        let end = |words: &[&str]| {
            let words = words.iter().map(OsString::from);
            let own: [&OsStr; 5] =
                ["--yes".as_ref(), "--store".as_ref(), root.as_ref(), "--data-dir".as_ref(), data.as_ref()];
            Verb::new(words.chain(own.map(OsStr::to_owned))).run().expect_status(0)
        };
        let words = [OsStr::new("init"), "memory-server".as_ref(), root.as_ref(), "--yes".as_ref()];
        Verb::new(words.iter().chain(&[OsStr::new("--data-dir"), data.as_ref()])).run().expect_status(0);
        let added = end(&["add", "--type", "core", "--text", "Something to take back"]);
        let command = added.stderr.split('`').next_back().unwrap_or_default();
        assert!(command.contains("undoes it"), "{}", added.stderr);
        let from = added.stderr.find("palimp undo").unwrap();
        let command = &added.stderr[from..added.stderr.rfind("` undoes it").unwrap()];
        assert_eq!(end(&["list", "--json"]).json_lines().len(), 1);
        let binary = Path::new(env!("CARGO_BIN_EXE_palimp")).parent().unwrap();
        let search = format!("{}:/usr/bin:/bin", binary.display());
        let script = format!("{command} --yes");
        let done = std::process::Command::new("bash")
            .args(["-c", &script])
            .env_clear()
            .env("PATH", search)
            .env("HOME", folder.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
        let left = Verb::new(
            ["list", "--json", "--store"]
                .map(OsString::from)
                .into_iter()
                .chain([root.clone().into_os_string()]),
        );
        assert_eq!(left.run().expect_status(1).stdout, "", "{command}");
    }
}

/// A message about a store and its files is one line, whatever the folder's name.
#[test]
fn a_line_end_in_a_path_begins_no_message() {
    let forged = "palimp: saved; all is well";
    let folder = crate::support::folder::new();
    let above = folder.path().join(format!("evil\n{forged}"));
    let (store, other, data) = (above.join("m"), above.join("n"), folder.path().join("data"));
    fs::create_dir(&above).unwrap();
    for store in [&store, &other] {
        Verb::new([OsStr::new("init"), "memory-server".as_ref(), store.as_ref(), "--yes".as_ref()])
            .run()
            .expect_status(0);
    }
    let on = |words: &[&str], stores: &[&Path]| {
        let stores = stores.iter().flat_map(|store| [OsString::from("--store"), store.into()]);
        let data = ["--data-dir".into(), data.clone().into_os_string()];
        Verb::new(words.iter().map(OsString::from).chain(stores).chain(data)).run()
    };
    let add = ["add", "--type", "core", "--text", "One.", "--yes"];
    let missing = above.join("missing");
    for (words, stores, status) in [
        (&["undo", "--yes"][..], &[&*store][..], 1),
        (&["list"], &[&missing], 1),
        (&add, &[&store, &other], 3),
        (&add, &[&store], 0),
        (&["list", "--limit", &format!("x\n{forged}")], &[&store], 2),
        (&[&format!("lis\n{forged}")], &[], 2),
    ] {
        let own = on(words, stores);
        assert!(
            own.stderr.contains(&format!("\u{240a}{forged}")) || own.status == Some(0),
            "{words:?} {own:?}"
        );
        assert!(
            !own.stderr.lines().any(|line| line.contains(&format!(": {forged}")) || line.starts_with(forged)),
            "{own:?}"
        );
        assert_eq!(own.status, Some(status), "{words:?} {own:?}");
    }
}

#[test]
fn a_note_whose_name_is_not_utf_8_has_a_row_and_is_shown() {
    let text = "---\nname: open\ndescription: It opens.\ncreated: 2026-01-10T12:00:00Z\n---\n\nAt nine.\n";
    for (root, folder, index) in
        [(".claude/memory", "", "MEMORY.md"), (".chora/memory", "knowledge/notes", "knowledge/notes/n1.md")]
    {
        let store = support::Files::default().with(index, text).build(root);
        store.write(Path::new(folder).join(path(b"caf\xe9.md")), text.as_bytes());
        let of_store =
            |words: &[&str]| support::run([words, &["--store", store.path.to_str().unwrap()]].concat());
        assert!(of_store(&["list"]).expect_status(0).stdout.contains("caf\\xE9"), "{root}");
        assert!(of_store(&["show", "caf\\xE9"]).expect_status(0).stdout.contains("At nine."), "{root}");
    }
}
