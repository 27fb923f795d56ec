//! Markdown as lines of the screen: headings, lists, quotes, code, tables, links.
//!
//! The input is already masked, and every piece of it is made safe here. Raw HTML is shown as text.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::text::safe_text::{display_width, sanitize};
use crate::tui::found_words::{set_off, wrapped};
use crate::tui::state::app::App;
use crate::tui::theme::wrap;

/// Sentences get no wider than this, because the eye loses longer lines. Code and tables use the whole width.
pub const WIDEST: usize = 120;
/// The narrowest text beside the indentation.
const NARROWEST: usize = 8;
/// A shorter line of a file ends where its writer wants it to end.
const WRAPPED_FROM: usize = 50;

type Run = (String, Style);

/// Renders the text of a note, at most `width` columns wide.
pub fn lines(app: &App, text: &str, width: usize) -> Vec<Line<'static>> {
    let mut page = MarkdownPage {
        app,
        text,
        width,
        lines: Vec::new(),
        runs: Vec::new(),
        styles: Vec::new(),
        indent: Vec::new(),
        lists: Vec::new(),
        lead: None,
        code: None,
        table: Vec::new(),
        links: Vec::new(),
        paragraph: (0, 0),
        is_under_heading: false,
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for (event, place) in Parser::new_ext(text, options).into_offset_iter() {
        page.take(event, place);
    }
    page.flush();
    page.lines
}

struct MarkdownPage<'a> {
    app: &'a App,
    text: &'a str,
    width: usize,
    lines: Vec<Line<'static>>,
    /// The inline text of the current block.
    runs: Vec<Run>,
    styles: Vec<Style>,
    /// The start of each line: quotes and the indentation of lists.
    indent: Vec<String>,
    /// The number of the next item of each list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The sign of the item that begins, in place of this level of indentation.
    lead: Option<(usize, String)>,
    code: Option<String>,
    /// The open table: the cells of its rows.
    table: Vec<Vec<Vec<Run>>>,
    /// The targets of the open links, and how many runs were before each.
    links: Vec<(String, usize)>,
    /// The end of the paragraph in the text, and the columns of its longest line.
    paragraph: (usize, usize),
    is_under_heading: bool,
}

impl MarkdownPage<'_> {
    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn take(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.run(&text, self.style()),
            },
            Event::Html(text) => {
                self.run(&text, self.app.palette.dim());
                self.flush();
            }
            Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.run(&text, self.style())
            }
            Event::Code(code) => self.run(&code, self.style().patch(self.app.palette.accent())),
            Event::SoftBreak if self.is_wrapped_at(&place) => self.run(" ", self.style()),
            Event::SoftBreak | Event::HardBreak => self.flush(),
            Event::Rule => {
                self.block();
                self.lines.push(Line::styled("─".repeat(self.width.min(40)), self.app.palette.dim()));
            }
            Event::TaskListMarker(done) => self.lead(if done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(name) => self.run(&format!("[{name}]"), self.style()),
        }
    }

    fn run(&mut self, text: &str, style: Style) {
        let text = sanitize(text.trim_end_matches(['\n', '\r'])).replace('\n', " ");
        self.runs.push((text, style));
    }

    /// True if a line ends in the file only because the next word had no room. Other ends mean something: an address, a
    /// verse, one fact below another.
    fn is_wrapped_at(&mut self, place: &Range<usize>) -> bool {
        let before = self.text.get(..place.start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let after = self.text.get(line_start..).unwrap_or_default();
        if place.start >= self.paragraph.0 {
            let is_item =
                |line: &str| ["- ", "* ", "+ "].iter().any(|sign| line.trim_start().starts_with(sign));
            let mut lines = after.split_inclusive('\n');
            let first = lines.next();
            let others = lines.take_while(|line| !line.trim().is_empty() && !is_item(line));
            let add = |(end, longest): (usize, usize), line: &str| {
                (end + line.len(), longest.max(display_width(line.trim_end())))
            };
            self.paragraph = first.into_iter().chain(others).fold((line_start, 0), add);
        }
        let mut lines = after.lines();
        let columns = display_width(lines.next().unwrap_or_default().trim_end());
        let next = lines.next().unwrap_or_default().trim_start_matches(['>', ' ', '\t']);
        let word = display_width(next.split(' ').next().unwrap_or_default());
        let is_label = next.starts_with("**") && (next.contains(":**") || next.contains("**:"));
        !is_label && columns >= WRAPPED_FROM && columns + 1 + word > self.paragraph.1
    }

    fn start(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Heading { level, .. } => {
                self.is_under_heading = false;
                self.block();
                self.styles.push(if level as usize <= 2 {
                    self.app.palette.key()
                } else {
                    self.app.palette.strong()
                });
            }
            Tag::Paragraph | Tag::Table(_) | Tag::HtmlBlock => self.block(),
            Tag::CodeBlock(_) => {
                self.block();
                self.code = Some(String::new());
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.indent.push("│ ".into());
            }
            Tag::List(first) => {
                self.flush();
                self.is_under_heading = false;
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                let lead = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".into(),
                };
                self.indent.push(String::new());
                self.lead(&lead);
            }
            Tag::TableHead => {
                self.styles.push(self.app.palette.strong());
                self.table.push(Vec::new());
            }
            Tag::TableRow => self.table.push(Vec::new()),
            Tag::Emphasis => self.styles.push(style.add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(style.patch(self.app.palette.strong())),
            Tag::Strikethrough => self.styles.push(style.add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.runs.len()));
                self.styles.push(style.add_modifier(Modifier::UNDERLINED));
            }
            _ => {}
        }
    }

    /// Begins the item with this sign. Its other lines are indented below its text.
    fn lead(&mut self, lead: &str) {
        if let Some(level) = self.indent.last_mut() {
            *level = " ".repeat(display_width(lead));
            self.lead = Some((self.indent.len() - 1, lead.to_owned()));
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
                self.is_under_heading = true;
            }
            TagEnd::TableHead => drop(self.styles.pop()),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.runs);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.table);
                let room = self.width.saturating_sub(display_width(&self.indentation()));
                for line in table_lines(self.app, &rows, room) {
                    self.push(line);
                }
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::CodeBlock => self.code(),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.indent.pop();
            }
            TagEnd::Item => {
                self.flush();
                self.indent.pop();
                self.lead = None;
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                self.target();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            _ => {}
        }
    }

    /// Adds the target of the link that ends, unless its text says it.
    fn target(&mut self) {
        let Some((target, from)) = self.links.pop() else { return };
        let runs = self.runs.get(from..).unwrap_or(&self.runs);
        let text: String = runs.iter().map(|(text, _)| text.as_str()).collect();
        if !target.is_empty() && target.trim_start_matches("mailto:") != text {
            let before = if text.is_empty() { "" } else { " " };
            self.run(&format!("{before}({target})"), self.app.palette.dim());
        }
    }

    /// Writes the code as it is. A line that does not fit goes on below a `…`.
    fn code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let room = self.width.saturating_sub(display_width(&self.indentation()) + 2).max(NARROWEST);
        for line in code.lines() {
            let line = line.replace('\t', "    ");
            for (at, part) in wrap(&sanitize(&line), room).iter().enumerate() {
                let sign = Span::styled(if at == 0 { "┆ " } else { "… " }, self.app.palette.dim());
                let mut line = Line::from(sign);
                line.extend(set_off(self.app, part, Style::new()));
                self.push(line);
            }
        }
    }

    /// Starts a block, with an empty line above it except in lists and under headings.
    fn block(&mut self) {
        self.flush();
        let is_under_heading = std::mem::take(&mut self.is_under_heading);
        let has_text_above = self.lines.last().is_some_and(|line| line.width() > 0);
        if self.lists.is_empty() && has_text_above && !is_under_heading {
            self.lines.push(Line::default());
        }
    }

    /// Returns the inner levels of indentation that leave half the width to the text. The sign of an item that
    /// begins is in its level.
    fn indentation(&self) -> String {
        let mut used = 0;
        let fits = |level: &&String| {
            used += display_width(level);
            used <= self.width / 2
        };
        let fitting = self.indent.iter().rev().take_while(fits).count();
        let sign = |at: usize| self.lead.as_ref().filter(|(level, _)| *level == at).map(|(_, sign)| sign);
        let levels = self.indent.iter().enumerate().skip(self.indent.len() - fitting);
        levels.map(|(at, level)| sign(at).unwrap_or(level).as_str()).collect()
    }

    fn push(&mut self, mut line: Line<'static>) {
        line.spans.insert(0, Span::styled(self.indentation(), self.app.palette.dim()));
        self.lead = None;
        self.lines.push(line);
    }

    fn flush(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if runs.iter().all(|(text, _)| text.trim().is_empty()) {
            return;
        }
        let indented = display_width(&self.indentation());
        let room = self.width.min(WIDEST).saturating_sub(indented).max(NARROWEST);
        for line in wrapped(self.app, &runs, room) {
            self.push(line);
        }
    }
}

const BETWEEN: &str = " │ ";

/// Returns the lines of a table; the first row is its head.
fn table_lines(app: &App, rows: &[Vec<Vec<Run>>], room: usize) -> Vec<Line<'static>> {
    let dim = app.palette.dim();
    let widths = table_columns(rows, room);
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let drawn = match &widths {
            Some(widths) => side_by_side(app, row, widths),
            None => wrapped(app, &row.join(&(BETWEEN.to_owned(), dim)), room.max(NARROWEST)),
        };
        lines.extend(drawn);
        if let Some(widths) = widths.as_ref().filter(|_| at == 0) {
            let parts: Vec<String> = widths.iter().map(|columns| "─".repeat(*columns)).collect();
            lines.push(Line::styled(parts.join("───"), dim));
        }
    }
    lines
}

/// Returns the widths of the columns. The widest ones are narrowed to the room. `None` if the columns do not fit.
fn table_columns(rows: &[Vec<Vec<Run>>], room: usize) -> Option<Vec<usize>> {
    let count = rows.iter().map(Vec::len).max()?;
    let room = room.checked_sub(display_width(BETWEEN) * count.saturating_sub(1))?;
    let cell = |runs: &Vec<Run>| runs.iter().map(|(text, _)| display_width(text)).sum::<usize>();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(cell).max();
    let mut widths: Vec<usize> =
        (0..count).map(|column| widest(column).unwrap_or(0).clamp(1, room.max(1))).collect();
    while widths.iter().sum::<usize>() > room {
        *widths.iter_mut().max().filter(|columns| **columns > NARROWEST)? -= 1;
    }
    Some(widths)
}

/// Returns the lines of a row, as many as its tallest cell has.
fn side_by_side(app: &App, row: &[Vec<Run>], widths: &[usize]) -> Vec<Line<'static>> {
    let cells: Vec<Vec<Line<'static>>> =
        row.iter().zip(widths).map(|(runs, columns)| wrapped(app, runs, *columns)).collect();
    let tallest = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let mut line = Line::default();
        for (column, (cell, columns)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                line.push_span(Span::styled(BETWEEN, app.palette.dim()));
            }
            let text = cell.get(at).cloned().unwrap_or_default();
            let missing = columns.saturating_sub(text.width());
            line.spans.extend(text.spans);
            line.push_span(Span::raw(" ".repeat(missing)));
        }
        line
    };
    (0..tallest).map(line).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Moment;
    use crate::tui::tests::options;

    fn app() -> App {
        App::new(&options(Vec::new()), (80, 24), Moment(0))
    }

    fn plain(text: &str, width: usize) -> Vec<String> {
        lines(&app(), text, width).iter().map(|line| line.to_string().trim_end().to_owned()).collect()
    }

    #[test]
    fn a_note_is_rendered() {
        let note = "# Title\n\nSome *text* with `code`\nand a [[link]].\n\n- one\n- two\n  1. three\n\n> said\n\n\
            ```sh\nmake all\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>html</b>\n";
        let expected = "Title\nSome text with code\nand a [[link]].\n• one\n• two\n  1. three\n\n│ said\n\n┆ make all\n\n\
            a │ b\n─────\n1 │ 2\n\n<b>html</b>";
        assert_eq!(plain(note, 60).join("\n"), expected);
    }

    #[test]
    fn long_lines_wrap_under_the_text_of_their_item() {
        assert_eq!(plain("- one two three four", 10), ["• one two", "  three", "  four"]);
        assert_eq!(plain("10. one two\n    - `six` seven", 14), ["10. one two", "    • six", "      seven"]);
        assert_eq!(plain("- [x] done\n- [ ] to do now", 12), ["[x] done", "[ ] to do", "    now"]);
        assert_eq!(plain("- > said\n- ```\n  run\n  ```", 20), ["• │ said", "• ┆ run"]);
    }

    #[test]
    fn punctuation_stays_with_the_code_before_it() {
        assert_eq!(plain("It is in `src/cart.rs`, and *so*.", 17), ["It is in", "src/cart.rs, and", "so."]);
    }

    #[test]
    fn lines_that_an_editor_wrapped_flow_and_lines_that_someone_ended_stay() {
        let wrapped =
            "The pool of the shop was used up at the sale because\nthree workers held their connections\n";
        assert_eq!(plain(wrapped, 200).len(), 1);
        assert_eq!(plain("Street 1\n12345 Town", 80), ["Street 1", "12345 Town"]);
        let labels = format!("{wrapped}**How to apply:** raise it\n");
        assert_eq!(plain(&labels, 200)[1], "How to apply: raise it");
    }

    #[test]
    fn a_link_says_where_it_leads_once() {
        assert_eq!(plain("[Cart](cart.md) and <https://a.b>", 60), ["Cart (cart.md) and https://a.b"]);
    }

    #[test]
    fn a_table_that_is_too_wide_wraps_in_its_cells() {
        let table = "| name | what |\n|--|--|\n| pool | size of the pool of connections |";
        assert_eq!(
            plain(table, 24),
            ["name │ what", "─".repeat(24).as_str(), "pool │ size of the pool", "     │ of connections"]
        );
    }

    #[test]
    fn code_stays_as_it_is_also_where_it_is_too_long() {
        let code = "```\nif a:\n\tb\n\n12345678 12345678\n```";
        assert_eq!(plain(code, 12), ["┆ if a:", "┆     b", "┆", "┆ 12345678", "… 12345678"]);
        assert_eq!(plain(&code.replace('\n', "\r\n"), 12), plain(code, 12));
    }

    #[test]
    fn deep_lists_and_long_paragraphs_take_no_longer_than_others() {
        let began = std::time::Instant::now();
        plain(&"- ".repeat(20_000), 80);
        plain(&"a\n".repeat(30_000), 80);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn any_text_is_rendered_and_no_line_is_raw(
            text in "([a-c# >*_`~|\\[\\]()!<>-]|1\\. |\n|\t|\u{1b}\\[31m|\u{202e}|é|接){0,80}", width in 0..40_usize
        ) {
            for line in lines(&app(), &text, width) {
                let raw = line.to_string().contains(['\u{1b}', '\u{202e}', '\n', '\t']);
                prop_assert!(!raw);
            }
        }
    }
}
