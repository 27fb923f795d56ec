//! Archive batches (§ archive): records that retention moved out of the active store.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::json_shape::JsonShape::{self, Count, Object, Texts, When};
use super::layout;
use super::main_text::items;
use crate::format::AssemblyInput;
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_reader::object_of;
use crate::model::plan::count_with_noun;
use crate::model::{Code, Document, Problem, Role, Severity};
use crate::text::json::Json;
use crate::text::json_scanner::Tape;

pub const MANIFEST: JsonShape = Object(&[
    (&["createdAt"], Required, When),
    (&["archivedEventIds", "archivedCheckpointIds"], Required, Texts),
    (&["historyMaxAgeDays", "checkpointMaxAgeDays", "keepRecent", "expireAfterDays"], Optional, Count),
]);

#[derive(Default)]
struct BatchFiles<'a> {
    manifest: Option<&'a Document>,
    ids: BTreeSet<&'a str>,
}

/// Compares the batches with their manifests and with the active store.
pub fn check(parts: &AssemblyInput<'_>, live: &HashSet<&str>) -> Vec<Problem> {
    let mut batches: BTreeMap<PathBuf, BatchFiles<'_>> = BTreeMap::new();
    for folder in parts.folders.iter().filter(|folder| folder.parent() == Some(Path::new("archive"))) {
        batches.entry(folder.clone()).or_default();
    }
    for document in parts.documents {
        let Some(folder) = layout::batch_of(&document.path) else { continue };
        let batch = batches.entry(folder.to_owned()).or_default();
        if document.role == Role::Metadata {
            batch.manifest = Some(document);
        }
        batch.ids.extend(document.records.iter().filter_map(|record| record.id()));
    }
    batches.iter().flat_map(|(folder, batch)| batch.problems(folder, live)).collect()
}

impl BatchFiles<'_> {
    fn problems(&self, folder: &Path, live: &HashSet<&str>) -> Vec<Problem> {
        let memories = |count: usize| count_with_noun(count as u64, "memory");
        let mut problems = Vec::new();
        let mut add = |severity, file: &Path, message: String| {
            problems.push(Problem::of_file(Code::ArchiveBroken, severity, file, message));
        };
        // Batches are written before their originals are removed. After a crash, memories may be in both.
        let twice = self.ids.iter().filter(|id| live.contains(**id)).count();
        if twice > 0 {
            let message = format!("Still in the active store: {} of the batch.", memories(twice));
            add(Severity::Warning, folder, message);
        }
        let Some(manifest) = self.manifest else {
            add(Severity::Warning, folder, "The batch has no `manifest.json`.".into());
            return problems;
        };
        let mut tape = Tape::default();
        let Ok(object) = object_of(&mut tape, &manifest.bytes) else { return problems };
        let named = named(object);
        let missing = named.iter().filter(|id| !self.ids.contains(id.as_str())).count();
        if missing > 0 {
            let message = format!("The manifest names {} that the batch does not have.", memories(missing));
            add(Severity::Error, &manifest.path, message);
        }
        let unnamed = self.ids.iter().filter(|id| !named.contains(**id)).count();
        if unnamed > 0 {
            let message = format!("The batch has {} that its manifest does not name.", memories(unnamed));
            add(Severity::Warning, &manifest.path, message);
        }
        problems
    }
}

fn named(manifest: Json<'_>) -> BTreeSet<String> {
    let lists = ["archivedEventIds", "archivedCheckpointIds"].into_iter();
    let ids = lists.flat_map(|name| items(manifest, &[name]));
    ids.filter_map(|id| id.text()).map(|id| id.into_owned()).collect()
}
