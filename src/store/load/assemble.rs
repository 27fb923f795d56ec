//! Builds a store from its documents.

use std::sync::Arc;

use super::super::derived_files;
use super::super::discovery::Place;
use super::super::store_walk::StoreListing;
use crate::format::writing::Refusal;
use crate::format::{self, Assembly, AssemblyInput, Format};
use crate::model::whole_store::supposes_unread;
use crate::model::{Code, DecayTable, Document, Extent, LoadSettings, Moment, Problem, Store};

/// Returns a store of which nothing is read yet.
pub fn empty_store(place: &Place) -> Store {
    Store {
        root: place.root.clone(),
        format: place.format,
        extent: Extent::Newest,
        scope: place.scope.clone(),
        decay: DecayTable::new(&[], None, 0.1),
        load_settings: LoadSettings::NONE,
        known_by: place.known_by.clone(),
        ..Store::default()
    }
}

/// Builds a store from documents that are on no disk. Fails if its format is unknown.
pub fn of_documents(place: &Place, documents: Vec<Arc<Document>>, now: Moment) -> Result<Store, Refusal> {
    let format = format::by_name(place.format);
    let format = format.ok_or_else(|| Refusal::unfit(format!("{} is not a format.", place.format)))?;
    let listing = StoreListing { folders: derived_files::folders_of(&documents), ..StoreListing::default() };
    let assembly = format.assemble(&AssemblyInput::of(&documents, &listing.folders), now);
    Ok(put_together(place, format, Extent::All, listing, documents, assembly))
}

/// Builds a store from what was listed, read and assembled.
pub fn put_together(
    place: &Place,
    format: &dyn Format,
    extent: Extent,
    listing: StoreListing,
    documents: Vec<Arc<Document>>,
    assembly: Assembly,
) -> Store {
    let mut problems = Vec::new();
    if extent != Extent::Newest {
        problems.extend(listing.problems);
        problems.extend(documents.iter().flat_map(|document| document.problems.iter().cloned()));
        // A reference may lead to a session that was not read.
        let is_elsewhere = |own: &Problem| place.scope.is_some() && own.code == Code::DanglingReference;
        let is_sure = |own: &Problem| !supposes_unread(own, &listing.unread) && !is_elsewhere(own);
        problems.extend(assembly.problems.into_iter().filter(is_sure));
    }
    let mut facts = assembly.facts;
    facts.sort();
    let mut unread = listing.unread;
    unread.sort();
    unread.dedup();
    let listed = listing.files.iter().filter(|found| found.item.bits_without_list.is_some());
    let modified = listing.files.iter().map(|found| found.item.generation.modified).max();
    let store = Store {
        format: format.name(),
        has_file_times: format.about().has_file_times,
        extent,
        sessions: assembly.sessions,
        entries: assembly.entries,
        facts,
        decay: assembly.decay.unwrap_or_else(|| (format.about().decay)()),
        bytes: listing.files.iter().map(|found| found.item.generation.len).sum(),
        modified: modified.map(|nanos| Moment((nanos / 1000) as i64)),
        documents,
        own_files: listing.own_files,
        access_lists: listed.map(|found| found.path.clone()).collect(),
        unread,
        ..empty_store(place)
    };
    store.with_problems(problems)
}
