//! Agents between plan and commit.
