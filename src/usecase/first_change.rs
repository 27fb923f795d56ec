//! What users should know before palimp changes a store for the first time.

use std::path::Path;
use std::time::Duration;

use crate::disk::Git;
use crate::disk::host::Host;
use crate::format;
use crate::model::{Moment, PathText, Plan, Store};
use crate::store::Vault;
use crate::store::git_work_tree::work_tree;

/// The time limit of git.
const TIME: Duration = Duration::from_secs(2);
/// An agent that wrote within this time may be at work.
const AT_WORK: i64 = 10 * 60 * 1_000_000;

/// Returns the sentences, for a store that palimp has not changed yet.
pub fn lines(host: Host<'_>, store: &Store, plan: &Plan) -> Vec<String> {
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let is_first = vault.steps().is_ok_and(|steps| steps.is_empty());
    if !is_first || plan.is_empty() {
        return Vec::new();
    }
    let committed = committed(host, &store.root, plan);
    at_work(host, store).into_iter().chain(committed).collect()
}

/// Says that an agent wrote files lately.
fn at_work(host: Host<'_>, store: &Store) -> Option<String> {
    let folder = format::by_name(store.format)?.agent_folder(&store.root)?;
    let items = host.disk.list(&folder).ok()?;
    let last = items.iter().map(|item| Moment((item.generation.modified / 1000) as i64)).max()?;
    let is_late = host.now.plus(-AT_WORK) < last && last <= host.now.plus(AT_WORK);
    is_late.then(|| {
        "an agent wrote in this project within the last ten minutes: it may write again what it has read"
            .to_owned()
    })
}

/// Says that git has the files that change, and that others may have them from there.
fn committed(host: Host<'_>, root: &Path, plan: &Plan) -> Option<String> {
    let tree = work_tree(host.disk, root)?;
    let git = Git::of(root, TIME);
    let files: Vec<_> =
        plan.changes.iter().filter(|own| own.base.is_some()).map(|own| own.path.as_os_str()).collect();
    if files.is_empty() {
        return None;
    }
    let asked: Vec<_> = ["ls-files", "--"].iter().map(AsRef::as_ref).chain(files.iter().copied()).collect();
    let (tracked, _) = git.ask(&asked).ok()?;
    if tracked.is_empty() {
        return None;
    }
    let pushed: Vec<_> =
        ["log", "--remotes", "-1", "--format=%h", "--"].iter().map(AsRef::as_ref).chain(files).collect();
    let is_pushed = git.ask(&pushed).is_ok_and(|(own, _)| !own.is_empty());
    let from = if is_pushed { ", and a version of them was pushed" } else { "" };
    Some(format!("git in {} tracks files that change{from}: earlier versions stay there", tree.to_text()))
}
