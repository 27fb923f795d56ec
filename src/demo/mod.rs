//! The demo's invented stores: the memories of a release, an outage and a payment bug, with damage
//! as in real stores. palimp's own verbs write four of the five. Pure and deterministic.

mod agent_memory;
mod damage;
mod demo_memory;
mod fake_secrets;
mod rng;
mod store_builder;
mod stores;
mod story;
mod templates;
mod till;

use crate::format::writing::Result;
use crate::model::Moment;
use rng::DemoRng;
pub use store_builder::{DemoFile, PlantedProblem};
use stores::DemoInputs;
use story::Story;
use templates::Templates;
#[cfg(test)]
pub use tests::lay_out;

/// Returns every file of the demo. Equal seeds and times give equal bytes; a time outside the calendar none.
pub fn files(seed: u64, now: Moment) -> Vec<DemoFile> {
    match stores(seed, now) {
        files if files.is_empty() => files,
        files => files.into_iter().chain(till::files(now)).collect(),
    }
}

/// Returns the files of the five stores that are no folders of Markdown memories.
pub fn stores(seed: u64, now: Moment) -> Vec<DemoFile> {
    written(seed, now).unwrap_or_default().0
}

/// Returns the problems that [`fn@stores`] plants, with the codes that `check` gives them.
pub fn planted(seed: u64, now: Moment) -> Vec<PlantedProblem> {
    written(seed, now).unwrap_or_default().1
}

fn written(seed: u64, now: Moment) -> Result<(Vec<DemoFile>, Vec<PlantedProblem>)> {
    let mut chance = DemoRng::new(seed);
    let mut material = Templates::new(&mut chance);
    let story = Story::new(now, &mut chance);
    story.texts().for_each(|text| material.leave_out(text));
    let mut given = DemoInputs { material: &mut material, story: &story, chance: &mut chance, now };
    let (mut files, mut planted) = (Vec::new(), Vec::new());
    for write in [stores::team, stores::ops, stores::shop, stores::notes, agent_memory::write] {
        let (own_files, own_planted) = write(&mut given)?;
        files.extend(own_files);
        planted.extend(own_planted);
    }
    Ok((files, planted))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Writes the stores into a folder, for tests. They are made once per time.
    pub fn lay_out(folder: &std::path::Path, now: Moment) {
        static MADE: Mutex<Option<HashMap<i64, Arc<Vec<DemoFile>>>>> = Mutex::new(None);
        let mut made = MADE.lock().unwrap();
        let made = made.get_or_insert_default().entry(now.0).or_insert_with(|| Arc::new(stores(1, now)));
        for (path, bytes) in made.iter() {
            let path = folder.join(path);
            crate::disk::write_new(&path, bytes).unwrap();
            // A reload reads a file again whose time is too young to prove that it is unchanged.
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(3600)).unwrap();
        }
    }

    #[test]
    fn no_verb_refuses_what_the_demo_asks_for_and_the_same_seed_and_time_make_the_same_bytes() {
        let at = |now| Moment::parse(now).unwrap().0;
        let first = written(1, at("2026-02-01T12:00:00Z")).unwrap();
        assert!(first == written(1, at("2026-02-01T12:00:00Z")).unwrap());
        assert!(first.0 != written(7, at("2028-02-29T23:59:59Z")).unwrap().0);
    }
}
