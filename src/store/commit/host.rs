//! What a change needs of the machine.

use std::path::Path;
use std::sync::LazyLock;

use crate::disk::{Disk, Machine, RealDisk, ThisMachine};
use crate::model::Moment;

/// What a change is made with.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The file system.
    pub disk: &'a dyn Disk,
    /// Clocks and processes.
    pub machine: &'a dyn Machine,
    /// The folder of our own data.
    pub data: &'a Path,
    /// The time that is written down.
    pub now: Moment,
}

impl<'a> Host<'a> {
    /// This machine and its disk.
    pub fn here(data: &'a Path, now: Moment) -> Self {
        static HERE: LazyLock<ThisMachine> = LazyLock::new(ThisMachine::new);
        Host { disk: &RealDisk, machine: &*HERE, data, now }
    }
}
