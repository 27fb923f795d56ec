//! The output of a program. A terminal with synchronized updates shows it by complete frames.

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

#[derive(Default)]
pub struct Received {
    /// All bytes that were sent.
    pub bytes: Vec<u8>,
    /// The number of bytes that are shown.
    shown: usize,
}

impl Received {
    /// Takes in new bytes. Returns what is shown then, up to an incomplete frame.
    pub fn take(&mut self, bytes: &[u8]) -> &[u8] {
        self.bytes.extend_from_slice(bytes);
        let new = &self.bytes[self.shown..];
        let last = |mark: &[u8]| new.windows(mark.len()).rposition(|own| own == mark);
        let begun = last(BEGIN).filter(|begun| last(END).is_none_or(|end| end < *begun));
        let cut = (1..BEGIN.len()).rev().find(|count| new.ends_with(&BEGIN[..*count]));
        let count = begun.unwrap_or(new.len() - cut.unwrap_or(0));
        self.shown += count;
        &new[..count]
    }

    pub fn rest(&mut self) -> &[u8] {
        let rest = &self.bytes[self.shown..];
        self.shown = self.bytes.len();
        rest
    }
}
