//! The scanner: reads bytes into a tape of spans, without recursion.

/// The maximum depth of nested objects and arrays. A record that is deeper is broken.
const DEPTH: usize = 1 << 16;

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

impl JsonKind {
    /// Returns the word for messages.
    pub fn as_str(self) -> &'static str {
        match self {
            JsonKind::Object => "an object",
            JsonKind::Array => "an array",
            JsonKind::String => "a string",
            JsonKind::Number => "a number",
            JsonKind::Bool => "a boolean",
            JsonKind::Null => "null",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TapeNode {
    pub start: u32,
    pub end: u32,
    /// The tape index just past this value and all that is in it.
    pub next: u32,
    pub kind: JsonKind,
    pub is_key: bool,
    /// True if it is a string with an escape.
    pub is_escaped: bool,
}

/// The name of a member of the outermost object.
#[derive(Clone, Copy, Debug)]
pub(super) struct OuterMember {
    /// Its [`sign`]; 0 if it has escapes and must be read.
    pub sign: u32,
    pub at: u32,
}

/// Returns a number that distinguishes most names quickly: from the length and three letters. Never 0.
pub(super) fn sign(name: &[u8]) -> u32 {
    let letter = |at: usize| u32::from(name.get(at).copied().unwrap_or_default());
    let len = name.len();
    ((len as u32 & 0x7f) | 0x80) << 24
        | letter(0) << 16
        | letter(len / 2) << 8
        | letter(len.saturating_sub(1))
}

/// The values of one scan, in order. It is reused from record to record.
#[derive(Debug, Default)]
pub struct Tape {
    pub(super) nodes: Vec<TapeNode>,
    /// The members of the outermost object, which are looked up most.
    pub(super) outer: Vec<OuterMember>,
    open: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanResult {
    /// A complete value.
    Whole {
        /// One past its last byte.
        end: usize,
        /// True if a string in it has a raw line break.
        raw_newline: bool,
    },
    /// The bytes ended before the value did.
    Incomplete,
    /// The byte at this place can't be there.
    Bad(usize),
}

/// How raw line breaks in strings are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newlines {
    /// They are errors, as in JSON.
    Refused,
    /// They are accepted and reported in [`ScanResult::Whole`].
    Noticed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
}

impl Tape {
    /// Scans one value at the start of `bytes`, which may have white space before it. Bytes beyond ASCII in
    /// strings are accepted. The caller must check that they are UTF-8.
    pub fn scan(&mut self, bytes: &[u8], newlines: Newlines) -> ScanResult {
        self.nodes.clear();
        self.outer.clear();
        self.open.clear();
        if u32::try_from(bytes.len()).is_err() {
            return ScanResult::Bad(0);
        }
        Scanner { bytes, at: 0, tape: self, newlines, raw_newline: false }.run()
    }
}

struct Scanner<'a, 't> {
    bytes: &'a [u8],
    at: usize,
    tape: &'t mut Tape,
    newlines: Newlines,
    raw_newline: bool,
}

impl Scanner<'_, '_> {
    fn run(mut self) -> ScanResult {
        let mut expect = Expect::Value;
        loop {
            self.skip_space();
            let Some(&byte) = self.bytes.get(self.at) else {
                return ScanResult::Incomplete;
            };
            expect = match self.step(byte, expect) {
                Ok(next) => next,
                Err(outcome) => return outcome,
            };
            if self.tape.open.is_empty() {
                return ScanResult::Whole { end: self.at, raw_newline: self.raw_newline };
            }
        }
    }

    /// Takes one token and returns what may follow it.
    fn step(&mut self, byte: u8, expect: Expect) -> Result<Expect, ScanResult> {
        let bad = Err(ScanResult::Bad(self.at));
        match (expect, byte) {
            (Expect::Key | Expect::KeyOrEnd, b'"') => {
                self.string(true)?;
                self.skip_space();
                if self.bytes.get(self.at) != Some(&b':') {
                    return Err(self.stopped());
                }
                self.at += 1;
                Ok(Expect::Value)
            }
            (Expect::KeyOrEnd, b'}') | (Expect::ValueOrEnd, b']') => self.close(byte),
            (Expect::CommaOrEnd, b'}' | b']') => self.close(byte),
            (Expect::CommaOrEnd, b',') => {
                self.at += 1;
                let last = self.tape.open.last().and_then(|&at| self.tape.nodes.get(at as usize));
                let is_in_object = last.is_some_and(|node| node.kind == JsonKind::Object);
                Ok(if is_in_object { Expect::Key } else { Expect::Value })
            }
            (Expect::Value | Expect::ValueOrEnd, _) => self.value(byte),
            _ => bad,
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Returns why the scan ends here.
    fn stopped(&self) -> ScanResult {
        if self.at < self.bytes.len() { ScanResult::Bad(self.at) } else { ScanResult::Incomplete }
    }

    fn value(&mut self, byte: u8) -> Result<Expect, ScanResult> {
        match byte {
            b'{' => self.open(JsonKind::Object, Expect::KeyOrEnd),
            b'[' => self.open(JsonKind::Array, Expect::ValueOrEnd),
            b'"' => self.string(false).map(|()| Expect::CommaOrEnd),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true", JsonKind::Bool),
            b'f' => self.word(b"false", JsonKind::Bool),
            b'n' => self.word(b"null", JsonKind::Null),
            _ => Err(ScanResult::Bad(self.at)),
        }
    }

    fn push(&mut self, kind: JsonKind, start: usize) {
        let (next, end) = (self.tape.nodes.len() as u32 + 1, self.at as u32);
        let node = TapeNode { start: start as u32, end, next, kind, is_key: false, is_escaped: false };
        self.tape.nodes.push(node);
    }

    fn open(&mut self, kind: JsonKind, then: Expect) -> Result<Expect, ScanResult> {
        if self.tape.open.len() >= DEPTH {
            return Err(ScanResult::Bad(self.at));
        }
        self.tape.open.push(self.tape.nodes.len() as u32);
        self.push(kind, self.at);
        self.at += 1;
        Ok(then)
    }

    fn close(&mut self, byte: u8) -> Result<Expect, ScanResult> {
        let bad = ScanResult::Bad(self.at);
        let wanted = if byte == b'}' { JsonKind::Object } else { JsonKind::Array };
        let next = self.tape.nodes.len() as u32;
        let open = self.tape.open.last().copied().ok_or(bad)?;
        let node = self.tape.nodes.get_mut(open as usize).filter(|node| node.kind == wanted).ok_or(bad)?;
        self.at += 1;
        node.end = self.at as u32;
        node.next = next;
        self.tape.open.pop();
        Ok(Expect::CommaOrEnd)
    }

    fn string(&mut self, is_key: bool) -> Result<(), ScanResult> {
        let start = self.at;
        let mut is_escaped = false;
        self.at += 1;
        loop {
            self.at += plain(&self.bytes[self.at..]);
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    is_escaped = true;
                    self.escape()?;
                }
                Some(b'\n' | b'\r') if self.newlines == Newlines::Noticed => {
                    self.raw_newline = true;
                    self.at += 1;
                }
                _ => return Err(self.stopped()),
            }
        }
        self.at += 1;
        self.push(JsonKind::String, start);
        if let Some(node) = self.tape.nodes.last_mut() {
            (node.is_key, node.is_escaped) = (is_key, is_escaped);
        }
        if is_key && self.tape.open.len() == 1 {
            let sign = if is_escaped { 0 } else { sign(&self.bytes[start + 1..self.at - 1]) };
            self.tape.outer.push(OuterMember { sign, at: self.tape.nodes.len() as u32 - 1 });
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), ScanResult> {
        self.at += 1;
        match self.bytes.get(self.at) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let digits = self.bytes[self.at + 1..].iter().take(4);
                let count = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
                self.at += 1 + count;
                if count < 4 {
                    return Err(self.stopped());
                }
            }
            _ => return Err(self.stopped()),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanResult> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err(self.stopped()) }
    }

    fn number(&mut self) -> Result<Expect, ScanResult> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(JsonKind::Number, start);
        Ok(Expect::CommaOrEnd)
    }

    fn word(&mut self, word: &[u8], kind: JsonKind) -> Result<Expect, ScanResult> {
        let start = self.at;
        self.at += self.bytes[start..].iter().zip(word).take_while(|(one, other)| one == other).count();
        if self.at - start < word.len() {
            return Err(self.stopped());
        }
        self.push(kind, start);
        Ok(Expect::CommaOrEnd)
    }
}

/// Counts the bytes before a quote, backslash or control character, sixteen at a time in few instructions.
fn plain(bytes: &[u8]) -> usize {
    const EACH: u128 = u128::MAX / 0xff;
    // The highest bit of a byte tells, for the first byte that ends the text, that it does.
    let is_below = |chunk: u128, limit: u128| chunk.wrapping_sub(EACH * limit) & !chunk;
    let mut whole = 0;
    for sixteen in bytes.as_chunks().0 {
        let chunk = u128::from_le_bytes(*sixteen);
        let (quote, backslash) = (chunk ^ (EACH * 0x22), chunk ^ (EACH * 0x5c));
        let ends = is_below(quote, 1) | is_below(backslash, 1) | is_below(chunk, 0x20);
        match ends & (EACH * 0x80) {
            0 => whole += 16,
            found => return whole + found.trailing_zeros() as usize / 8,
        }
    }
    let ends = |b: u8| (b == b'"') | (b == b'\\') | (b < 0x20);
    whole + bytes[whole..].iter().position(|&b| ends(b)).unwrap_or(bytes.len() - whole)
}

#[cfg(test)]
mod tests;
