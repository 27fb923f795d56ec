//! Handing a file over to programs that write to it without a lock: what they add to the file that was replaced is
//! taken over into the one that took its place.

pub mod add_late_lines;
pub mod file_exchange;
pub mod late_writes;
pub mod replaced_file;
pub mod rescue;
pub mod second_name;
pub mod wait_for_line_end;
pub mod watch_list;
pub mod watch_stores;
