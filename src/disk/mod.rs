//! Every touch of the file system.
