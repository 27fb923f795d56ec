//! Bytes and text: lines, JSON spans, canonical JSON, folding, safe text.

pub mod canonical;
pub mod columns;
pub mod digest;
pub mod edit;
pub mod fold;
pub mod front_matter;
pub mod json;
pub mod lines;
pub mod links;
pub mod needle;
pub mod records;
pub mod repack;
pub mod scan;
pub mod secrets;
pub mod shell;
pub mod show;
pub mod torn;
pub mod unpack;
pub mod words;
