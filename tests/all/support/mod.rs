//! The harness of the integration tests: stores to read, a terminal to drive, verbs to run, and a
//! digest that proves that nothing was changed. The benchmarks use parts of it, too.
#![allow(dead_code, unused_imports, unused_macros)]

pub mod agent_memory;
pub mod demo;
pub mod desk;
pub mod files;
pub mod folder;
mod frames;
pub mod git;
pub mod index;
pub mod kept_log;
pub mod made;
pub mod memory_server;
pub mod passed_on;
pub mod plans;
pub mod session_log;
pub mod store;
pub mod terminal;
pub mod traces;
pub mod tree;
pub mod tries;
pub mod two_sessions;
pub mod verb;

pub use agent_memory::AgentMemoryBuilder;
pub use demo::DemoStore;
pub use desk::Desk;
pub use files::{Files, check, gzip, problems, rows, script, tar_gz, write};
pub use kept_log::KeptLog;
pub use made::{MadeStore, files_below};
pub use memory_server::MemoryServerBuilder;
pub use session_log::SessionLogBuilder;
pub use store::{StoreBuilder, TempStore};
pub use terminal::{Exit, Terminal};
pub use tree::{Tree, assert_untouched, lasting};
pub use two_sessions::TwoSessions;
pub use verb::{Output, Verb, run};

use std::time::Duration;

/// How long a test waits for what should be immediate. Long, so that a busy machine fails no test.
pub const SOON: Duration = Duration::from_secs(60);
