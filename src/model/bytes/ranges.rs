//! Bytes that are asked for by range: held ones, and those of a file.

use std::borrow::Cow;
use std::ops::Range;

use super::Bytes;

/// Bytes that are asked for by range.
pub trait Ranges {
    /// How many they are.
    fn len(&self) -> usize;

    /// Those of a range, which has to be within them.
    fn at(&self, range: Range<usize>) -> Cow<'_, [u8]>;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the line starts in which a place is, or which starts there.
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

    /// Where the line starts that ends at a place.
    fn line_before(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.line_start(last))
    }

    /// Where the line ends in which a place is, its end included.
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

    /// Where the bytes of that kind end that follow a place.
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

    /// Where the bytes of that kind start that are before a place.
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

/// Runs of bytes are looked at in so many.
const RUN: usize = 64;
/// The end of a line is looked for in so many bytes first.
const STEP: usize = 4 << 10;

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

impl Ranges for Bytes {
    fn len(&self) -> usize {
        self.len()
    }

    /// Of a file that changed since: zeros, and whoever asks whether all was there hears that it was not.
    fn at(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let len = range.len();
        self.range(range).unwrap_or_else(|| Cow::Owned(vec![0; len]))
    }
}
