//! Handing a file over to programs that write to it without a lock: what they add to the file that was replaced is
//! taken over into the one that took its place.

pub(super) mod add_late_lines;
pub(super) mod file_exchange;
pub(super) mod hidden_names;
pub(super) mod late_writes;
pub(super) mod rescue;
pub(super) mod wait_for_line_end;
pub(super) mod watch_stores;
