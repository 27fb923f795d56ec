//! Access to bytes by range, in memory or in a file.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes that are read by range.
pub trait Ranges {
    /// Returns the number of bytes.
    fn len(&self) -> usize;

    /// Returns a range, which must be within bounds.
    fn at(&self, range: Range<usize>) -> Cow<'_, [u8]>;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the start of the line that a place is in.
    fn line_start(&self, at: usize) -> usize {
        let (mut end, mut step) = (at, STEP);
        while end > 0 {
            let start = end.saturating_sub(step);
            if let Some(feed) = memchr::memrchr(b'\n', &self.at(start..end)) {
                return start + feed + 1;
            }
            (end, step) = (start, step * 2);
        }
        0
    }

    /// Returns the start of the line that ends at a place.
    fn line_before(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.line_start(last))
    }

    /// Returns the end of the line that a place is in, after its line end.
    fn line_end(&self, at: usize) -> usize {
        let (mut start, mut step) = (at, STEP);
        while start < self.len() {
            let end = (start + step).min(self.len());
            if let Some(feed) = memchr::memchr(b'\n', &self.at(start..end)) {
                return start + feed + 1;
            }
            (start, step) = (end, step * 2);
        }
        self.len()
    }

    /// Passes the lines to `take` in order, each with the place where it starts, and with its line end.
    fn each_line(&self, take: &mut dyn FnMut(usize, &[u8])) {
        let (mut start, mut len) = (0, WINDOW);
        while start < self.len() {
            let end = (start + len).min(self.len());
            let window = self.at(start..end);
            let whole = match memchr::memrchr(b'\n', &window) {
                _ if end == self.len() => window.len(),
                Some(feed) => feed + 1,
                None => {
                    len *= 2;
                    continue;
                }
            };
            for line in window[..whole].split_inclusive(|byte| *byte == b'\n') {
                take(start, line);
                start += line.len();
            }
            len = WINDOW;
        }
    }

    /// True if those bytes are at a place.
    fn is_at(&self, at: usize, bytes: &[u8]) -> bool {
        let end = at.checked_add(bytes.len()).filter(|end| *end <= self.len());
        end.is_some_and(|end| *self.at(at..end) == *bytes)
    }

    /// True if those bytes are anywhere.
    fn has(&self, sought: &[u8]) -> bool {
        let step = WINDOW.max(sought.len());
        let window = |start: usize| self.at(start..self.len().min(start + step + sought.len()));
        let has = |start| memchr::memmem::find(&window(start), sought).is_some();
        sought.is_empty() || (0..self.len()).step_by(step).any(has)
    }

    /// True if those bytes end at a place.
    fn ends_at(&self, at: usize, bytes: &[u8]) -> bool {
        at.checked_sub(bytes.len()).is_some_and(|start| self.is_at(start, bytes))
    }

    /// Returns the end of the run of matching bytes that starts at a place.
    fn end_of_run(&self, at: usize, is: &dyn Fn(&u8) -> bool) -> usize {
        let mut start = at;
        loop {
            let end = (start + RUN).min(self.len());
            let count = self.at(start..end).iter().take_while(|byte| is(byte)).count();
            start += count;
            if count < RUN {
                return start;
            }
        }
    }

    /// Returns the start of the run of matching bytes that ends at a place.
    fn start_of_run(&self, at: usize, is: &dyn Fn(&u8) -> bool) -> usize {
        let mut end = at;
        loop {
            let start = end.saturating_sub(RUN);
            let count = self.at(start..end).iter().rev().take_while(|byte| is(byte)).count();
            end -= count;
            if count < RUN {
                return end;
            }
        }
    }
}

/// Lines are read in windows of this size. In unit tests a line has several.
const WINDOW: usize = if cfg!(test) { 64 } else { 1 << 20 };
/// Runs of bytes are read in steps of this size.
const RUN: usize = 64;
/// The first step of the search for a line end. In unit tests a line has several.
const STEP: usize = if cfg!(test) { 64 } else { 4 << 10 };

impl Ranges for [u8] {
    fn len(&self) -> usize {
        self.len()
    }

    fn at(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self[range])
    }
}

impl Ranges for Vec<u8> {
    fn len(&self) -> usize {
        self.len()
    }

    fn at(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self[range])
    }
}
