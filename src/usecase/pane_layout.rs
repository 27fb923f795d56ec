//! The part of the screens that is kept between starts: where the borders between panes are, and
//! what is unfolded. It has paths of stores, but no text from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::screen_state;
use crate::model::PathText;

pub(super) const FILE: &str = "layout.json";

/// A border between two panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PaneBorder {
    /// Between the panes at the left side and the list.
    Sides,
    /// Between the list and the detail beside it.
    Detail,
    /// Between the list and the detail below it.
    Below,
    /// Between the detail and the reasons of a rank below it.
    Why,
}

impl PaneBorder {
    /// True if it is a column between two panes, not a row.
    pub fn is_upright(self) -> bool {
        matches!(self, PaneBorder::Sides | PaneBorder::Detail)
    }

    /// True if it sets the size of its first pane, not of its second.
    pub fn sets_first(self) -> bool {
        self == PaneBorder::Sides
    }
}

/// How the user has arranged the screens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneLayout {
    /// The size of the pane that a border sets, in thousandths of the space; the default if it is absent.
    pub borders: BTreeMap<PaneBorder, u16>,
    /// True if all groups of filters are shown.
    pub all_filters: bool,
    /// True if all facts of the detail are shown.
    pub all_facts: bool,
    /// The stores whose sessions are shown, by the paths of their roots.
    unfolded: BTreeSet<String>,
}

impl PaneLayout {
    /// Reads the layout from a folder of palimp's own data; the default if there is no valid file.
    pub fn kept_in(data: &Path) -> PaneLayout {
        screen_state::read(data, FILE)
    }

    /// True if the sessions of a store are shown.
    pub fn is_unfolded(&self, root: &Path) -> bool {
        self.unfolded.contains(&*root.to_text())
    }

    /// Shows or hides the sessions of stores.
    pub fn fold<'a>(&mut self, roots: impl IntoIterator<Item = &'a PathBuf>, folds: bool) {
        for root in roots {
            match folds {
                true => self.unfolded.remove(&*root.to_text()),
                false => self.unfolded.insert(root.to_text().into_owned()),
            };
        }
    }
}
