//! An agent that remembers: it opens a store, writes a decision, recalls what it knows, and deletes
//! what the user asked it to forget.
//!
//! `cargo run --no-default-features --example agent -- FOLDER`

use std::path::PathBuf;

use palimp::memory::{Memory, MemoryError, New};

fn main() -> Result<(), MemoryError> {
    let folder =
        std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("palimp-agent"), PathBuf::from);
    // The store belongs to the agent. The journal and the undo data are beside it, never in it.
    let (root, data) = (folder.join("memory"), folder.join("data"));
    let mut memory = match Memory::open(&root, &data) {
        Ok(memory) => memory,
        Err(_) => Memory::create("session-log", &root, &data)?,
    };
    let session = match memory.session_names().into_iter().next() {
        Some(session) => session,
        None => memory.create_session(None, "example")?,
    };

    let tags = ["database".to_owned()];
    let decision = memory.add(&New {
        session: Some(&session),
        kind: "decision",
        text: "Use PostgreSQL for the ledger; money needs transactions.",
        tags: &tags,
        importance: Some(0.9),
        ..New::default()
    })?;
    let secret = memory.add(&New {
        session: Some(&session),
        kind: "conversation",
        text: "My cat is called Mau.",
        ..New::default()
    })?;

    for found in memory.query("ledger OR tag:database limit:5")? {
        println!("{:.2}  {}  {}", found.rank.unwrap_or_default(), found.id.unwrap_or_default(), found.text);
        // A memory that was used decays more slowly.
    }
    memory.record_access(Some(&session), &decision.id)?;
    memory.delete(Some(&session), &secret.id, "user_request")?;
    let figures = memory.statistics(Some(&session))?;
    println!("{} memories, {} deleted, {} bytes", figures.live, figures.deleted, figures.bytes);
    memory.close_session(&session)
}
