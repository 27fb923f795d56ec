//! Markdown as lines of the screen: headings, lists, quotes, code, tables.
//!
//! The input is already masked, and every piece of it is made safe here. Raw HTML is shown as text.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::theme::{Theme, wrap};
use super::update::set_off;
use crate::query::highlights;
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::state::app::App;

/// The maximum number of levels of indentation, so that no note gets narrower than a word.
const DEEPEST: usize = 6;

/// Renders the text of a note, at most `width` columns wide.
pub fn lines(app: &App, text: &str, width: usize) -> Vec<Line<'static>> {
    let mut page = MarkdownPage::new(app, width);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(text, options) {
        page.take(event);
    }
    page.flush();
    page.lines
}

struct MarkdownPage<'a> {
    app: &'a App,
    theme: Theme,
    width: usize,
    lines: Vec<Line<'static>>,
    /// The inline text of the current block.
    runs: Vec<(String, Style)>,
    styles: Vec<Style>,
    /// The start of each line: quotes and the indentation of lists.
    indent: Vec<&'static str>,
    /// The number of the next item of each list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The start of the next line only: a bullet, a number, heading signs.
    lead: String,
    in_code: bool,
    cells: usize,
}

impl<'a> MarkdownPage<'a> {
    fn new(app: &'a App, width: usize) -> Self {
        MarkdownPage {
            app,
            theme: Theme::of(app),
            width,
            lines: Vec::new(),
            runs: Vec::new(),
            styles: vec![Style::new()],
            indent: Vec::new(),
            lists: Vec::new(),
            lead: String::new(),
            in_code: false,
            cells: 0,
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => self.code(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.run(&text, self.style()),
            Event::Code(code) => self.run(&code, self.style().patch(self.theme.dim())),
            Event::SoftBreak => self.run(" ", self.style()),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.flush();
                self.lines.push(Line::styled("─".repeat(self.width.min(40)), self.theme.dim()));
            }
            Event::TaskListMarker(done) => self.run(if done { "[x] " } else { "[ ] " }, self.style()),
            Event::FootnoteReference(name) => self.run(&format!("[{name}]"), self.style()),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.run(&text, self.style()),
        }
    }

    fn run(&mut self, text: &str, style: Style) {
        let text = sanitize(text).replace('\n', " ");
        self.runs.push((text, style));
    }

    fn code(&mut self, text: &str) {
        for line in text.lines() {
            let before = self.before();
            let room = self.width.saturating_sub(display_width(&before) + 2);
            for part in wrap(&sanitize(line), room) {
                let mut spans = vec![Span::styled(format!("{before}┆ "), self.theme.dim())];
                spans.extend(set_off(self.app, &part, Style::new()));
                self.lines.push(Line::from(spans));
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Heading { level, .. } => {
                self.block();
                self.lead = format!("{} ", "#".repeat(level as usize));
                self.styles.push(self.theme.strong());
            }
            Tag::Paragraph | Tag::Table(_) | Tag::HtmlBlock => self.block(),
            Tag::CodeBlock(_) => {
                self.block();
                self.in_code = true;
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.indent.push("│ ");
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::TableHead => self.styles.push(self.theme.strong()),
            Tag::TableCell => {
                if self.cells > 0 {
                    self.run(" │ ", self.theme.dim());
                }
                self.cells += 1;
            }
            Tag::Emphasis => self.styles.push(style.add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(style.patch(self.theme.strong())),
            Tag::Strikethrough => self.styles.push(style.add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { .. } | Tag::Image { .. } => {
                self.styles.push(style.add_modifier(Modifier::UNDERLINED))
            }
            _ => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        let number = self.lists.last_mut().and_then(Option::as_mut);
        self.lead = match number {
            Some(number) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            None => "• ".into(),
        };
        self.indent.push("  ");
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::TableHead => {
                self.flush();
                self.styles.pop();
                self.cells = 0;
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::TableRow => {
                self.flush();
                self.cells = 0;
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.indent.pop();
            }
            TagEnd::Item => {
                self.flush();
                self.indent.pop();
                self.lead.clear();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
            }
            _ => {}
        }
    }

    /// Starts a block, with an empty line above it except in lists.
    fn block(&mut self) {
        self.flush();
        if self.lists.is_empty() && self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }

    fn before(&self) -> String {
        let from = self.indent.len().saturating_sub(DEEPEST);
        self.indent[from..].concat()
    }

    /// Writes the text of the block, wrapped.
    fn flush(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if runs.iter().all(|(text, _)| text.trim().is_empty()) {
            return;
        }
        let lead = std::mem::take(&mut self.lead);
        let hanging = self.before();
        // A bullet replaces the last level of indentation.
        let first = match hanging.strip_suffix("  ").filter(|_| !lead.is_empty() && !lead.starts_with('#')) {
            Some(outer) => format!("{outer}{lead}"),
            None => format!("{hanging}{lead}"),
        };
        let mut row = MarkdownRow { width: self.width, spans: Vec::new(), used: 0 };
        row.push(&first, self.theme.dim());
        // A match can continue in another style, so the pieces are searched as one text.
        let text: String = runs.iter().map(|(text, _)| text.as_str()).collect();
        let found = highlights(&text, &self.app.parsed);
        let mut at = 0;
        for (text, style) in &runs {
            for word in text.split_inclusive(' ') {
                if row.used > display_width(&hanging)
                    && row.used + display_width(word.trim_end()) > self.width
                {
                    self.lines.push(row.next_line());
                    row.push(&hanging, self.theme.dim());
                }
                for (number, part) in
                    wrap(word, self.width.saturating_sub(row.used).max(8)).iter().enumerate()
                {
                    if number > 0 {
                        self.lines.push(row.next_line());
                        row.push(&hanging, self.theme.dim());
                    }
                    row.push_found(part, *style, (at, &found), self.theme.found());
                    at += part.len();
                }
            }
        }
        self.lines.push(row.next_line());
    }
}

struct MarkdownRow {
    width: usize,
    spans: Vec<Span<'static>>,
    used: usize,
}

impl MarkdownRow {
    fn push(&mut self, text: &str, style: Style) {
        self.push_found(text, style, (0, &[]), style);
    }

    /// Adds a text that is at byte `at` of another text, and highlights its part of the matches.
    fn push_found(
        &mut self,
        text: &str,
        style: Style,
        (at, found): (usize, &[Range<usize>]),
        set_off: Style,
    ) {
        if text.is_empty() || self.used >= self.width.max(1) && text.trim().is_empty() {
            return;
        }
        self.used += display_width(text);
        let mut from = 0;
        let own = |range: &Range<usize>| {
            let (start, end) = (range.start.saturating_sub(at), range.end.saturating_sub(at));
            start.min(text.len())..end.min(text.len())
        };
        for range in found.iter().map(own).filter(|range| !range.is_empty()) {
            let (Some(before), Some(word)) = (text.get(from..range.start), text.get(range.clone())) else {
                continue;
            };
            self.spans.push(Span::styled(before.to_owned(), style));
            self.spans.push(Span::styled(word.to_owned(), style.patch(set_off)));
            from = range.end;
        }
        self.spans.push(Span::styled(text.get(from..).unwrap_or_default().to_owned(), style));
        self.spans.retain(|span| !span.content.is_empty());
    }

    fn next_line(&mut self) -> Line<'static> {
        self.used = 0;
        Line::from(std::mem::take(&mut self.spans))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Moment;
    use crate::query::Ranking;
    use crate::tui::tui_options::TuiOptions as Screens;

    fn app() -> App {
        let options = Screens {
            places: Vec::new(),
            searched_places: Vec::new(),
            now: None,
            ranking: Ranking::Product,
            palette: Default::default(),
            ascii: false,
            linear: false,
            mouse: true,
            data: None,
            home: None,
            start: None,
            readonly: false,
            demo_folder: None,
            visits: Default::default(),
            reduced_motion: false,
            demo: |_| Err("no demo here".into()),
        };
        App::new(&options, (80, 24), Moment(0))
    }

    fn plain(text: &str, width: usize) -> Vec<String> {
        lines(&app(), text, width).iter().map(|line| line.to_string().trim_end().to_owned()).collect()
    }

    #[test]
    fn a_note_is_rendered() {
        let note = "# Title\n\nSome *text* with `code`\nand a [[link]].\n\n- one\n- two\n  1. three\n\n> said\n\n\
            ```sh\nmake all\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>html</b>\n";
        let expected = "# Title\n\nSome text with code and a [[link]].\n• one\n• two\n  1. three\n\n│ said\n\n┆ make all\n\n\
            a │ b\n1 │ 2\n\n<b>html</b>";
        assert_eq!(plain(note, 60).join("\n"), expected);
    }

    #[test]
    fn long_lines_wrap_under_their_bullet() {
        assert_eq!(plain("- one two three four", 10), ["• one two", "  three", "  four"]);
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
