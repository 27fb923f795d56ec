//! A write leaves a store that both the format and its own tool find nothing new in.

mod edits;
mod pages;
mod pruning;
mod shelf;
mod tool;
