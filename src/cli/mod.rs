//! Headless verbs, one a file.
