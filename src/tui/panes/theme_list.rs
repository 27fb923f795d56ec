//! The list of colours. The screen around it already has the colours under the cursor.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::Severity;
use crate::tui::colours::ColourPalette;
use crate::tui::pane_titles::{sheet, sheet_area};
use crate::tui::state::app::App;
use crate::tui::theme::{Theme, column, fit};

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(prompt) = &app.prompt else { return };
    let area = sheet_area(app, ColourPalette::CHOICES.len() + 1);
    let inner = sheet(app, frame, "Theme", "what is around it shows it", area);
    if inner.height < 2 {
        return;
    }
    let theme = Theme::of(app);
    let width = usize::from(inner.width).saturating_sub(2);
    let row = |at: usize| {
        let Some((_, name, about)) = ColourPalette::CHOICES.get(at) else { return Line::default() };
        let room = width.saturating_sub(20);
        Line::from(vec![Span::styled(column(name, 20), theme.strong()), Span::raw(fit(about, room))])
    };
    let list = Rect { height: inner.height - 1, ..inner };
    super::draw_lines(frame, &theme, list, prompt.choice, ColourPalette::CHOICES.len(), true, row);
    let sample = Rect { y: list.bottom(), height: 1, ..inner };
    frame.render_widget(Paragraph::new(sample_of(&theme)), sample);
}

fn sample_of(theme: &Theme) -> Line<'static> {
    let parts = [
        ("▶ cursor ", theme.accent()),
        ("✖ error ", theme.severity(Severity::Error)),
        ("⚠ warning ", theme.severity(Severity::Warning)),
        ("! secret ", theme.secret()),
        ("+ new ", theme.fresh()),
        ("███ full ", theme.decay(1.0)),
        ("match ", theme.found()),
        ("dim", theme.dim()),
    ];
    let spans = parts.into_iter().map(|(text, style)| Span::styled(text, style));
    Line::from(std::iter::once(Span::raw(" ")).chain(spans).collect::<Vec<_>>())
}
