//! Tells when files change.
