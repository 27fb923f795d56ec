//! Rows with a cursor, marks, a filter, an order, and headings that the cursor skips.
