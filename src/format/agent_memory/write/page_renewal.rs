//! Renews the parts of a page that hold values. A part is found by its old text. If a person
//! changed that text, it is found by its layout.

use std::ops::Range;

use super::page_parts::{PagePart, PartForm};

/// Returns the page with the new parts. `old` has the old parts, if the source of the page is known.
pub fn renew(page: &str, old: Option<&[PagePart]>, new: &[PagePart]) -> String {
    let ends_as_written = page.ends_with('\n') && page.trim_end().len() + 1 == page.len();
    let mut page = ProjectionPage { text: page.to_owned(), at: 0, heading: "" };
    for (index, part) in new.iter().enumerate() {
        if !page.enter(part.heading) {
            continue;
        }
        let later = new.iter().skip(index).map(|other| other.heading).find(|other| *other != part.heading);
        let before = old.and_then(|old| old.get(index));
        page.renew(before, part, later);
    }
    if ends_as_written {
        page.text.truncate(page.text.trim_end().len());
        page.text.push('\n');
    }
    page.text
}

struct ProjectionPage {
    text: String,
    /// The offset at which the search for the next part starts.
    at: usize,
    heading: &'static str,
}

impl ProjectionPage {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Moves to the text under a heading. Returns false if the page does not have the heading.
    fn enter(&mut self, heading: &'static str) -> bool {
        if self.heading == heading {
            return true;
        }
        let Some(found) = find_line(self.rest(), heading) else { return false };
        self.heading = heading;
        self.at = (self.at + found.end + 1).min(self.text.len());
        true
    }

    /// Returns the end of the text under the present heading.
    fn end(&self, later: Option<&str>) -> usize {
        let next = later.and_then(|later| find_line(self.rest(), later));
        next.map_or(self.text.len(), |next| self.at + next.start)
    }

    fn renew(&mut self, old: Option<&PagePart>, new: &PagePart, later: Option<&str>) {
        let between = new.form.between();
        let is_list = matches!(new.form, PartForm::Bullets | PartForm::Items(..));
        let spans = match old {
            Some(old) => self.exact(old, later).or_else(|| is_list.then(|| self.piecewise(old, later))),
            None => None,
        };
        let spans = spans.unwrap_or_else(|| self.told_by_layout(new.form, later));
        // The page's own text is compared: the last part may have lost trailing white space.
        let piece = |span: &Range<usize>| self.text.get(span.clone()).unwrap_or_default().to_owned();
        let pieces: Vec<String> = spans.iter().map(piece).collect();
        if spans.is_empty() {
            return self.add(new, later);
        }
        let same = |pair: &(&String, &String)| pair.0 == pair.1;
        let first = pieces.iter().zip(&new.pieces).take_while(same).count();
        let most = pieces.len().min(new.pieces.len()) - first;
        let last = pieces.iter().rev().zip(new.pieces.iter().rev()).take(most).take_while(same).count();
        let mut goes = spans.get(first..spans.len() - last).unwrap_or_default().to_vec();
        let comes = new.pieces.get(first..new.pieces.len() - last).unwrap_or_default();
        let mut end = spans.last().map_or(self.at, |span| span.end);
        let mut replace = |text: &mut String, at: Range<usize>, with: &str| {
            end = end + with.len() - at.len();
            if let (Some(before), Some(after)) = (text.get(..at.start), text.get(at.end..)) {
                *text = [before, with, after].concat();
            }
        };
        if goes.is_empty() && !comes.is_empty() {
            let joined = comes.join(between);
            let before = first.checked_sub(1).and_then(|at| spans.get(at));
            match (before, spans.get(first)) {
                (Some(before), _) => {
                    replace(&mut self.text, before.end..before.end, &format!("{between}{joined}"));
                }
                (None, Some(next)) => {
                    replace(&mut self.text, next.start..next.start, &format!("{joined}{between}"));
                }
                (None, None) => {}
            }
        }
        // Goes from the last to the first, so that earlier offsets stay right.
        let pairs = goes.len().min(comes.len());
        while let Some(span) = goes.pop() {
            let number = goes.len();
            match comes.get(number) {
                Some(piece) if number + 1 == pairs => {
                    let extra = comes.get(pairs..).unwrap_or_default();
                    let all: Vec<&str> =
                        std::iter::once(piece).chain(extra).map(|piece| piece.as_str()).collect();
                    replace(&mut self.text, span, &all.join(between));
                }
                Some(piece) => replace(&mut self.text, span, piece),
                None => {
                    let before = self.text.get(..span.start).unwrap_or_default();
                    let start =
                        if before.ends_with(between) { span.start - between.len() } else { span.start };
                    replace(&mut self.text, start..span.end, "");
                }
            }
        }
        if is_list || new.form == PartForm::Paragraph {
            self.at = end;
        }
    }

    /// Finds the pieces if they are exactly as written, one after the other.
    fn exact(&self, old: &PagePart, later: Option<&str>) -> Option<Vec<Range<usize>>> {
        let between = old.form.between();
        let joined = old.pieces.join(between);
        let rest = self.rest();
        let after_gap = rest.len() - rest.trim_start_matches('\n').len();
        let starts = match old.form {
            PartForm::Bullets | PartForm::Paragraph => vec![after_gap],
            _ => {
                let end = self.end(later) - self.at;
                line_starts(rest).take_while(|start| *start < end).collect()
            }
        };
        // The last part of a file may have lost its trailing white space.
        let trimmed = joined.trim_end();
        let start = starts.into_iter().find(|start| {
            let here = rest.get(*start..).unwrap_or_default();
            let follows = here.strip_prefix(joined.as_str());
            follows.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
                || here.strip_prefix(trimmed).is_some_and(|rest| rest.trim_ascii().is_empty())
        })?;
        let last = self.text.len();
        let mut at = self.at + start;
        let mut spans = Vec::new();
        for piece in &old.pieces {
            let end = (at + piece.len()).min(last);
            // A trimmed page may end before its last piece does.
            let trimmed = self.text.get(at..end).unwrap_or_default().len() < piece.len();
            spans.push(at..if trimmed || !self.text.is_char_boundary(end) { last } else { end });
            at = end + between.len();
        }
        let fits = |span: &Range<usize>| self.text.get(span.clone()).is_some();
        spans.iter().all(fits).then_some(spans)
    }

    /// Finds each unchanged piece below the present heading. A person wrote the text around them.
    fn piecewise(&self, old: &PagePart, later: Option<&str>) -> Vec<Range<usize>> {
        let region = self.text.get(self.at..self.end(later)).unwrap_or_default();
        let starts: Vec<usize> = line_starts(region).collect();
        let mut spans: Vec<Range<usize>> = Vec::new();
        for piece in &old.pieces {
            let trimmed = piece.trim_end();
            let found = starts.iter().find_map(|&start| {
                let here = region.get(start..).unwrap_or_default();
                let follows = here.strip_prefix(piece.as_str());
                let whole = follows.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'));
                let last = self.at + region.len() == self.text.len() && here.trim_end() == trimmed;
                let len = if whole { piece.len() } else { trimmed.len() };
                let span = start..start + len;
                let free = spans.iter().all(|own| own.end <= span.start || span.end <= own.start);
                ((whole || last) && free).then_some(span)
            });
            spans.extend(found);
        }
        spans.sort_by_key(|span| span.start);
        spans.into_iter().map(|span| self.at + span.start..self.at + span.end).collect()
    }

    /// Finds what looks like a piece of that form, below the present heading.
    fn told_by_layout(&self, form: PartForm, later: Option<&str>) -> Vec<Range<usize>> {
        let region = self.text.get(self.at..self.end(later)).unwrap_or_default();
        let lines: Vec<Range<usize>> = lines(region).collect();
        let line = |at: usize| lines.get(at).and_then(|line| region.get(line.clone())).unwrap_or_default();
        // Returns the last line before an empty line or before the start of another piece.
        let paragraph = |from: usize, stop: &str| {
            let after = (from + 1..lines.len())
                .find(|at| line(*at).trim().is_empty() || (!stop.is_empty() && line(*at).starts_with(stop)));
            after.unwrap_or(lines.len()) - 1
        };
        let span = |first: usize, last: usize| match (lines.get(first), lines.get(last)) {
            (Some(first), Some(last)) => self.at + first.start..self.at + last.end,
            _ => self.at..self.at,
        };
        let all = 0..lines.len();
        match form {
            PartForm::Line(start) => {
                let found = all.clone().find(|at| line(*at).starts_with(start));
                found.map(|at| span(at, at)).into_iter().collect()
            }
            PartForm::Paragraph => {
                let first = all.clone().find(|at| !line(*at).trim().is_empty());
                first.map(|at| span(at, paragraph(at, ""))).into_iter().collect()
            }
            PartForm::Bullets => {
                let starts = all.filter(|at| line(*at).starts_with("- "));
                starts.map(|at| span(at, paragraph(at, "- "))).collect()
            }
            PartForm::Items(labels, none) => {
                let item = |at: usize| {
                    if line(at) == none {
                        return Some(span(at, at));
                    }
                    let heading = line(at).strip_prefix("## ")?;
                    let mut last = at;
                    for label in labels {
                        let next = (last + 1..lines.len()).find(|at| !line(*at).trim().is_empty());
                        let Some(next) = next.filter(|next| line(*next).starts_with(label)) else { break };
                        last = paragraph(next, "## ");
                    }
                    (last > at && !heading.is_empty()).then(|| span(at, last))
                };
                let mut items: Vec<Range<usize>> = Vec::new();
                for own in all.filter_map(item) {
                    // A heading inside the paragraphs of an item does not start another item.
                    if items.last().is_none_or(|before| before.end <= own.start) {
                        items.push(own);
                    }
                }
                items
            }
        }
    }

    /// Adds a part that the page lacks. A line that a person removed stays removed.
    fn add(&mut self, new: &PagePart, later: Option<&str>) {
        let joined = new.pieces.join(new.form.between());
        let (at, with) = match new.form {
            PartForm::Line(_) => return,
            PartForm::Paragraph | PartForm::Bullets => (self.at, format!("\n{joined}\n")),
            PartForm::Items(..) => {
                let region = self.text.get(..self.end(later)).unwrap_or_default();
                (region.trim_end_matches('\n').len(), format!("\n\n{joined}"))
            }
        };
        let before = self.text.get(..at).unwrap_or_default();
        let gap = if before.ends_with('\n') || matches!(new.form, PartForm::Items(..)) { "" } else { "\n" };
        let with = format!("{gap}{with}");
        self.text.insert_str(at, &with);
        self.at = at + with.len();
    }
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|feed| feed + 1))
}

/// Returns the lines, without their line ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    line_starts(text).map(|start| {
        let rest = text.as_bytes().get(start..).unwrap_or_default();
        start..start + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    })
}

fn find_line(text: &str, line: &str) -> Option<Range<usize>> {
    lines(text).find(|own| text.get(own.clone()) == Some(line))
}
