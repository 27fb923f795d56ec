//! What can't be read is not absent: every verb says so or refuses, whatever it is that can't be
//! read, and nothing is made of the rest as if it were all.

mod claims;
mod each_call;
mod each_file;
mod own_data;
