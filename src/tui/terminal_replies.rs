//! Strings that a terminal sends as replies to another program (OSC, DCS, APC, PM and SOS of ECMA-48 §5.6).
//! They must not be run as keys.

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CTRL_C: u8 = 0x03;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
/// A longer string is cut off here, so that the keyboard still works.
pub const LONGEST: usize = 4096;

/// True if a string starts here.
pub fn is_start(bytes: &[u8]) -> bool {
    matches!(bytes, [ESC, b']' | b'P' | b'_' | b'^' | b'X', ..])
}

/// Returns how many bytes are left of a string, up to its end; `None` if the end has not arrived. Ctrl-c and
/// another sequence end it, too.
pub fn end(bytes: &[u8]) -> Option<usize> {
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
