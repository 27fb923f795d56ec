//! Agents that append while palimp rewrites: real processes, the real file system.
//!
//! The agents write like the pseudo-code of their specifications, or take no lock at all. Each is
//! this test binary, run again with a variable that selects the agent.
//!
//! `PALIMP_LONG=1` runs the long form: more records, more rewrites, longer stops of agents.

mod clock;
mod linked;
mod literal;
mod lock_time;
mod lockless;
mod part;
mod several;
mod stopped;
mod storm;
mod town;

/// The entry point of the child processes. Without the variable it does nothing.
#[test]
fn an_agent_plays_its_part() {
    part::play();
}
