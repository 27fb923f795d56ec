//! Bytes and text: lines, JSON spans, canonical JSON, folding, safe text.

pub mod fold;
pub mod secrets;
pub mod show;
