//! Options of the screens.

use std::path::PathBuf;

use crate::model::Moment;
use crate::query::Ranking;
use crate::store::{DiscoveryResult, Place};
use crate::tui::colours::ColourPalette;
use crate::usecase::Visits;

/// Options of the screens.
pub struct TuiOptions {
    /// The stores to open.
    pub places: Vec<Place>,
    /// Where palimp looked for stores; shown if it found none.
    pub searched_places: Vec<DiscoveryResult>,
    /// A fixed time instead of the system clock.
    pub now: Option<Moment>,
    /// The ranking of results at the start.
    pub ranking: Ranking,
    pub palette: ColourPalette,
    /// True for signs and bars in ASCII.
    pub ascii: bool,
    /// True to print lines instead of drawing screens.
    pub linear: bool,
    /// True to take clicks and the wheel. Otherwise the terminal selects text with them.
    pub mouse: bool,
    /// The folder of palimp's own data. Without it nothing can be undone, so nothing can be changed.
    pub data: Option<PathBuf>,
    /// The home folder, where agents have instructions for all projects.
    pub home: Option<PathBuf>,
    /// The folder that palimp was started in, if no store was named.
    pub start: Option<PathBuf>,
    /// The time up to which the user has seen each store's memories.
    pub visits: Visits,
    /// True if nothing on the screen may change by itself.
    pub reduced_motion: bool,
    /// The folder of the demo, if the demo is opened.
    pub demo_folder: Option<PathBuf>,
    /// True if nothing may be changed.
    pub readonly: bool,
    /// Writes a demo. The error says why that failed.
    pub demo: fn(Moment) -> Result<WrittenDemo, String>,
}

/// A demo on disk.
pub struct WrittenDemo {
    /// The time up to which its memories count as seen.
    pub visits: Visits,
    pub folder: PathBuf,
    /// Its stores.
    pub places: Vec<Place>,
    /// The folder of palimp's own data about it.
    pub data: PathBuf,
}
