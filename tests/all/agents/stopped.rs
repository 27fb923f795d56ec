//! Agents that are stopped in the middle of an append.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::time::Duration;

use palimp::disk::Machine;
use palimp::ops::WriteContext;
use palimp::store::write::Writer;
use rustix::process::{Pid, Signal, getpid, kill_process};

use super::part::{Part, Playing, until};
use super::town::{Deed, Town, host, planned};
use crate::support::tries::is_long;

/// Stops between opening the file and writing to it.
pub fn stop_before_writing(part: &Part, at: usize) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(&part.file)?;
    stop(part)?;
    file.write_all(format!("{}\n", part.line(at)).as_bytes())
}

/// Stops in the middle of a line.
pub fn stop_in_a_line(part: &Part, at: usize) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(&part.file)?;
    let line = format!("{}\n", part.line(at));
    let (one, two) = line.as_bytes().split_at(line.len() / 2);
    file.write_all(one)?;
    stop(part)?;
    file.write_all(two)
}

/// Stops, and continues when a file allows it. The signal may stop another thread of this process
/// first and this one later, hence the file.
fn stop(part: &Part) -> io::Result<()> {
    fs::write(part.room.join("open"), "")?;
    kill_process(getpid(), Signal::STOP)?;
    until("being let go on", || part.room.join("go").exists());
    Ok(())
}

fn is_stopped(agent: &Playing) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", agent.child.id())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
}

fn go_on(agent: &Playing) {
    fs::write(agent.part.room.join("go"), "").unwrap();
    kill_process(Pid::from_child(&agent.child), Signal::CONT).unwrap();
}

#[track_caller]
fn edit_a_seed(town: &Town, text: &str) {
    let store = town.load();
    let context = WriteContext::of(&store, town.clock.now(), [1; 16]);
    let plan = planned(&context, &seed(&store), Deed::Text(text)).unwrap();
    town.commit(&store, &plan).unwrap();
}

fn seed(store: &palimp::model::Store) -> palimp::model::Entry {
    let is_seed = |entry: &&palimp::model::Entry| {
        let id = store.id(entry).unwrap_or_default();
        id.starts_with("seed_000000") || id == "00000000-0000-4000-8000-000000000000"
    };
    *store.entries.iter().find(is_seed).unwrap()
}

fn pass_ten_seconds(town: &Town) {
    match is_long() {
        true => std::thread::sleep(Duration::from_secs(10)),
        false => town.clock.turn(Duration::from_secs(10)),
    }
    let (store, data) = (town.load(), town.data());
    drop(Writer::open(host(&town.clock, &data), &store).unwrap());
}

fn stopped_before_writing(format: &'static str) {
    let town = Town::new(format, 5);
    let agent = town.part("stopped", 1, 0).start();
    until("the agent to stop", || town.room.join("open").exists() && is_stopped(&agent));
    edit_a_seed(&town, "Edited while it was stopped.");
    pass_ten_seconds(&town);
    go_on(&agent);
    let id = agent.part.id(0);
    assert_eq!(agent.end(), Vec::<String>::new());
    assert!(!town.records().contains_key(&id), "it went to the file that was replaced");
    town.settle();
    let found = town.records();
    assert_eq!(found[&id].len(), 1);
    assert_eq!(found.len(), 6);
}

#[test]
fn what_an_agent_writes_that_was_stopped_for_ten_seconds_is_rescued() {
    ["memory-server", "session-log", "bmad"].into_iter().for_each(stopped_before_writing);
}

/// The first half of the line is in the file that palimp rewrites, and stays there. The other half
/// goes into the file that was replaced.
fn stopped_in_a_line(format: &'static str, others: bool) {
    let town = Town::new(format, 5);
    let agent = town.part("stopped in a line", 1, 0).start();
    until("the agent to stop", || town.room.join("open").exists() && is_stopped(&agent));
    edit_a_seed(&town, "Edited in the middle of a line.");
    let other = town.part("opener", 1, 0);
    if others {
        // A line behind an unfinished line is joined to it, with palimp and without.
        town.store.append(&other.file, format!("\n{}\n", other.line(0)).as_bytes());
    }
    pass_ten_seconds(&town);
    go_on(&agent);
    let id = agent.part.id(0);
    assert_eq!(agent.end(), Vec::<String>::new());
    for _ in 0..4 {
        town.clock.turn(Duration::from_secs(120));
        let (store, data) = (town.load(), town.data());
        drop(Writer::open(host(&town.clock, &data), &store).unwrap());
    }
    assert_eq!(town.ours(), Vec::<String>::new());
    let store = town.load();
    let whole = |id: &str| {
        let own = |entry: &&palimp::model::Entry| store.id(entry) == Some(id);
        store.entries.iter().filter(own).count()
    };
    assert_eq!(whole(&id), 1, "{}", String::from_utf8_lossy(&fs::read(&other.file).unwrap()));
    assert_eq!(whole(&other.id(0)), usize::from(others));
}

#[test]
fn a_line_whose_second_half_came_late_is_put_together() {
    for format in ["memory-server", "session-log", "bmad"] {
        stopped_in_a_line(format, false);
    }
}

#[test]
fn a_line_whose_second_half_came_late_is_whole_behind_what_others_wrote() {
    for format in ["memory-server", "session-log", "bmad"] {
        stopped_in_a_line(format, true);
    }
}
