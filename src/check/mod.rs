//! What is wrong with stores. Pure.
