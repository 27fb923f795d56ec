//! The invented stores of the demo: what the agents of a made-up team remember, with
//! what goes wrong in real stores done to some of it on purpose. Pure and deterministic.

mod a_mem;
mod agent_memory;
mod bmad;
mod chance;
mod damage;
mod json;
mod log;
mod material;
mod memory_server;
mod secrets;
mod session_log;

use std::path::PathBuf;

use crate::model::Moment;
use chance::Chance;
use log::Planted;
use material::{About, Material, column};

/// A file of the demo: its path below the demo's folder, and its bytes.
pub type File = (PathBuf, Vec<u8>);

/// Every file of the demo's stores. The same seed and time make the same bytes.
pub fn stores(seed: u64, now: Moment) -> Vec<File> {
    written(seed, now).0
}

/// The problems that [`stores`] plants: a file, its line, the code that `check` gives it.
pub fn planted(seed: u64, now: Moment) -> Vec<Planted> {
    written(seed, now).1
}

fn written(seed: u64, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let mut chance = Chance::new(seed);
    let mut material = Material::new(&mut chance);
    let writers = [memory_server::write, session_log::write, bmad::write, a_mem::write, agent_memory::write];
    let (mut files, mut planted) = (Vec::new(), Vec::new());
    for write in writers {
        let (own_files, own_planted) = write(&mut material, &mut chance, now);
        files.extend(own_files);
        planted.extend(own_planted);
    }
    (files, planted)
}

/// A text with a secret in it.
fn told_with_secret(material: &mut Material, chance: &mut Chance) -> String {
    let told = material.tell(About::Secret, chance);
    let secret = secrets::fake_secret(column(&told, 0), chance);
    column(&told, 1).replace("{secret}", &secret)
}
