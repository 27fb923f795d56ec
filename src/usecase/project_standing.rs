//! What is wrong with the place of a store: its project is elsewhere, or has a second folder of memories, or no agent
//! loads it.

use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::format::{self, Format};
use crate::model::{Code, PathText, Problem, Project, ProjectRelation, Severity, Store, Unloaded};
use crate::store::DiskProbe;
use crate::text::project_slug::{is_slug_of, slug_of};

/// At most this many files that two folders have are named.
const SHOWN: usize = 3;

/// Returns the problems of a store with its place.
pub fn problems(disk: &dyn Disk, store: &Store) -> Vec<Problem> {
    let mut found = Vec::new();
    if let (Some(project), Some(format)) = (&store.project, format::by_name(store.format)) {
        let folder = format.agent_folder(&store.root);
        let moved = moved(project, folder.as_deref()).map(|why| (Code::ProjectMoved, why));
        let others = folder.iter().flat_map(|folder| second_folders(disk, store, (format, project), folder));
        let others = others.map(|why| (Code::TwoFoldersOfOneProject, why));
        found.extend(moved.into_iter().chain(others).map(|(code, why)| (code, Severity::Note, why)));
    }
    // A project that was moved, or has two folders, says more.
    let is_said =
        !found.is_empty() && matches!(store.unloaded, Some(Unloaded::Moved | Unloaded::Respelled(_)));
    if let Some(why) = not_loaded(store).filter(|_| !is_said) {
        let severity = match store.unloaded {
            // The user turned it off, or it depends on the version of the agent.
            Some(Unloaded::TurnedOff(_) | Unloaded::Respelled(_)) => Severity::Note,
            _ => Severity::Warning,
        };
        found.push((Code::NotLoaded, severity, why));
    }
    let file = store.documents.first().map(|document| document.path.clone()).unwrap_or_default();
    found.into_iter().map(|(code, severity, why)| Problem::of_file(code, severity, &file, why)).collect()
}

/// Says why no agent loads a store, if that is sure. Untrusted text.
pub fn not_loaded(store: &Store) -> Option<String> {
    Some(match store.unloaded.as_ref()? {
        Unloaded::Elsewhere => {
            let place = format::by_name(store.format)?.about().places.first()?;
            format!(
                "No agent loads this folder by itself: {} looks in {:?} below the home folder, or where its settings say.",
                place.reader, place.path
            )
        }
        Unloaded::Redirected(to, by) => {
            format!("No agent loads this folder: {:?} moves the memories to {to:?}.", by.to_text())
        }
        Unloaded::TurnedOff(by) => {
            format!("No agent loads this folder: {:?} turns memories off.", by.to_text())
        }
        Unloaded::Respelled(loaded) => format!(
            "Today's versions of the agent do not load this folder, but {:?}. Its name is spelled as by older ones.",
            loaded.to_text()
        ),
        Unloaded::Moved => "No agent loads this folder: its project is not at its path any more.".to_owned(),
        Unloaded::Unknown => return None,
    })
}

/// Says where a project or a work tree was, and where agents look now.
fn moved(project: &Project, folder: Option<&Path>) -> Option<String> {
    let (was, now) = (project.named().to_text(), project.path.to_text());
    let new = slug_of(&project.path).and_then(|slug| Some(folder?.parent()?.join(slug).join("memory")));
    let looks = |new: PathBuf| {
        format!(
            " Agents in {now:?} look for memories in {:?}, not here: move this folder there.",
            new.to_text()
        )
    };
    let looks = new.map(looks).unwrap_or_default();
    match &project.relation {
        ProjectRelation::MovedFrom(_) => {
            Some(format!("Its project was in {was:?} and is probably in {now:?} now.{looks}"))
        }
        ProjectRelation::WorkTree { is_there: false, .. } => Some(format!(
            "Its project was in {was:?}, which is gone: probably a worktree or a folder of {now:?}.{looks}"
        )),
        ProjectRelation::Same if !project.is_there => Some(format!(
            "Its project was in {was:?}, where no folder is now. If it was moved, agents look in a folder that is named after its new path: rename this one."
        )),
        ProjectRelation::Same | ProjectRelation::WorkTree { .. } => None,
    }
}

/// Says which other folders of memories a project has beside this one: their names are spelled in another way.
fn second_folders(
    disk: &dyn Disk,
    store: &Store,
    (format, project): (&dyn Format, &Project),
    folder: &Path,
) -> Vec<String> {
    let (Some(around), Some(name), Ok(inner)) =
        (folder.parent(), folder.file_name(), store.root.strip_prefix(folder))
    else {
        return Vec::new();
    };
    let (path, mut found) = (project.named(), Vec::new());
    for other in disk.names(around, usize::MAX).unwrap_or_default() {
        let other = Path::new(&other.name).to_text();
        if *name == *other || !is_slug_of(&other, path) {
            continue;
        }
        let root = around.join(&*other).join(inner);
        let Some(files) = files_of_both(disk, store, &root) else { continue };
        // Without a transcript its project is not known, and only its name says that it is this one.
        if format.project(&root, &DiskProbe::new(disk)).is_none_or(|other| other.is_same(project)) {
            let both =
                if files.is_empty() { String::new() } else { format!(" In both: {}.", files.join(", ")) };
            let loaded = loaded(&[&name.to_text(), &other], path);
            let (root, path) = (root.to_text(), path.to_text());
            found.push(format!("{root:?} has memories of the same project, {path:?}.{both} {loaded}"));
        }
    }
    found
}

fn loaded(names: &[&str], project: &Path) -> String {
    match slug_of(project).filter(|slug| names.contains(&slug.as_str())) {
        // The letter of a drive is written as the program that starts the agent writes it.
        Some(slug) if !names.iter().all(|name| name.eq_ignore_ascii_case(&slug)) => {
            format!("Today's versions of the agent load {slug:?}.")
        }
        _ => "Which of the two an agent loads depends on how it is started.".to_owned(),
    }
}

/// Returns some of the files that a store and another folder have; `None` if the folder has no Markdown.
fn files_of_both(disk: &dyn Disk, store: &Store, root: &Path) -> Option<Vec<String>> {
    let items = disk.list(root).ok()?;
    let names = items.iter().map(|item| Path::new(&item.name));
    let mut notes = names.filter(|name| name.extension().is_some_and(|end| end == "md")).peekable();
    notes.peek()?;
    let both = notes.filter(|name| *name != Path::new("MEMORY.md") && store.document_at(name).is_some());
    Some(both.take(SHOWN).map(|name| name.to_text().into_owned()).collect())
}
