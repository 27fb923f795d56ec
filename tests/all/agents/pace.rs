//! The time of a change while agents append without a pause.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use palimp::disk::Machine;
use palimp::ops::{self, FieldAssignment, WriteContext};

use super::clock::Clock;
use super::part::Playing;
use super::town::{Town, logs, text_of};
use crate::support::SOON;
use crate::support::tries::is_long;

/// No change takes longer on an idle machine.
const LONGEST: Duration = Duration::from_secs(3);
/// No change takes longer than this many times its duration without agents, in a log of the same length.
const TIMES: u32 = 5;

/// The number of records that are edited in turn.
const RECORDS: usize = 10;

/// Edits the first records one after the other. Returns how long each edit took.
fn edited(town: &Town, times: usize, text: &str) -> Vec<Duration> {
    let mut took = Vec::new();
    for turn in 0..times {
        let began = Instant::now();
        let store = town.load();
        let (log, _) = logs(store.format);
        let own = store.entries.iter().filter(|own| store.document(own).path == log);
        let entry = *own.clone().nth(turn % RECORDS).unwrap();
        let context = WriteContext {
            store: &store,
            now: town.clock.now(),
            random: [turn as u8; 16],
            compressed_files: &palimp::format::writing::NO_COMPRESSED_FILES,
        };
        let set = FieldAssignment { name: "text", value: &format!("{text} {turn}") };
        let plan = ops::edit::edit(&context, &entry, &[set]).unwrap();
        town.commit(&store, &plan).unwrap_or_else(|error| panic!("turn {turn}: {error}"));
        took.push(began.elapsed());
    }
    took
}

/// How fast agents append that never pause.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    /// Each line is durable before the next.
    Durable,
    /// Megabytes a second, faster than any program can read the log for long.
    Flood,
}

/// The tests run one at a time: they measure time, and their logs fill the memory.
static TURN: Mutex<()> = Mutex::new(());

fn beside_agents(format: &'static str, flow: Flow) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_slow = cfg!(debug_assertions);
    assert!(
        !is_long() || !is_slow,
        "the long form needs --release: else its agents outrun who reads the log"
    );
    let times = match (is_long(), flow) {
        (false, _) => 2,
        (true, Flow::Durable) => 50,
        (true, Flow::Flood) => 3,
    };
    let town = Town { clock: Clock::seeing(), ..Town::new(format, 60) };
    let alone = edited(&town, times, "Edited alone.");
    let of = |mark: &str, name| {
        let is_durable = is_long() && flow == Flow::Durable;
        super::part::Part { mark: mark.into(), is_durable, ..town.part(name, usize::MAX, 0) }
    };
    let parts = [of("one", "literal"), of("two", "literal"), of("three", "opener")];
    let agents: Vec<Playing> = parts.iter().map(|part| part.start()).collect();
    super::part::until("all agents append", || {
        let text = fs::read_to_string(&town.logs()[0]).unwrap();
        parts.iter().all(|part| text.contains(&format!("of {}.", part.mark)))
    });
    let beside = edited(&town, times, "Edited beside agents.");
    fs::write(town.room.join("stop"), "").unwrap();
    // Two agents that follow their format to the letter may hinder one another without palimp, too.
    let met: Vec<Vec<String>> = agents.into_iter().map(Playing::end).collect();
    town.settle();
    nothing_is_lost(&town, &parts, &met, times);
    let after = edited(&town, 2, "Edited alone again.");
    let usual = *alone.iter().chain(&after).max().unwrap();
    let len = fs::metadata(&town.logs()[0]).unwrap().len();
    eprintln!("{format}, {len} bytes: alone {alone:?}, beside agents {beside:?}, alone again {after:?}");
    let slowest = *beside.iter().max().unwrap();
    let longest = match (is_long(), flow) {
        (false, _) => SOON,
        (true, Flow::Durable) => LONGEST.min(usual * TIMES),
        (true, Flow::Flood) => usual * TIMES,
    };
    assert!(slowest < longest, "{format}: {beside:?}, alone {alone:?}, {after:?}");
}

fn nothing_is_lost(town: &Town, parts: &[super::part::Part], met: &[Vec<String>], times: usize) {
    let found = town.records();
    for (part, met) in parts.iter().zip(met) {
        let has_failed = |at: usize| met.iter().any(|own| own.starts_with(&format!("{at}: ")));
        let said = fs::read_to_string(part.report().with_extension("count")).unwrap();
        let count: usize = said.parse().unwrap();
        let lost = |at: &usize| found.get(&part.id(*at)).is_none_or(|own| own.len() != 1);
        let lost: Vec<usize> = (0..count).filter(lost).filter(|at| !has_failed(*at)).collect();
        assert_eq!(lost, Vec::<usize>::new(), "{}: of {count} lines of {}", town.format, part.mark);
    }
    let texts = found.values().filter(|own| text_of(&own[0]).starts_with("Edited beside agents.")).count();
    assert_eq!(texts, times.min(RECORDS));
}

#[test]
fn an_edit_beside_agents_that_append_without_a_pause_to_a_memory_server_store_takes_a_moment() {
    beside_agents("memory-server", Flow::Durable);
}

#[test]
fn an_edit_beside_agents_that_append_without_a_pause_to_a_session_log_store_takes_a_moment() {
    beside_agents("session-log", Flow::Durable);
}

#[test]
fn an_edit_beside_agents_that_append_without_a_pause_to_a_bmad_store_takes_a_moment() {
    beside_agents("bmad", Flow::Durable);
}

#[test]
fn an_edit_beside_a_flood_of_lines_takes_a_few_times_as_long_as_one_alone() {
    for format in ["memory-server", "session-log", "bmad"] {
        beside_agents(format, Flow::Flood);
    }
}
