//! All integration tests, as one binary: each binary more links the whole library again.
//!
//! A file tests what its name says; `cargo test --test all erase::` runs one file's tests.
//! `support` builds stores, runs verbs and drives a pseudo-terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use palimp::{disk, model};

mod a_mem;
mod a_mem_write;
mod agent_memory;
mod agent_memory_beside;
mod agent_memory_write;
mod agents;
mod any_bytes;
mod architecture;
mod backups_many;
mod bad_input;
mod bmad;
mod bmad_write;
mod byte_order_mark;
mod checking;
mod crash;
mod dependencies;
mod derived_files;
mod discovery;
mod duplicates;
mod erase;
mod faulty;
mod faulty_disk;
mod harness;
mod kept_as_it_was;
mod keys;
mod late;
mod left;
mod listed;
mod lossless;
mod memory;
mod namesakes;
mod nothing_made;
mod odd_names;
mod questions;
mod ranking;
mod reading;
mod repairing;
mod restore;
mod restore_properties;
mod restore_whole;
mod rules;
mod screens;
mod screens_back;
mod screens_changes;
mod screens_edit;
mod screens_formats;
mod screens_hangup;
mod screens_input;
mod screens_layout;
mod screens_linear;
mod screens_marks;
mod screens_meanwhile;
mod screens_undelete;
mod settings;
mod several;
mod shared_ids;
mod short_memory;
mod slips;
mod support;
mod tables;
mod tutor;
mod undelete;
mod undo;
mod undo_back;
mod undo_kept;
mod undo_later;
mod undo_properties;
mod undo_told;
mod unread;
mod verbs;
mod which_format;
