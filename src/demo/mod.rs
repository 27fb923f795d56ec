//! The invented stores of the demo.
