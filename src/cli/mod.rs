//! Verbs without screens. The name of a file has its verbs. stdout has data, stderr has messages.
//!
//! The table of verbs is in `verbs.rs`. A verb that only changes the chosen memories, or each store, has no file.

mod add;
mod args;
mod backup;
mod budget;
mod change_records;
mod change_report;
mod check;
mod classify_args;
mod columns;
mod command_line;
mod config;
mod confirm_prompt;
mod context;
mod demo;
mod duplicates;
mod edit;
mod erase;
mod export;
mod failure;
mod forget;
mod help;
mod init;
mod journal;
mod keys;
mod list;
mod list_table;
mod load_stores;
mod maintain;
mod memory_row;
mod quarantine;
mod read_scope;
mod read_warnings;
mod redact;
mod repair;
mod run_change;
mod screens;
mod secrets;
mod selection;
mod session;
mod show;
mod stats;
mod stdout;
mod stores;
mod surroundings_search;
mod undo_redo;
mod value_input;
mod value_parsers;
mod verb_info;
mod verbs;
mod verify_erased;

use args::Limit;
use context::Context;
use failure::{Failure, Result, say};
use read_scope::ReadScope;

pub use command_line::{Args, run};
pub use failure::{Exit, wrong_usage};
