//! Finds stores in folders to which variables and settings move the memories.

use std::path::{Path, PathBuf};

use super::format_detection::{DiskProbe, FormatDetector};
use super::{
    DiscoveryResult, Place, default_place, folders_at, look_around, place_of, places_below, places_in,
};
use crate::disk::{Disk, RealDisk};
use crate::format::{self, FORMATS, Format};
use crate::model::{AgentHome, KnownBy, Unloaded};

/// Returns the stores at default places that variables move.
pub fn of_variables(disk: &dyn Disk, agents: &AgentHome) -> Vec<Place> {
    let mut found = Vec::new();
    for (format, place) in places_below(true) {
        let judge = FormatDetector { disk, forced: Some(format) };
        let folder = |(name, parts): &(&str, usize)| Some((agents.variable(name)?, *parts));
        for (base, parts) in place.moved_by.iter().filter_map(folder) {
            let rest: PathBuf = Path::new(place.path).iter().skip(parts).collect();
            for path in folders_at(disk, base, &rest) {
                let places = default_place(&judge, &path, format).found.into_iter().flatten();
                found.extend(places.map(|place| Place { known_by: KnownBy::Setting(None), ..place }));
            }
        }
    }
    found
}

/// Returns the stores in folders that settings name, of these projects and of the user.
pub fn of_settings<'p>(
    disk: &dyn Disk,
    projects: impl Iterator<Item = &'p Path>,
    agents: &AgentHome,
) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for project in projects.map(Some).chain([None]) {
        for format in FORMATS {
            let set = format.set_folder(project, agents, &DiskProbe::new(disk));
            let Some((root, known_by)) = set else { continue };
            // An empty folder has no memories yet.
            let has_files = disk.names(&root, 1).is_ok_and(|items| !items.is_empty());
            if has_files && found.iter().all(|place| place.root != root) {
                found.push(Place { known_by, ..place_of(&root, *format, None) });
            }
        }
    }
    found
}

/// Adds places to what was found. If a place was found already, it notes how that is known.
pub fn add(looked: &mut Vec<DiscoveryResult>, places: Vec<Place>) {
    for place in places {
        let mut found = looked.iter_mut().flat_map(|look| look.found.iter_mut().flatten());
        match found.find(|known| known.root == place.root) {
            Some(known) if known.known_by == KnownBy::Path => known.known_by = place.known_by,
            Some(_) => {}
            None => looked.push(DiscoveryResult::at(&place.root.clone(), Ok(vec![place]))),
        }
    }
}

/// Notes how stores that the user named are known, if no agent would load them otherwise.
pub fn with_sources(mut looked: Vec<DiscoveryResult>, agents: &AgentHome) -> Vec<DiscoveryResult> {
    let is_elsewhere = |place: &Place| {
        let unloaded = |format: &dyn Format| format.unloaded(&place.root, None, &DiskProbe::new(&RealDisk));
        let unloaded = format::by_name(place.format).and_then(unloaded);
        matches!(unloaded, Some(Unloaded::Elsewhere | Unloaded::Unknown))
    };
    let Some(home) = &agents.home else { return looked };
    if places_in(&looked).any(is_elsewhere) {
        let around = look_around(home, agents).into_iter().flat_map(|look| look.found.unwrap_or_default());
        let known: Vec<Place> = around.filter(|place| place.known_by != KnownBy::Path).collect();
        for place in looked.iter_mut().flat_map(|look| look.found.iter_mut().flatten()) {
            let same = known.iter().find(|known| known.root == place.root);
            place.known_by = same.map_or(KnownBy::Path, |known| known.known_by.clone());
        }
    }
    looked
}
