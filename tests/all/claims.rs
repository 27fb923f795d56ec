//! Everything that palimp says about damaged stores is true: lists and counts, the promises of each
//! fix and of each backup, what stays and what comes back. The damage is random, in every format.

mod backups;
mod damage;
mod desk;
mod memories;
mod repairs;
mod seen;
mod stores;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::lossless::Chance;
use crate::support::tries::{count, seed};
use desk::{Desk, Files};
use stores::Gone;

/// Checks claims, and collects the false ones.
struct Judge<'a> {
    desk: &'a mut Desk,
    chance: &'a mut Chance,
    gone: &'a [Gone],
    /// Every intact line that was written into the log.
    known: Vec<Vec<u8>>,
    /// Former versions of the files, by their paths below the root.
    former: HashMap<PathBuf, Vec<Vec<u8>>>,
    /// All files before the damage.
    begun: &'a Files,
    what: String,
    wrong: Vec<(&'static str, String)>,
}

impl Judge<'_> {
    fn holds(&mut self, is_so: bool, claim: &'static str, detail: impl FnOnce() -> String) {
        if !is_so {
            self.wrong.push((claim, format!("{}\n  {}", self.what, detail())));
        }
    }
}

/// Returns the lines of the log before the damage, and lines that agents may append.
fn known(desk: &Desk) -> Vec<Vec<u8>> {
    let format = desk.place.format;
    let log = desk.read(stores::log(format)).unwrap_or_default();
    let own = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec);
    own.chain((30..35).map(|number| stores::record(format, number).to_string().into_bytes())).collect()
}

/// Returns the files before the damage, and their copies.
fn former(desk: &Desk) -> HashMap<PathBuf, Vec<Vec<u8>>> {
    let mut all: HashMap<PathBuf, Vec<Vec<u8>>> = HashMap::new();
    let everything = desk.everything();
    let copies: Vec<Vec<u8>> = everything
        .iter()
        .filter(|(path, _)| path.starts_with(desk.data()))
        .map(|(_, own)| own.clone())
        .collect();
    for (path, bytes) in desk.files() {
        let Ok(own) = path.strip_prefix(&desk.place.root) else { continue };
        let known = all.entry(own.to_owned()).or_default();
        known.push(bytes);
        known.extend(copies.iter().cloned());
    }
    all
}

fn hold(format: &'static str) {
    let (mut desk, gone) = stores::lived(format);
    let (begun, start) = (desk.everything(), desk.now);
    let (known, former) = (known(&desk), former(&desk));
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for number in 0..count(3, 120) {
        let seed = seed() + number;
        let mut chance = Chance::new(seed.wrapping_mul(31) + format.len() as u64);
        desk.put_back(&begun, start);
        let what = damage::damage(&desk, &mut chance).join(", ");
        let what = format!("{format}, PALIMP_SEED={seed}: {what}");
        let mut judge = Judge {
            desk: &mut desk,
            chance: &mut chance,
            gone: &gone,
            known: known.clone(),
            former: former.clone(),
            begun: &begun,
            what,
            wrong: Vec::new(),
        };
        judge.sees(&known);
        if number % 8 == 0 {
            judge.prints();
        }
        judge.repairs(count(4, 12));
        judge.restores(count(1, 3));
        judge.wrong.into_iter().for_each(|(claim, own)| wrong.entry(claim).or_default().push(own));
    }
    let first = |all: &[String]| -> String {
        all.iter().take(3).map(|own| own.chars().take(MOST).chain(['\n']).collect::<String>()).collect()
    };
    let told: Vec<String> = wrong
        .iter()
        .map(|(claim, all)| format!("{} times not so: {claim}\n{}", all.len(), first(all)))
        .collect();
    assert!(wrong.is_empty(), "{format}\n{}", told.join("\n"));
}

/// The longest report of a false claim.
const MOST: usize = 1_000;

#[test]
fn what_is_said_of_a_damaged_memory_server_is_so() {
    hold("memory-server");
}

#[test]
fn what_is_said_of_a_damaged_session_log_is_so() {
    hold("session-log");
}

#[test]
fn what_is_said_of_a_damaged_agent_memory_is_so() {
    hold("agent-memory");
}

#[test]
fn what_is_said_of_a_damaged_bmad_is_so() {
    hold("bmad");
}

#[test]
fn what_is_said_of_a_damaged_a_mem_is_so() {
    hold("a-mem");
}
