//! A file of the demo, and the problems in it.

use std::path::PathBuf;

use crate::model::Code;

/// A file of the demo: its path below the demo's folder, and its bytes.
pub type DemoFile = (PathBuf, Vec<u8>);

/// A planted problem: its file, its line (if it has one), its code.
pub type PlantedProblem = (PathBuf, Option<u32>, Code);
