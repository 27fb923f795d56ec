//! Repairs notes whose bytes are not UTF-8 text: they have another encoding or NULs, or are empty. A note
//! that can't be read at all goes to quarantine.

use super::RepairContext;
use super::fix::{FixAction, ProblemFix};
use super::json_syntax::{RespelledLine, replaced, western, without_nuls};
use super::line_damage::piece;
use crate::model::{Change, Code, Document, Problem, Role};

pub(super) fn read_otherwise(content: &[u8], code: Code) -> Vec<RespelledLine> {
    match code {
        Code::InvalidUtf8 => {
            [wide(content), western(content), replaced(content)].into_iter().flatten().collect()
        }
        Code::NulBytes => [wide(content), without_nuls(content)].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// Reads UTF-16 in either byte order. It has a byte order mark, or a NUL beside most letters.
fn wide(content: &[u8]) -> Option<RespelledLine> {
    let (pairs, rest) = content.as_chunks::<2>();
    let nuls = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
    let is_most = |at: usize| nuls(at) * 4 > pairs.len() * 3 && nuls(1 - at) == 0;
    let of: fn([u8; 2]) -> u16 = match content {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ if is_most(1) => u16::from_le_bytes,
        _ if is_most(0) => u16::from_be_bytes,
        _ => return None,
    };
    let text: String =
        char::decode_utf16(pairs.iter().map(|pair| of(*pair))).collect::<Result<_, _>>().ok()?;
    let text = text.trim_start_matches('\u{feff}');
    let is_text = rest.is_empty() && !text.contains('\0');
    is_text.then(|| RespelledLine {
        title: "read it as UTF-16",
        reason: "With this encoding, all of it is text.",
        confidence: 90,
        bytes: text.as_bytes().to_vec(),
        out: Vec::new(),
    })
}

impl RepairContext<'_> {
    /// Returns the fix of a note that can't be read at all: its bytes go to quarantine.
    pub(super) fn of_nothing(
        &self,
        document: &Document,
        problem: &Problem,
        all: &[u8],
    ) -> Option<ProblemFix> {
        let record = document.records.get(problem.record? as usize)?;
        let is_note =
            document.role == Role::Records && document.path.extension().is_some_and(|end| end == "md");
        if !is_note || record.memory().is_some() {
            return None;
        }
        let (title, out) = match all {
            [] => ("remove the empty file", Vec::new()),
            _ => ("move the file to quarantine", vec![piece(document, problem, (0, all.to_vec()))]),
        };
        let reason = match all.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            true => "Its text is lost, unless a backup has it.",
            false => "Its bytes are kept there as they are: `palimp quarantine restore` brings them back.",
        };
        let act = FixAction::Files(vec![Change::remove(&document.path, document.bytes.clone())], out);
        Some(ProblemFix { title: title.into(), reason: reason.into(), confidence: 10, is_safe: false, act })
    }
}
