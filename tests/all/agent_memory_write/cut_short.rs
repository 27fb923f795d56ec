//! A deletion that is interrupted at every step.

use super::*;
use crate::support::tries;

/// Returns the repository's files on a disk in memory.
fn files_on(disk: &Faulty) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_ours = |path: &Path| is_ours(path.file_name().unwrap());
    let all = disk.files().into_iter();
    all.filter(|(path, _)| path.starts_with("/repository") && !is_ours(path)).collect()
}

fn store_on(disk: &Faulty) -> Store {
    let place = Place::whole("/repository/.agent-memory".into(), "agent-memory");
    load_from(disk, &place, Extent::Whole, None, moment(NOW))
}

fn writing_on<T>(disk: &Faulty, act: impl FnOnce(&Writer<'_>, &Store) -> T) -> Result<T, CommitError> {
    let machine = ThisMachine::new();
    let host = Host { disk, machine: &machine, data: Path::new("/data"), now: moment(NOW) };
    let store = store_on(disk);
    let writer = Writer::open(host, &store)?;
    Ok(act(&writer, &store))
}

fn delete_on(disk: &Faulty) -> Result<CommitReceipt, CommitError> {
    writing_on(disk, |writer, store| {
        let context = WriteContext {
            store,
            now: moment(NOW),
            random: [7; 16],
            compressed_files: &palimp::format::writing::NO_COMPRESSED_FILES,
        };
        let plan = delete(&["gotchas.1", "evt-000002", "chk-000001", "evt-000001"])(&context).unwrap();
        writer.commit(&plan)
    })?
}

/// After a crash at any step, the next writer finds the state before or after, around the store too.
#[test]
fn a_crash_at_any_step_leaves_what_was_or_what_is_to_be() {
    let begun = Faulty::new();
    for (path, bytes) in &kept().files().0 {
        let root = Path::new("/repository");
        let path =
            path.strip_prefix("..").map_or(root.join(".agent-memory").join(path), |own| root.join(own));
        begun.put(path, bytes.clone(), 0o644);
    }
    begun.put_folder("/data", 0o700);
    let whole = begun.restart();
    let before = files_on(&whole);
    delete_on(&whole).unwrap();
    let after = files_on(&whole);
    assert_ne!(before, after);
    let (mut back, mut forth) = (0, 0);
    for step in tries::spread(whole.steps(), 12) {
        let is_write = matches!(whole.ops()[step], Op::Write { .. });
        for fault in [Fault::Crash, Fault::CrashInWrite(7)].into_iter().take(1 + usize::from(is_write)) {
            let disk = begun.restart();
            disk.fail_at(step, fault);
            let _ = delete_on(&disk);
            let cuts = disk.after_power_cut().into_iter().take(4);
            for (label, found) in cuts.chain([("killed".into(), disk.restart())]) {
                writing_on(&found, |_, _| ()).unwrap();
                let now = files_on(&found);
                back += usize::from(now == before);
                forth += usize::from(now == after);
                let op = &whole.ops()[step];
                assert!(
                    now == before || now == after,
                    "{label}, step {step}: {op}\n{:?}",
                    differing(&now, &before)
                );
                let others =
                    found.files().into_keys().filter(|path| path.to_str().unwrap().ends_with(".palimp-tmp"));
                // palimp's temporary files beside the store stay, because their process may be alive.
                assert_eq!(others.filter(|path| path.starts_with("/repository/.agent-memory")).count(), 0);
            }
        }
    }
    assert!(back > 0 && forth > 0, "{back} {forth}");
}

fn differing(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path)).cloned().collect()
}
