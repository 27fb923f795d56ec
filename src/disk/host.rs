//! The machine and the disk that a change uses.

use std::path::Path;
use std::sync::LazyLock;

use crate::disk::{Disk, Machine, RealDisk, ThisMachine};
use crate::model::Moment;

/// The disk, the machine, palimp's data folder and the time of a change.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The file system.
    pub disk: &'a dyn Disk,
    /// Clocks and processes.
    pub machine: &'a dyn Machine,
    /// The folder of palimp's own data.
    pub data: &'a Path,
    /// The time that the change writes.
    pub now: Moment,
}

impl<'a> Host<'a> {
    /// Returns this machine and its disk.
    pub fn here(data: &'a Path, now: Moment) -> Self {
        static HERE: LazyLock<ThisMachine> = LazyLock::new(ThisMachine::new);
        Host { disk: &RealDisk, machine: &*HERE, data, now }
    }
}
