//! Handles programs that write to a file without a lock: what they add to a replaced file is taken
//! over into its replacement.

pub mod add_late_lines;
pub mod file_exchange;
pub mod late_writes;
pub mod rescue;
pub mod wait_for_line_end;
