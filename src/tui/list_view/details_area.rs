//! Areas and text of the details of a row.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::text::safe_text::display_width;
use crate::tui::list_view::{self, ListViewKind, RowDetails};
use crate::tui::state::app::App;
use crate::tui::state::row_list::RowList;
use crate::tui::theme;

/// Returns the details of a row, with the number of marked ones. The right text goes below the title if it
/// does not fit beside it.
pub fn about(app: &App, kind: &ListViewKind, width: u16) -> RowDetails {
    let width = usize::from(width.saturating_sub(2));
    let mut about = (kind.about)(app, width);
    let is_list = app.list_view.in_details && list_view::has_rows(app);
    let marks = if is_list { told(&app.list_view.details) } else { String::new() };
    let both =
        [&*marks, &*about.right].into_iter().filter(|own| !own.is_empty()).collect::<Vec<_>>().join(" · ");
    let has_room = display_width(&about.title) + display_width(&both) + 2 <= width;
    if !has_room && !marks.is_empty() && !about.right.is_empty() {
        let figures = theme::wrap(&theme::safe(app, &about.right), width);
        about.lines.splice(..0, figures.into_iter().map(Line::from));
        about.right = marks;
    } else {
        about.right = both;
    }
    about
}

/// Returns how many rows of a list fit below the text about them.
pub fn rows_below(app: &App, kind: &ListViewKind, area: Rect) -> usize {
    usize::from(parts_below(app, kind, area).0.height)
}

/// Returns the areas of the rows, which are below the heading text, and of the text of the row with the
/// cursor, which is below the rows. That text gets the rest of the room, and at least a third of it.
pub fn parts_below(app: &App, kind: &ListViewKind, area: Rect) -> (Rect, Rect) {
    let about = about(app, kind, area.width);
    let inner = area.height.saturating_sub(1);
    let lines = u16::try_from(about.lines.len()).unwrap_or(u16::MAX).min(inner / 2);
    let room = inner - lines;
    let len = u16::try_from(app.list_view.details.all.len()).unwrap_or(u16::MAX);
    let rows =
        if room < UNDER || !list_view::has_text_below(app) { room } else { len.max(3).min(room - room / 3) };
    let rest = Rect { y: area.bottom() - room, height: rows, ..area };
    (rest, Rect { y: rest.bottom(), height: room - rows, ..area })
}

/// With less room, the rows get all of it.
const UNDER: u16 = 16;

/// Returns the number of marked rows, and the place of the cursor.
pub fn told(rows: &RowList) -> String {
    let range = rows.open_range().map(|range| format!("range of {}", range.count()));
    let marked = (!rows.marks.is_empty()).then(|| format!("{} marked", rows.marks.len()));
    let place = (!rows.is_empty()).then(|| format!("{} of {}", rows.cursor.at + 1, rows.len()));
    [marked, range, place].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
