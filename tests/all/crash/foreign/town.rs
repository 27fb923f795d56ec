//! Small stores of each format on the disk in memory, and actions in them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::format::{self, Placement, text_of};
use palimp::model::{Act, Change, Entry, Extent, Plan, Role, Store};
use palimp::ops::{self, WriteContext};
use palimp::store::erase::{ErasedContents, ErasureMatcher, ErasureScope, ErasureTarget};
use palimp::store::write::Writer;
use palimp::store::write::scrub::gather;
use palimp::store::{CommitError, Place, Vault, load_from};

use super::deeds::{Deed, Doing, First, Make, TEXT, add, bytes_of, new_session};
use crate::crash::bench::{DATA, host};
use crate::crash::machine::{NOW, Still};
use crate::support::agent_memory::AgentMemoryBuilder;

const BUNDLE: &str = "agent-memory";

/// The root of a store. A bundle has files beside it.
pub fn root(format: &str) -> &'static Path {
    Path::new(if format == BUNDLE { "/repo/.agent-memory" } else { "/repo" })
}

/// Returns the path of a file; one beside the store starts with `..`.
pub fn path_of(format: &str, file: &Path) -> PathBuf {
    match file.strip_prefix("..") {
        Ok(beside) => root(format).parent().unwrap().join(beside),
        Err(_) => root(format).join(file),
    }
}

pub fn load(disk: &Faulty, format: &'static str) -> Store {
    let place = Place::whole(root(format).into(), format);
    load_from(disk, &place, Extent::All, None, NOW)
}

type Packed = BTreeMap<PathBuf, Vec<u8>>;

fn packed(disk: &Faulty, root: &Path) -> Packed {
    let is_packed = |path: &Path| path.extension().is_some_and(|end| end == "gz");
    let files = disk.files().into_iter().filter(|(path, _)| is_packed(path));
    files.filter_map(|(path, own)| Some((path.strip_prefix(root).ok()?.to_owned(), own))).collect()
}

fn with_scene<T>(disk: &Faulty, store: &Store, number: u8, act: impl FnOnce(&WriteContext<'_>) -> T) -> T {
    let packed = packed(disk, &store.root);
    act(&WriteContext { store, now: NOW, random: [number; 16], compressed_files: &packed })
}

pub fn start(format: &'static str, deed: &Deed) -> Result<Faulty, String> {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    disk.put_folder(root(format), 0o700);
    let number = Cell::new(10);
    let done = |make: Make| -> Result<(), String> {
        let machine = Still::first();
        let store = load(&disk, format);
        number.set(number.get() + 1);
        let plan = with_scene(&disk, &store, number.get(), make).map_err(|refusal| refusal.message)?;
        let writer = Writer::open(host(&disk, &machine), &store).map_err(|error| error.to_string())?;
        writer.commit(&plan).map(drop).map_err(|error| error.to_string())
    };
    if deed.first.iter().any(|first| matches!(first, First::Nothing)) {
        return Ok(disk.restart());
    }
    if format == BUNDLE {
        let builder = AgentMemoryBuilder::new().event(serde_json::json!({}));
        let newer = [("/currentFocus/summary", serde_json::json!("Printing more tickets."))];
        let builder = builder
            .bundle(&newer)
            .config("/retention", serde_json::json!({"enabled": true, "checkpoints": {"keepRecent": 1}}));
        builder
            .files()
            .0
            .into_iter()
            .for_each(|(path, bytes)| disk.put(path_of(BUNDLE, &path), bytes, 0o600));
    } else {
        done(|context| ops::init::init(context.store.format, &context.store.root, context.now))?;
        let _ = done(|context| ops::session::new(context, Some(new_session(context)), "user"));
        let adds: [Make; 3] =
            [|context| add(context, 0), |context| add(context, 1), |context| add(context, 0)];
        adds.into_iter().try_for_each(done)?;
    }
    for first in deed.first {
        match first {
            First::Plan(make) => done(*make)?,
            First::Undo => drop(run(&disk, format, Doing::Undo).ok_or("nothing to be undone")?),
            First::Other(act) => act(&disk, root(format), &load(&disk, format)),
            First::Nothing => {}
        }
    }
    minutes_later(&disk.restart(), format)?;
    let disk = disk.restart();
    minutes_later(&disk, format)?;
    Ok(disk)
}

/// Runs the next start, and those of the minutes after it.
pub fn minutes_later(disk: &Faulty, format: &'static str) -> Result<(), String> {
    let machine = Still::next();
    for _ in 0..3 {
        let store = load(disk, format);
        Writer::open(host(disk, &machine), &store).map(drop).map_err(|error| error.to_string())?;
        machine.pass(120);
    }
    Ok(())
}

/// The notes, and the plan that was applied; an erasure has none.
pub type Done = Result<(Vec<String>, Option<Plan>), CommitError>;

/// Does it. Returns `None` if there is nothing to do.
pub fn run(disk: &Faulty, format: &'static str, act: Doing) -> Option<Done> {
    let store = load(disk, format);
    let machine = Still::first();
    let turned = match act {
        Doing::Plan(make) => {
            let plan = with_scene(disk, &store, 7, make).ok().filter(|plan| !plan.is_empty())?;
            return Some(Writer::open(host(disk, &machine), &store).and_then(|writer| {
                let receipt = writer.commit(&plan)?;
                Ok((receipt.notes, Some(plan)))
            }));
        }
        Doing::Erase => return erase(disk, &machine, &store),
        Doing::Undo => |writer: &Writer<'_>| writer.undo(None),
        Doing::Redo => |writer: &Writer<'_>| writer.redo(None),
    };
    Some(Writer::open(host(disk, &machine), &store).and_then(|writer| {
        let (plan, turn) = turned(&writer)?;
        let receipt = writer.commit_undo_redo(&plan, turn)?;
        Ok((receipt.notes, Some(plan)))
    }))
}

pub fn erasure(disk: &Faulty, store: &Store) -> Option<(Plan, Vec<ErasureTarget>)> {
    erasure_of(disk, store, &|_| true)
}

pub fn erasure_of(
    disk: &Faulty,
    store: &Store,
    is_it: &dyn Fn(&Entry) -> bool,
) -> Option<(Plan, Vec<ErasureTarget>)> {
    with_scene(disk, store, 7, |context| {
        let reason = ops::erase::DEFAULT_REASON;
        let targets = |entry| ops::erase::targets(context, &[entry], reason, &[]).ok();
        let chosen = store.entries.iter().filter(|entry| is_it(entry));
        let (says, others): (Vec<&Entry>, Vec<&Entry>) =
            chosen.partition(|entry| text_of(store, entry).text.raw().contains(TEXT));
        says.into_iter().chain(others).find_map(|entry| {
            let targets = targets(*entry)?;
            let vault = Vault::open_read_only(disk, Path::new(DATA), &store.root);
            let wanted = ErasureMatcher::of(format::by_name(store.format)?, store, &targets, NOW);
            let mut contents = ErasedContents::default();
            let kept = gather(disk, store, &vault, &wanted, &mut contents, &Default::default()).ok()?;
            let removal = ops::erase::plan(context, &wanted, &contents, &kept, reason).ok()?;
            (!removal.plan.is_empty()).then_some((removal.plan, targets))
        })
    })
}

fn erase(disk: &Faulty, machine: &Still, store: &Store) -> Option<Done> {
    let (plan, targets) = erasure(disk, store)?;
    let writer = match Writer::open(host(disk, machine), store) {
        Ok(writer) => writer,
        Err(error) => return Some(Err(error)),
    };
    Some(
        writer
            .erase(
                &plan,
                ErasureScope { targets: &targets, ..ErasureScope::default() },
                ops::erase::DEFAULT_REASON,
            )
            .map(|_| (Vec::new(), None)),
    )
}

/// Returns the files that a deed would change, each with whether it is derived.
pub fn targets(
    disk: &Faulty,
    format: &'static str,
    done: Option<&Plan>,
    deed: &Deed,
) -> Vec<(PathBuf, bool)> {
    let erased = || matches!(deed.act, Doing::Erase).then(|| erasure(disk, &load(disk, format)).unwrap().0);
    let plan = done.cloned().or_else(erased).unwrap();
    let is_file = |path: &Path| bytes_of(disk, &path_of(format, path)).is_some();
    let made = |change: &Change| matches!(change.act, Act::Create(_) | Act::Append(_));
    let data = plan.changes.iter().map(|change| (change, false));
    let all = data.chain(plan.derived.iter().map(|change| (change, true)));
    let all = all.filter(|(change, _)| is_file(&change.path) || made(change));
    let is_index = |path: &Path| {
        let format = format::by_name(format).unwrap();
        format.place(path, false) == Placement::File(Role::Index)
    };
    all.map(|(change, derived)| (change.path.clone(), derived || is_index(&change.path))).collect()
}
