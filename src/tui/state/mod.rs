//! What is on the screen: state that `update` changes and `panes` draws.

pub mod app;
pub mod change_target;
pub mod clean_up;
pub mod confirmation;
pub mod deleted_count;
pub mod distinct_titles;
pub mod editor;
pub mod file_place;
pub mod form_conflict;
pub mod list_cursor;
pub mod list_row;
pub mod list_view;
pub mod marks;
pub mod memory_difference;
pub mod pending_changes;
pub mod prompt;
pub mod rank_place;
pub mod row_list;
pub mod screens;
pub mod start_project;
pub mod statistics_view;
pub mod store_tree_row;
pub mod tutor_progress;
pub mod typed_line;
pub mod unfolded;
