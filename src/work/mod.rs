//! Background threads.
