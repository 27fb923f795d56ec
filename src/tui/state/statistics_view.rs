//! The statistics view.

use std::sync::Arc;

use crate::model::{EntryRef, Snapshot};
use crate::query::UsageStatistics;

#[derive(Default)]
pub struct StatisticsView {
    /// `None` until the stores are counted.
    pub counted: Option<(Arc<Snapshot>, UsageStatistics)>,
    pub day: usize,
    pub top: usize,
}

impl StatisticsView {
    pub fn written(&self) -> &[EntryRef] {
        let of_day = self.counted.as_ref().and_then(|(_, counted)| counted.days.get(self.day));
        of_day.map_or(&[], Vec::as_slice)
    }

    pub fn today(&self) -> usize {
        self.counted.as_ref().map_or(0, |(_, counted)| counted.days.len().saturating_sub(1))
    }
}
