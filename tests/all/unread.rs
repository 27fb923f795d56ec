//! What can't be read is not absent: every verb reports it or refuses, and never treats the rest as all.

mod claims;
mod each_call;
mod each_file;
mod own_data;
