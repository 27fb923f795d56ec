//! Agents that append while palimp rewrites: real processes, the real file system.
//!
//! The agents write as their specifications' pseudo-code does, or take no lock at all. Each
//! is this test binary run again with a variable that says which one to be.
//!
//! `PALIMP_LONG=1` runs the long form: more records, more rewrites, agents that are stopped
//! for as long as they say.

mod support;

#[path = "agents/clock.rs"]
mod clock;
#[path = "agents/held.rs"]
mod held;
#[path = "agents/linked.rs"]
mod linked;
#[path = "agents/literal.rs"]
mod literal;
#[path = "agents/lock_time.rs"]
mod lock_time;
#[path = "agents/lockless.rs"]
mod lockless;
#[path = "agents/part.rs"]
mod part;
#[path = "agents/preview.rs"]
mod preview;
#[path = "agents/several.rs"]
mod several;
#[path = "agents/stopped.rs"]
mod stopped;
#[path = "agents/storm.rs"]
mod storm;
#[path = "agents/town.rs"]
mod town;

/// Not a test of its own: what a child process runs. Without the variable it has no part.
#[test]
fn an_agent_plays_its_part() {
    part::play();
}
