//! If nothing can be created in a store, nothing is changed: palimp says so, and no step is left.

use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::disk::host::Host;
use palimp::format::writing::WriteContext;
use palimp::model::{Extent, Moment, State};
use palimp::ops::delete::DeleteOptions;
use palimp::store::{Place, load_from, write::Writer};

use crate::crash::machine::Still;

const NOW: &str = "2026-03-01T12:00:00Z";

#[test]
fn where_the_first_new_file_or_folder_can_not_be_made_nothing_was_changed_and_no_step_is_left() {
    let now = Moment::parse(NOW).unwrap().0;
    let root = Path::new("/home/demo/team/memories");
    for has_folder in [true, false] {
        let disk = Faulty::new();
        disk.put_folder("/data", 0o700);
        for (path, bytes) in palimp::demo::stores(1, now) {
            let path = Path::new("/home/demo").join(path);
            if has_folder || !path.starts_with(root.join(".backup")) {
                disk.put(path, bytes, 0o600);
            }
        }
        let machine = Still::first();
        let place = Place::whole(root.into(), "memory-server");
        let change = |disk: &Faulty| {
            let store = load_from(disk, &place, Extent::All, None, now);
            let host = Host { disk, machine: &machine, data: Path::new("/data"), now };
            let writer = Writer::open(host, &store).unwrap();
            let entry = store.entries.iter().find(|own| own.state == State::Live).unwrap();
            let asked = DeleteOptions { remove: true, ..DeleteOptions::default() };
            let context = WriteContext::of(&store, now, [7; 16]);
            writer.commit(&palimp::ops::delete::delete(&context, &[*entry], &asked).unwrap())
        };
        let (learned, refusing) = (disk.restart(), disk.restart());
        change(&learned).unwrap();
        let makes = |own: &String| {
            ["make", "create"].iter().any(|word| own.starts_with(word)) && own.contains("/memories/.backup")
        };
        let at = learned.log().iter().position(makes).unwrap_or_else(|| panic!("{:#?}", learned.log()));
        let before = refusing.files();
        refusing.fail_at(at, Fault::Error(Errno::ACCESS));
        let error = change(&refusing).unwrap_err().to_string();
        assert!(error.ends_with("Nothing was changed."), "{error}");
        let files = refusing.files();
        let is_step =
            |path: &&PathBuf| path.starts_with("/data") && path.extension().is_some_and(|end| end == "step");
        assert_eq!(files.keys().filter(is_step).collect::<Vec<_>>(), [""; 0].map(Path::new), "{error}");
        for (path, bytes) in &before {
            assert_eq!(files.get(path), Some(bytes), "{}", path.display());
        }
        change(&refusing).unwrap();
    }
}
