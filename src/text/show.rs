//! The one function that makes untrusted text safe to show.
//!
//! Everything in a store is untrusted: an agent may have copied a web page into it.
//! On disk nothing is altered by being shown.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

/// At most so many combining marks are shown on one base character.
const MARKS: usize = 8;

/// The text as it may be sent to a terminal, on one line.
///
/// Control characters (C0, DEL, C1, line ends and tabs among them) become visible
/// pictures; format characters (category Cf, tag characters, line and paragraph
/// separators, bidi controls) become `‹U+202E›`; combining marks beyond eight on one
/// base are left out. A zero-width joiner between two emoji stays.
pub fn show(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut marks = 0;
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        match c {
            _ if marks > MARKS => {}
            '\u{200d}' if joins(last, chars.peek().copied()) => shown.push(c),
            '\0'..='\u{1f}' => shown.push(picture(0x2400 + c as u32)),
            '\u{7f}' => shown.push('\u{2421}'),
            _ if is_format(c) || ('\u{80}'..='\u{9f}').contains(&c) => {
                shown.push_str(&format!("‹U+{:04X}›", c as u32));
            }
            _ => shown.push(c),
        }
        last = c;
    }
    Cow::Owned(shown)
}

/// The text as lines that may each be sent to a terminal: its line ends end lines,
/// tabs become spaces, everything else goes through [`show`].
pub fn show_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split('\n')
        .map(|line| show(&line.strip_suffix('\r').unwrap_or(line).replace('\t', "    ")).into_owned())
}

fn picture(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// A joiner is part of an emoji sequence between two pictographs (a variation selector
/// or skin tone may end the first).
fn joins(before: char, after: Option<char>) -> bool {
    let pictograph = |c: char| matches!(c as u32, 0x2190..=0x2bff | 0x1f000..=0x1faff);
    (pictograph(before) || before == '\u{fe0f}') && after.is_some_and(pictograph)
}

/// General category Cf of Unicode 16, the line and paragraph separators, unassigned
/// tag characters, and interlinear and musical format controls.
fn is_format(c: char) -> bool {
    matches!(c as u32,
        0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x180e
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff0..=0xfffb
        | 0x110bd | 0x110cd | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_pictures() {
        assert_eq!(show("a\x1b[31mb\x07\r\n\tc\x7f"), "a␛[31mb␇␍␊␉c␡");
        assert_eq!(show("\u{9b}31m"), "‹U+009B›31m");
    }

    #[test]
    fn bidi_tag_and_separator_characters_are_named() {
        assert_eq!(show("a\u{202e}b\u{e0041}\u{2028}"), "a‹U+202E›b‹U+E0041›‹U+2028›");
        assert_eq!(show("\u{200d}x\u{feff}"), "‹U+200D›x‹U+FEFF›");
    }

    #[test]
    fn plain_and_foreign_text_stays_as_it_is() {
        for text in ["plain", "接続プール", "naïve e\u{301}", "👩‍💻 ok", "❤️‍🔥"] {
            assert_eq!(show(text), text);
        }
    }

    #[test]
    fn at_most_eight_marks_stand_on_a_base() {
        let stacked = format!("a{}", "\u{301}".repeat(50));
        assert_eq!(show(&stacked).chars().count(), 9);
    }
}
