//! Finds stores by palimp's own data, if their files don't show a format, or show another one.

use std::path::{Path, PathBuf};

use crate::disk::{Disk, RealDisk};
use crate::format::FORMATS;
use crate::store::steps::interrupted_stores;
use crate::store::{self, DiscoveryResult, Place, Vault};

/// Adds the stores in which a change was interrupted. Until that change is finished, their files
/// may show no format, or another one. `is_here` accepts roots beside what was looked at.
pub fn with_interrupted_stores(
    mut looked: Vec<DiscoveryResult>,
    data: &Path,
    is_here: &dyn Fn(&Path) -> bool,
) -> Vec<DiscoveryResult> {
    let real = |path: &Path| RealDisk.real_path(path).unwrap_or_else(|_| path.to_owned());
    let paths: Vec<PathBuf> = looked.iter().map(|look| real(&look.path)).collect();
    let is_near = |root: &Path| paths.iter().any(|path| path.starts_with(root) || root.starts_with(path));
    let is_asked = |root: &Path| is_here(root) || is_near(root);
    for place in interrupted_stores(&RealDisk, data, &is_asked) {
        let is_it = |found: &Place| real(&found.root) == place.root;
        let mut known = looked.iter_mut().flat_map(|look| look.found.iter_mut().flatten());
        if let Some(found) = known.find(|found| is_it(found)) {
            found.format = place.format;
            continue;
        }
        let path_of = |look: &DiscoveryResult| real(&look.path);
        let holds = |look: &&mut DiscoveryResult| {
            path_of(look).starts_with(&place.root) || place.root.starts_with(path_of(look))
        };
        match looked.iter_mut().find(holds) {
            Some(look) => match &mut look.found {
                Ok(found) => found.push(place),
                Err(_) => look.found = Ok(vec![place]),
            },
            None if is_here(&place.root) => {
                looked.push(DiscoveryResult::at(&place.root.clone(), Ok(vec![place])));
            }
            None => {}
        }
    }
    looked
}

/// Recognizes an emptied store by its journal, because the change that emptied it can still be undone.
pub fn with_emptied_store(looked: DiscoveryResult, data: &Path) -> DiscoveryResult {
    if looked.found.is_ok() || looked.refused {
        return looked;
    }
    let places = FORMATS.iter().flat_map(|format| format.about().places);
    let places = places.filter(|place| !place.path.contains('*')).map(|place| looked.path.join(place.path));
    // To name the folder of a store in our data, the path of both is resolved: only what is there is worth that.
    let is_there = |root: &PathBuf| RealDisk.look(root).is_ok();
    for root in std::iter::once(looked.path.clone()).chain(places).filter(is_there) {
        let format = match Vault::open_read_only(&RealDisk, data, &root).format() {
            Ok(format) => format,
            Err(error) => return DiscoveryResult { found: Err(error.to_string()), refused: true, ..looked },
        };
        if let Some(found) = format.and_then(|format| store::look_at(&root, Some(&format)).found.ok()) {
            return DiscoveryResult { found: Ok(found), ..looked };
        }
    }
    looked
}
