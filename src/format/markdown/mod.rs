//! `markdown`: folders of Markdown memories, in families (facts 7). A family is what one program, or one habit,
//! makes of such a folder; it decides what a memory is, what is loaded and what an edit may do.
//!
//! Choices where the facts are silent:
//! - A folder of no known family is read at the places of such programs, else with `--as markdown`: each file is a memory.
//! - The id of a file is its path without `.md`; in `claude` and `memory-bank` the stem, if no other file has it.
//! - The text above the first section of a file, and text between bullets, is a memory of the type `note`. A heading
//!   of a higher level alone is none.
//! - Files that a background job writes, and those that an index of another program repeats, are only read: a change
//!   would not last, and an erasure would leave a copy.
//! - Hidden folders and files that are no Markdown are kept and named, and not read.
//! - A `[[link]]` names a file by its path, its stem, its `name`, or its stem without the type before it, in any
//!   case and with `-` or `_`.

mod assembly;
mod bullet_file;
mod entry_edits;
mod entry_file;
mod facts;
mod families;
mod family;
mod index_file;
mod instructions;
mod layout;
mod load_problems;
mod load_rule;
mod loaded_part;
mod part_reader;
mod path_claims;
mod places;
mod project;
mod references;
mod section_file;
mod settings;
mod text_blocks;
mod text_signs;
mod topic_file;
mod unloaded;
mod write;

pub use families::FAMILIES;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::detection::FolderProbe;
use super::notes::note_file::{self, merge_faults};
use super::record_form::RecordForm;
use super::record_reader::Reading;
use super::{Assembly, AssemblyInput, Format, FormatInfo, PathClaim, ReadFile, RecordSyntax};
use crate::model::{
    AgentHome, Code, Document, KnownBy, LoadSettings, LoadedFile, Lock, Moment, Problem, Project, Role,
    Severity, Unloaded,
};
use crate::text::front_matter::YamlField;
use crate::text::merge_conflict::is_marker;
use family::{Family, Grammar};

pub struct Markdown(&'static Family);

impl Format for Markdown {
    fn about(&self) -> &'static FormatInfo {
        &self.0.about
    }

    fn assemble(&self, parts: &AssemblyInput<'_>, _now: Moment) -> Assembly {
        assembly::assemble(self.0, parts)
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        let mut reading = self.read_records(role, path, bytes, now);
        reading.problems.extend(text_signs::problems(path, bytes, &reading.records));
        reading
    }

    fn read_records(&self, _role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        let mut reading = match self.0.grammar_of(path) {
            Grammar::Topics => topic_file::read(self.0, path, bytes, now),
            Grammar::Index => index_file::read(path, bytes),
            Grammar::Entries => entry_file::read(path, bytes),
            Grammar::Sections(rule) => section_file::read(self.0, rule, path, bytes, now),
            Grammar::Bullets => bullet_file::read(path, bytes),
        };
        // The reading of a note has them.
        if !reading.problems.iter().any(|problem| problem.code == Code::ConflictMarkers) {
            let faults = std::str::from_utf8(bytes).map(merge_faults).unwrap_or_default();
            let problem = |why| Problem::of_file(Code::ConflictMarkers, Severity::Error, path, why);
            reading.problems.extend(faults.into_iter().map(|(line, why)| problem(why).at_line(line)));
        }
        reading
    }

    fn project(&self, root: &Path, probe: &dyn FolderProbe) -> Option<Project> {
        project::find(self.0, root, probe)
    }

    fn set_folder(
        &self,
        project: Option<&Path>,
        agents: &AgentHome,
        probe: &dyn FolderProbe,
    ) -> Option<(PathBuf, KnownBy)> {
        // Only the program of this family has such a setting.
        self.0.index.and_then(|_| unloaded::set_folder(project, agents, probe))
    }

    fn unloaded(&self, root: &Path, project: Option<&Project>, probe: &dyn FolderProbe) -> Option<Unloaded> {
        unloaded::reason(self.0, root, project, probe)
    }

    fn drop_links_elsewhere(&self, problems: &mut Vec<Problem>, root: &Path, probe: &dyn FolderProbe) {
        let project = self.project(root, probe);
        assembly::drop_known(problems, root, project.as_ref().and_then(Project::folder), probe);
    }

    fn agent_folder(&self, root: &Path) -> Option<PathBuf> {
        project::transcripts_folder(root).map(Path::to_owned)
    }

    fn path_claims(&self, document: &Document) -> Vec<PathClaim> {
        path_claims::find(self.0, document)
    }

    fn load_settings(&self, root: &Path, read: ReadFile<'_>) -> LoadSettings {
        settings::of(self.0, root, read)
    }

    fn loaded(&self, documents: &[Arc<Document>], settings: &LoadSettings, now: Moment) -> Vec<LoadedFile> {
        loaded_part::loaded(self.0, documents, settings, now)
    }

    fn syntax(&self, _path: &Path) -> RecordSyntax {
        RecordSyntax::Markdown
    }

    fn title_of_line<'t>(&self, line: &'t str) -> Option<&'t str> {
        (self.0.title)(line).filter(|title| !is_marker(title))
    }

    fn field_text(&self, field: &YamlField<'_>) -> String {
        self.0.rules.text_of(field)
    }

    // Hermes holds this lock while it writes, and keeps the file.
    fn lock(&self, files: &[&Path]) -> Lock {
        let file = files.first().filter(|_| self.0.has_entries);
        file.map_or(Lock::None, |file| Lock::Flock(file.with_extension("md.lock")))
    }

    fn form(&self, path: &Path, _kind: &str, record: &[u8], _now: Moment) -> RecordForm {
        match self.0.grammar_of(path) {
            Grammar::Topics => note_file::form(record, Vec::new()),
            _ => note_file::text_form(),
        }
    }

    fn is_append_log(&self, _path: &Path) -> bool {
        false
    }
}
