//! The borders between panes: their places, and how far each can move.

use ratatui::layout::{Position, Rect};

use super::layout::{self, split_columns, split_rows};
use crate::tui::state::app::{App, Pane};
use crate::usecase::PaneBorder;

/// The minimum columns of the side panes, the list and the detail.
pub const SIDE: u16 = 16;
pub const LIST: u16 = 38;
pub const DETAIL: u16 = 30;
/// The minimum rows of panes above one another.
pub const ROWS: u16 = 4;
/// The position of a border is saved as a share in this many parts.
const PARTS: u32 = 1000;

pub struct PlacedBorder {
    pub border: PaneBorder,
    /// The column between two panes, or the title row of the lower one.
    pub area: Rect,
    /// The columns or rows of the pane that the border sizes, with their minimum and maximum.
    pub size: u16,
    pub least: u16,
    pub most: u16,
    /// The columns or rows that a share refers to.
    whole: u16,
}

impl PlacedBorder {
    /// Returns the size of the pane with the border at a place.
    pub fn size_at(&self, at: Position) -> i32 {
        let by = match self.border.is_upright() {
            true => i32::from(at.x) - i32::from(self.area.x),
            false => i32::from(at.y) - i32::from(self.area.y),
        };
        i32::from(self.size) + if self.border.sets_first() { by } else { -by }
    }

    /// Returns the share for a size, or for the nearest possible size; `None` if the pane already has it.
    pub fn share(&self, size: i32) -> Option<u16> {
        let size = u32::try_from(size.clamp(self.least.into(), self.most.into())).unwrap_or_default();
        let whole = u32::from(self.whole.max(1));
        let share = u16::try_from((size * PARTS + whole / 2) / whole).unwrap_or(u16::MAX);
        (size != u32::from(self.size)).then_some(share)
    }
}

/// Splits an area by a border, at the user's position or the usual one. `least` has the minimum sizes of the
/// two parts. A smaller area is split as usual.
pub fn split_by_border(
    app: &App,
    border: PaneBorder,
    area: Rect,
    usual: u16,
    least: (u16, u16),
    borders: &mut Vec<PlacedBorder>,
) -> (Rect, Rect) {
    let (room, whole) = match border.is_upright() {
        true => (area.width.saturating_sub(1), app.size.0),
        false => (area.height, area.height),
    };
    let (own, other) = if border.sets_first() { least } else { (least.1, least.0) };
    let most = room.saturating_sub(other);
    let kept = app.layout.borders.get(&border);
    let wanted = kept.map_or(usual, |share| {
        u16::try_from((u32::from(*share) * u32::from(whole) + PARTS / 2) / PARTS).unwrap_or(u16::MAX)
    });
    let size = if own > most { usual.min(room) } else { wanted.clamp(own, most) };
    let first = if border.sets_first() { size } else { room - size };
    let (first, second) =
        if border.is_upright() { split_columns(area, first) } else { split_rows(area, first) };
    let area = match border.is_upright() {
        true => Rect { x: first.right(), width: 1, ..area },
        false => Rect { height: 1, ..second },
    };
    if own <= most {
        borders.push(PlacedBorder { border, area, size, least: own, most, whole });
    }
    (first, second)
}

pub fn border_at(app: &App, at: Position) -> Option<PaneBorder> {
    let borders = layout::frame(app).borders;
    borders.iter().find(|drawn| drawn.area.contains(at)).map(|drawn| drawn.border)
}

/// Returns the border that the keys move: the nearest border of the pane that has the keys.
pub fn focused_border(app: &App) -> Option<PlacedBorder> {
    let nearest: &[PaneBorder] = match app.focus {
        Pane::Sessions | Pane::Filters | Pane::Health => &[PaneBorder::Sides],
        Pane::Memories => &[PaneBorder::Detail, PaneBorder::Below, PaneBorder::Sides],
        Pane::Detail => &[PaneBorder::Detail, PaneBorder::Below],
        Pane::Why => &[PaneBorder::Why, PaneBorder::Below, PaneBorder::Detail],
    };
    let mut borders = layout::frame(app).borders;
    let at = nearest.iter().find_map(|own| borders.iter().position(|drawn| drawn.border == *own))?;
    Some(borders.swap_remove(at))
}
