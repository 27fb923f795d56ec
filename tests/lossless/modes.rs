//! Permissions and links on the real disk.
