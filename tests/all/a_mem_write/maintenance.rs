//! What is due is one change, though it takes several steps in one store.

use std::sync::Arc;

use palimp::model::Snapshot;
use palimp::ops::command::Command;
use palimp::ops::maintain::Maintain;
use palimp::usecase::{self, ChangeRequest, RecentSteps, Requester, ReverseLast};

use super::*;

#[test]
fn several_tasks_in_one_store_are_undone_and_redone_together() {
    let mut site = healthy();
    site.now = Moment::parse("2026-12-15T12:00:00Z").unwrap().0;
    let deprecated =
        LONE.replace("---\n# Lone\n", "status: deprecated\n---\n# Lone\n**Deprecated**: 2025-01-02\n");
    site.write("knowledge/notes/lone.md", deprecated.as_bytes());
    let before = site.tree();
    let mut recent = RecentSteps::default();
    let mut change = |command: Arc<dyn Command>| {
        let snapshot = Arc::new(Snapshot::of(vec![Arc::new(site.load())]));
        let data = site.folder.path().join("data");
        let request = ChangeRequest::new(snapshot, Requester::Screen, command, data, site.now);
        usecase::plan_and_execute(&request, &mut recent).unwrap();
        site.tree()
    };
    let after = change(Arc::new(Maintain));
    assert!(!site.has("events/2026-01/events.jsonl") && !site.has("knowledge/notes/lone.md"));
    for _ in 0..2 {
        assert_same(&change(Arc::new(ReverseLast { is_redo: false })), &before);
        assert_same(&change(Arc::new(ReverseLast { is_redo: true })), &after);
    }
}
