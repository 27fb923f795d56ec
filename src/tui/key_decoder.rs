//! Decodes the bytes of a terminal to keys and pastes.
//!
//! It knows what terminals send by default: letters, control keys, `CSI u`, bracketed pastes, and the
//! sequences of xterm, the Linux console and rxvt for special keys with their modifiers. It skips unknown
//! sequences completely, so that their last bytes are not taken for keys, and strings
//! that a terminal sends as replies to another program (OSC, DCS, APC, PM and SOS of ECMA-48 §5.6): they must not be run as
//! keys.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";
const CTRL_C: u8 = 3;
/// A longer sequence is invalid, and its bytes are skipped.
const LONGEST: usize = 64;

/// Decodes bytes that arrive in pieces of any size.
#[derive(Default)]
pub struct KeyDecoder {
    /// The start of an incomplete sequence.
    rest: Vec<u8>,
    /// The text of a paste whose end has not arrived.
    paste: Option<Vec<u8>>,
    /// True if the current paste has paused.
    paused: bool,
    /// True if a terminal reply has paused. Its end may still arrive.
    cut: bool,
}

/// What some bytes start with, and its length in bytes.
enum DecodeStep {
    Event(Event, usize),
    Skip(usize),
    PasteStart(usize),
    /// More bytes are needed to decide.
    Wait,
}

impl KeyDecoder {
    pub fn take(&mut self, bytes: &[u8], tell: &mut impl FnMut(Event)) {
        let is_cut = std::mem::take(&mut self.cut);
        let rest = reply_end(bytes).filter(|end| is_cut && *end <= LONGEST_REPLY);
        let bytes = bytes.get(rest.unwrap_or(0)..).unwrap_or_default();
        if self.paused && bytes.first() == Some(&CTRL_C) {
            // If the end of a paste never comes, Ctrl-c must still work.
            self.paste = None;
        }
        self.paused = false;
        if self.has_esc() && bytes.first().is_some_and(|own| !may_follow(*own)) {
            // A terminal sends a letter with Alt in one piece. A letter that comes later is a separate key.
            self.rest.clear();
            tell(key(KeyCode::Esc, KeyModifiers::NONE));
        }
        if self.rest.is_empty() && self.paste.is_none() {
            let used = self.decode(bytes, tell);
            self.rest.extend_from_slice(bytes.get(used..).unwrap_or_default());
            return;
        }
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let used = self.decode(&rest, tell);
        self.rest = rest;
        self.rest.drain(..used);
    }

    /// True if the last bytes may be the start of something longer.
    pub fn is_waiting(&self) -> bool {
        !self.rest.is_empty() || (self.paste.is_some() && !self.paused)
    }

    /// True if the last byte is an Esc and nothing has followed yet.
    pub fn has_esc(&self) -> bool {
        self.paste.is_none() && self.rest == [ESC]
    }

    /// Ends waiting after a pause: Esc is a key, and the text pasted so far is an event.
    pub fn pause(&mut self, tell: &mut impl FnMut(Event)) {
        if let Some(text) = &mut self.paste {
            text.append(&mut self.rest);
            if !text.is_empty() {
                tell(Event::Paste(String::from_utf8_lossy(text).into_owned()));
                text.clear();
            }
            self.paused = true;
            return;
        }
        let rest = std::mem::take(&mut self.rest);
        match rest.as_slice() {
            [ESC] => tell(key(KeyCode::Esc, KeyModifiers::NONE)),
            [ESC, c @ (b'[' | b'O')] => tell(key(KeyCode::Char((*c).into()), KeyModifiers::ALT)),
            [ESC, c] if is_reply(&rest) => tell(of_char((*c).into(), KeyModifiers::ALT)),
            _ => self.cut = is_reply(&rest),
        }
    }

    /// Decodes complete sequences. Returns the number of bytes used.
    fn decode(&mut self, bytes: &[u8], tell: &mut impl FnMut(Event)) -> usize {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            if let Some(text) = &mut self.paste {
                let end = memchr::memmem::find(rest, PASTE_END);
                let text_end = end.unwrap_or_else(|| rest.len() - start_of_end(rest));
                text.extend_from_slice(&rest[..text_end]);
                used += text_end;
                if end.is_none() {
                    break;
                }
                used += PASTE_END.len();
                let text = self.paste.take().unwrap_or_default();
                tell(Event::Paste(String::from_utf8_lossy(&text).into_owned()));
                continue;
            }
            match step(rest) {
                DecodeStep::Event(event, len) => {
                    tell(event);
                    used += len;
                }
                DecodeStep::Skip(len) => used += len,
                DecodeStep::PasteStart(len) => {
                    self.paste = Some(Vec::new());
                    used += len;
                }
                DecodeStep::Wait => break,
            }
        }
        used
    }
}

/// True if a byte after an Esc may belong to it, even if it came later.
fn may_follow(byte: u8) -> bool {
    matches!(byte, b'[' | b'O') || is_reply(&[ESC, byte])
}

/// Returns how many bytes at the end of a paste may be the start of the end sequence.
fn start_of_end(bytes: &[u8]) -> usize {
    let longest = (PASTE_END.len() - 1).min(bytes.len());
    (1..=longest).rev().find(|len| bytes.ends_with(&PASTE_END[..*len])).unwrap_or(0)
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn step(bytes: &[u8]) -> DecodeStep {
    match bytes {
        [ESC] => DecodeStep::Wait,
        [ESC, ESC, ..] => DecodeStep::Event(key(KeyCode::Esc, KeyModifiers::NONE), 1),
        [ESC, b'[', ..] => control_sequence(bytes),
        [ESC, _, rest @ ..] if is_reply(bytes) => match reply_end(rest) {
            Some(end) => DecodeStep::Skip(2 + end),
            None if rest.len() > LONGEST_REPLY => DecodeStep::Skip(bytes.len()),
            None => DecodeStep::Wait,
        },
        [ESC, b'O', ..] => shifted_key(bytes),
        [ESC, rest @ ..] => match plain(rest, KeyModifiers::ALT) {
            DecodeStep::Event(event, len) => DecodeStep::Event(event, len + 1),
            DecodeStep::Skip(len) => DecodeStep::Skip(len + 1),
            other => other,
        },
        _ => plain(bytes, KeyModifiers::NONE),
    }
}

fn plain(bytes: &[u8], held: KeyModifiers) -> DecodeStep {
    let Some(&first) = bytes.first() else { return DecodeStep::Wait };
    let one = |code, modifiers| DecodeStep::Event(key(code, modifiers | held), 1);
    match first {
        b'\r' => one(KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => one(KeyCode::Tab, KeyModifiers::NONE),
        0x7f => one(KeyCode::Backspace, KeyModifiers::NONE),
        0 => one(KeyCode::Char(' '), KeyModifiers::CONTROL),
        1..=0x1a => one(KeyCode::Char((first - 1 + b'a').into()), KeyModifiers::CONTROL),
        0x1c..=0x1f => one(KeyCode::Char((first - 0x1c + b'4').into()), KeyModifiers::CONTROL),
        _ => letter(bytes, held),
    }
}

fn letter(bytes: &[u8], held: KeyModifiers) -> DecodeStep {
    let longest = bytes.get(..4).unwrap_or(bytes);
    let valid = match std::str::from_utf8(longest) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&longest[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => return error.error_len().map_or(DecodeStep::Wait, DecodeStep::Skip),
    };
    match valid.chars().next() {
        Some(c) => DecodeStep::Event(of_char(c, held), c.len_utf8()),
        None => DecodeStep::Wait,
    }
}

fn of_char(c: char, held: KeyModifiers) -> Event {
    let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    key(KeyCode::Char(c), held | shift)
}

/// Decodes `ESC O` and a letter: arrows and function keys of some modes.
fn shifted_key(bytes: &[u8]) -> DecodeStep {
    match bytes.get(2) {
        None => DecodeStep::Wait,
        Some(b'M') => DecodeStep::Event(key(KeyCode::Enter, KeyModifiers::NONE), 3),
        Some(&last @ 0x40..=0x7e) => of_code(named(last), KeyModifiers::NONE, 3),
        // The next byte does not belong to it.
        Some(_) => DecodeStep::Event(key(KeyCode::Char('O'), KeyModifiers::ALT), 2),
    }
}

fn of_code(code: Option<KeyCode>, modifiers: KeyModifiers, len: usize) -> DecodeStep {
    match code {
        Some(KeyCode::Char(c)) => DecodeStep::Event(of_char(c, modifiers), len),
        Some(KeyCode::Tab) if modifiers.contains(KeyModifiers::SHIFT) => {
            DecodeStep::Event(key(KeyCode::BackTab, modifiers), len)
        }
        Some(KeyCode::BackTab) => {
            DecodeStep::Event(key(KeyCode::BackTab, modifiers | KeyModifiers::SHIFT), len)
        }
        Some(code) => DecodeStep::Event(key(code, modifiers), len),
        None => DecodeStep::Skip(len),
    }
}

/// Decodes `ESC [`, parameters, and a last byte that gives the meaning.
fn control_sequence(bytes: &[u8]) -> DecodeStep {
    // The Linux console's F1 to F5.
    if bytes.get(2) == Some(&b'[') {
        return match bytes.get(3) {
            None => DecodeStep::Wait,
            Some(&last @ b'A'..=b'E') => of_code(Some(KeyCode::F(last - b'A' + 1)), KeyModifiers::NONE, 4),
            Some(_) => DecodeStep::Skip(3),
        };
    }
    let body = bytes.get(2..).unwrap_or_default();
    let Some(end) = body.iter().position(|byte| !matches!(byte, 0x20..=0x3f)) else {
        return if body.len() > LONGEST { DecodeStep::Skip(bytes.len()) } else { DecodeStep::Wait };
    };
    let (last, len) = (body[end], end + 3);
    if !matches!(last, 0x40..=0x7e) {
        // The sequence is incomplete. The next byte is a separate key.
        return DecodeStep::Skip(len - 1);
    }
    let Ok(parameters) = std::str::from_utf8(&body[..end]) else { return DecodeStep::Skip(len) };
    if parameters.is_empty() && last == b'M' {
        // The oldest mouse protocol: three more bytes, which are not keys.
        return if body.len() < 4 { DecodeStep::Wait } else { DecodeStep::Skip(6) };
    }
    match (parameters, last) {
        (_, b'M' | b'm') if parameters.starts_with('<') => match mouse(&parameters[1..], last == b'M') {
            Some(event) => DecodeStep::Event(event, len),
            None => DecodeStep::Skip(len),
        },
        ("200", b'~') => DecodeStep::PasteStart(len),
        // Replies to queries.
        _ if parameters.starts_with(['<', '=', '>', '?']) => DecodeStep::Skip(len),
        _ => of_parameters(parameters, last, len),
    }
}

/// Decodes a click or the wheel: the button with its modifiers, the column and the row,
/// from 1. Returns `None` with a modifier key: the terminal itself uses those events.
fn mouse(parameters: &str, is_down: bool) -> Option<Event> {
    let mut parts = parameters.split(';').map(number);
    let (button, column, row) = (parts.next()??, parts.next()??, parts.next()??);
    let kind = match button {
        0 if is_down => MouseEventKind::Down(MouseButton::Left),
        64 => MouseEventKind::ScrollUp,
        65 => MouseEventKind::ScrollDown,
        _ => return None,
    };
    let place = |from_one: u32| u16::try_from(from_one.checked_sub(1)?).ok();
    let (column, row) = (place(column)?, place(row)?);
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

fn of_parameters(parameters: &str, last: u8, len: usize) -> DecodeStep {
    let mut parts = parameters.split(';');
    // `key:shifted:base`, and `modifiers:event type`.
    let first = parts.next().unwrap_or_default().split(':').next().and_then(number);
    let mut second = parts.next().unwrap_or_default().split(':');
    let (held, happened) = (second.next().and_then(number), second.next().and_then(number));
    const RELEASED: u32 = 3;
    if happened == Some(RELEASED) {
        return DecodeStep::Skip(len);
    }
    let held = modifiers(held.unwrap_or(1));
    match last {
        b'u' => of_code(first.and_then(of_codepoint), held, len),
        b'~' if first == Some(27) => {
            let code = parts.next().and_then(number).and_then(of_codepoint);
            of_code(code, held, len)
        }
        b'~' => of_code(first.and_then(numbered), held, len),
        b'^' => of_code(first.and_then(numbered), KeyModifiers::CONTROL, len),
        b'$' => of_code(first.and_then(numbered), KeyModifiers::SHIFT, len),
        // `CSI 12 ; 5 R` is a cursor position report that palimp never asks for.
        b'R' if first != Some(1) => DecodeStep::Skip(len),
        _ if matches!(first, None | Some(1)) => of_code(named(last), held, len),
        _ => DecodeStep::Skip(len),
    }
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}

fn modifiers(sent: u32) -> KeyModifiers {
    let bits = sent.saturating_sub(1);
    let of = |bit: u32, modifier| if bits & bit == 0 { KeyModifiers::NONE } else { modifier };
    of(1, KeyModifiers::SHIFT)
        | of(2, KeyModifiers::ALT)
        | of(4, KeyModifiers::CONTROL)
        | of(8, KeyModifiers::SUPER)
        | of(16, KeyModifiers::HYPER)
        | of(32, KeyModifiers::META)
}

fn named(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' | b'a' => KeyCode::Up,
        b'B' | b'b' => KeyCode::Down,
        b'C' | b'c' => KeyCode::Right,
        b'D' | b'd' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        b'Z' => KeyCode::BackTab,
        _ => return None,
    })
}

fn numbered(number: u32) -> Option<KeyCode> {
    let number = u8::try_from(number).ok()?;
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number - 10),
        17..=21 => KeyCode::F(number - 11),
        23..=26 => KeyCode::F(number - 12),
        28 | 29 => KeyCode::F(number - 15),
        31..=34 => KeyCode::F(number - 17),
        _ => return None,
    })
}

fn of_codepoint(code: u32) -> Option<KeyCode> {
    Some(match char::from_u32(code)? {
        '\u{1b}' => KeyCode::Esc,
        '\r' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{7f}' => KeyCode::Backspace,
        // Keys that have a number but no letter.
        '\u{e000}'..='\u{f8ff}' => return None,
        c if c.is_control() => return None,
        c => KeyCode::Char(c),
    })
}

const BEL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
/// A longer string is cut off here, so that the keyboard still works.
const LONGEST_REPLY: usize = 4096;

/// True if such a reply starts here.
fn is_reply(bytes: &[u8]) -> bool {
    matches!(bytes, [ESC, b']' | b'P' | b'_' | b'^' | b'X', ..])
}

/// Returns how many bytes are left of a string, up to its end; `None` if the end has not arrived. Ctrl-c and
/// another sequence end it, too.
fn reply_end(bytes: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| matches!(*byte, BEL | CANCEL | SUBSTITUTE | ESC | CTRL_C);
    let at = bytes.iter().position(is_end)?;
    match (bytes[at], bytes.get(at + 1)) {
        (CTRL_C, _) => Some(at),
        (ESC, None) => None,
        (ESC, Some(b'\\')) => Some(at + 2),
        (ESC, Some(_)) => Some(at),
        _ => Some(at + 1),
    }
}

#[cfg(test)]
mod tests;
