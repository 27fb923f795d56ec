//! What is on the screen: state that `update` changes and `panes` draws.

pub mod app;
pub mod clean_up;
pub mod confirmation;
pub mod list_view;
pub mod marks;
pub mod memory_difference;
pub mod pending_changes;
pub mod prompt;
pub mod row_list;
pub mod screens;
pub mod statistics_view;
pub mod tutor_progress;
