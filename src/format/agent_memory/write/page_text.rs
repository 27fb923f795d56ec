//! Renders a projection as the format's own tool does, without the marker.

use super::page_parts::{PagePart, ProjectionSource, parts};

/// Returns the text of a page, after the line of its marker.
pub fn page(word: &str, said: &ProjectionSource<'_>) -> String {
    let parts = parts(word, said);
    if word == "readme" {
        let values: Vec<String> = parts.iter().map(pieces).collect();
        return format!("{README_START}\n{}{README_END}", values.join("\n"));
    }
    let mut page = String::new();
    let mut heading = "";
    for part in &parts {
        let is_new = part.heading != heading;
        if is_new {
            let gap = if heading.is_empty() { "\n" } else { "\n\n" };
            page.push_str(gap);
            page.push_str(part.heading);
            heading = part.heading;
            if word == "gotchas" {
                page.push_str("\n\n");
                page.push_str(GOTCHAS);
            }
        }
        page.push_str(if is_new { "\n\n" } else { "\n" });
        page.push_str(&pieces(part));
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn pieces(part: &PagePart) -> String {
    part.pieces.join(part.form.between())
}

const GOTCHAS: &str =
    "Keep this file short, concrete, and limited to traps that are genuinely expensive to rediscover.";

const README_START: &str = "
# Agent Memory

This directory is a generated projection of the active canonical repository memory state.

## Canonical System

- Canonical state file: `.agent-memory/state.json`
- History log: `.agent-memory/history/events.jsonl`
- Checkpoints: `.agent-memory/history/checkpoints/`
- Import sources: `.agent-memory/sources.json`";

const README_END: &str = "

## Reading Order

1. `docs/agent-memory/README.md`
2. `docs/agent-memory/project-map.md`
3. `docs/agent-memory/current-focus.md`
4. `docs/agent-memory/gotchas.md` when behavior is surprising or expensive to debug
5. `docs/agent-memory/next-steps.md` when you need a practical starting point

## Refresh Flow

- Run `npx agent-memory update` to refresh the active canonical bundle.
- Run `npx agent-memory sync --all` to ingest external session history.
- Run `npx agent-memory recall` to consolidate unrecalled history into active memory.
- Run `npx agent-memory query \"...\"` to retrieve memory with citations.
- Run `npx agent-memory validate` to audit state, history, checkpoints, projections, and recall backlog.

## Troubleshooting Notes

- If `sync` reports failed items, imported history is still preserved; inspect the failure output and rerun later.
- If `recall` reports nothing to do, there were no unrecalled durable changes for the selected scope.
- If `query` says evidence is insufficient, import more history or run `recall` before relying on the answer.

## What Lives Here

- `project-map.md`: stable structure, modules, entrypoints, and architecture notes.
- `current-focus.md`: the active operating picture, risks, and validation snapshot.
- `gotchas.md`: costly traps that are easy to forget and expensive to rediscover.
- `next-steps.md`: the current actionable follow-ups after the latest recall/update pass.
";
