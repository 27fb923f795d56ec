//! The borders between panes: where each is drawn, and how far it can be moved.

use ratatui::layout::{Position, Rect};

use super::app::{App, Pane};
use super::layout::{self, split_columns, split_rows};
pub use crate::usecase::PaneBorder;

/// The fewest columns of the side panes, of the list, of the detail.
pub const SIDE: u16 = 16;
pub const LIST: u16 = 38;
pub const DETAIL: u16 = 30;
/// The fewest rows of panes over one another.
pub const ROWS: u16 = 4;
/// What a border is at is kept in so many parts of what there is.
const PARTS: u32 = 1000;

/// A border on the screen.
pub struct PlacedBorder {
    pub border: PaneBorder,
    /// The column between two panes, or the title row of the lower one.
    pub area: Rect,
    /// The columns or rows of the pane whose size it sets, the fewest and the most.
    pub size: u16,
    pub least: u16,
    pub most: u16,
    /// What the size is kept as a part of.
    whole: u16,
}

impl PlacedBorder {
    /// How large the pane would be with the border at a place.
    pub fn size_at(&self, at: Position) -> i32 {
        let by = match self.border.is_upright() {
            true => i32::from(at.x) - i32::from(self.area.x),
            false => i32::from(at.y) - i32::from(self.area.y),
        };
        i32::from(self.size) + if self.border.sets_first() { by } else { -by }
    }

    /// What that size, or the nearest that it can have, is kept as; `None` where it has it.
    pub fn share(&self, size: i32) -> Option<u16> {
        let size = u32::try_from(size.clamp(self.least.into(), self.most.into())).unwrap_or_default();
        let whole = u32::from(self.whole.max(1));
        let share = u16::try_from((size * PARTS + whole / 2) / whole).unwrap_or(u16::MAX);
        (size != u32::from(self.size)).then_some(share)
    }
}

/// Parts an area by a border, where the user moved it or where it usually is. `least` is how small each of
/// the two may get; a smaller area is parted as usual.
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

/// The border at a place.
pub fn border_at(app: &App, at: Position) -> Option<PaneBorder> {
    let borders = layout::frame(app).borders;
    borders.iter().find(|drawn| drawn.area.contains(at)).map(|drawn| drawn.border)
}

/// The border that the keys move: the nearest of the pane that has them.
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
