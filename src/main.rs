//! Arguments, panic hook, exit codes.

fn main() {}
