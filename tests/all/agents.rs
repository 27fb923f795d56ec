//! Agents that append while palimp rewrites: real processes, the real file system.
//!
//! The agents write as their specifications' pseudo-code does, or take no lock at all. Each
//! is this test binary run again with a variable that says which one to be.
//!
//! `PALIMP_LONG=1` runs the long form: more records, more rewrites, agents that are stopped
//! for as long as they say.

mod clock;
mod held;
mod linked;
mod literal;
mod lock_time;
mod lockless;
mod pace;
mod part;
mod preview;
mod several;
mod stopped;
mod storm;
mod town;

/// Not a test of its own: what a child process runs. Without the variable it has no part.
#[test]
fn an_agent_plays_its_part() {
    part::play();
}
