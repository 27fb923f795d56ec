//! The bounds of lines in bytes.

/// Finds the lines around a place.
pub trait LineBounds {
    /// Returns the start of the line that a place is in.
    fn line_start(&self, at: usize) -> usize;

    /// Returns the start of the line that ends at a place.
    fn line_before(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.line_start(last))
    }

    /// Returns the end of the line that a place is in, after its line end.
    fn line_end(&self, at: usize) -> usize;

    /// True if those bytes are at a place.
    fn is_at(&self, at: usize, bytes: &[u8]) -> bool;

    /// True if those bytes end at a place.
    fn ends_at(&self, at: usize, bytes: &[u8]) -> bool {
        at.checked_sub(bytes.len()).is_some_and(|start| self.is_at(start, bytes))
    }
}

impl LineBounds for [u8] {
    fn line_start(&self, at: usize) -> usize {
        memchr::memrchr(b'\n', &self[..at]).map_or(0, |feed| feed + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.len(), |feed| at + feed + 1)
    }

    fn is_at(&self, at: usize, bytes: &[u8]) -> bool {
        self.get(at..).is_some_and(|rest| rest.starts_with(bytes))
    }
}
