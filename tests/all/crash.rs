//! Every operation that writes, interrupted, failed and deceived at every step.
//!
//! Everything runs on the disk in memory. `PALIMP_LONG=1` tries every step and state; otherwise a
//! sample of them, a different one for each case.

pub mod after_read;
mod again;
mod appended;
mod bench;
mod careless;
mod cases;
mod changed;
mod cut;
mod erase_of_open;
mod every_verb;
mod fail;
mod foreign;
mod found;
mod halves;
mod judge;
mod kept;
mod lost;
pub mod machine;
mod meanwhile;
mod open_memory;
mod other_names;
mod planted;
mod put_off;
mod stores;
mod sweep;
mod twice;
