//! Makes untrusted text safe to show.
//!
//! Everything in a store is untrusted: an agent may have copied a web page into it. The files on disk are not
//! changed.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The maximum number of combining marks that are shown on one base character.
const MARKS: usize = 8;
const JOINER: char = '\u{200d}';
/// Selects the coloured form of a character that also has a plain one.
const COLOURED: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// Returns the text in a form that may be sent to a terminal, on one line.
///
/// C0 control characters and DEL, with line ends and tabs, become visible pictures. C1 control characters and
/// what is invisible (format and tag characters, bidi controls, line and paragraph separators, fillers,
/// variation selectors, marks without a base) become `‹U+202E›`. Combining marks beyond eight on one base are
/// left out.
///
/// In every terminal the result takes as many columns as its characters take one by one: emoji sequences are
/// shown as their parts, without joiners and colour selectors, and flags as their letters.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut marks = 0;
    let mut chars = text.chars().peekable();
    // The character before, and the last one that is more than a part of an emoji.
    let (mut last, mut base) = (None, None);
    while let Some(c) = chars.next() {
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        match c {
            _ if is_joint(c, last, base, chars.peek().copied()) => marks = 0,
            '\0'..='\u{1f}' => shown.push(picture(0x2400 + c as u32)),
            '\u{7f}' => shown.push('\u{2421}'),
            '\u{1f1e6}'..='\u{1f1ff}' => shown.push(picture(c as u32 - 0x1f1e6 + 'A' as u32)),
            _ if is_unseen(c, last) => name(c, &mut shown),
            _ if marks > MARKS => {}
            _ => shown.push(c),
        }
        if !matches!(c, COLOURED | '\u{1f3fb}'..='\u{1f3ff}') {
            base = Some(c);
        }
        last = Some(c);
    }
    Cow::Owned(told_apart(shown))
}

/// True if the bytes are only printable ASCII. Then each is one character of one column.
pub fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (0x20..0x7f).contains(byte))
}

/// Returns the number of columns of safe text: the sum over its characters. The halfwidth sound marks of
/// katakana take one column each, in terminals and on palimp's screens.
pub fn display_width(text: &str) -> usize {
    if is_plain(text.as_bytes()) {
        return text.len();
    }
    text.chars().map(|c| if matches!(c, '\u{ff9e}' | '\u{ff9f}') { 1 } else { c.width().unwrap_or(0) }).sum()
}

/// Returns the sum of the widths of the characters, by the tables alone.
fn one_by_one(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// True if all terminals give a cluster the same number of columns as palimp. This holds for single
/// characters of old scripts, and for signs whose width was settled long ago.
pub fn is_width_certain(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return cluster.is_empty() };
    is_char_certain(c)
}

/// True if the same holds for a character. None of these joins another one.
fn is_char_certain(c: char) -> bool {
    match c as u32 {
        0x20..=0x7e => true,
        0xa0..=0x2ff
        | 0x370..=0x482
        | 0x48a..=0x52f
        | 0x2010..=0x205e
        | 0x2070..=0x20cf
        | 0x2100..=0x2bff => c.width() == Some(1),
        0x3001..=0x3029
        | 0x3041..=0x3096
        | 0x309b..=0x30ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xac00..=0xd7a3
        | 0xff01..=0xff60 => c.width() == Some(2),
        0xff61..=0xff9d => true,
        _ => false,
    }
}

fn name(c: char, shown: &mut String) {
    shown.push_str(&format!("‹U+{:04X}›", c as u32));
}

/// Splits clusters that are wider or narrower than their characters one by one, because terminals disagree
/// about them: names all but their first characters.
fn told_apart(shown: String) -> String {
    if shown.chars().all(is_char_certain) || shown.width() == one_by_one(&shown) {
        return shown;
    }
    let mut apart = String::with_capacity(shown.len());
    for cluster in shown.graphemes(true) {
        if cluster.width() == one_by_one(cluster) {
            apart.push_str(cluster);
            continue;
        }
        let mut chars = cluster.chars();
        apart.extend(chars.next());
        chars.for_each(|c| name(c, &mut apart));
    }
    apart
}

/// Returns the lines of a text, safe for a terminal: tabs become spaces, the rest goes through [`sanitize`].
pub fn sanitize_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split('\n')
        .map(|line| sanitize(&line.strip_suffix('\r').unwrap_or(line).replace('\t', "    ")).into_owned())
}

fn picture(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// True if a character only joins, colours or tones the emoji before it, or makes a key of it.
fn is_joint(c: char, last: Option<char>, base: Option<char>, next: Option<char>) -> bool {
    let on_emoji = base.is_some_and(is_pictograph);
    match c {
        JOINER => on_emoji && next.is_some_and(is_pictograph),
        COLOURED => last == base && (on_emoji || next == Some(KEYCAP)),
        KEYCAP => last == Some(COLOURED),
        '\u{1f3fb}'..='\u{1f3ff}' => on_emoji,
        _ => false,
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c as u32, 0xa9 | 0xae | 0x203c | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x2bff | 0x3030 | 0x303d
        | 0x3297 | 0x3299 | 0x1f000..=0x1f1e5 | 0x1f200..=0x1faff)
}

/// True if nothing is seen of a character: terminals ignore it, or it has no column and no base before it.
fn is_unseen(c: char, last: Option<char>) -> bool {
    if is_ignorable(c) || ('\u{80}'..='\u{9f}').contains(&c) {
        return true;
    }
    let has_base = last.is_some_and(|last| !last.is_control() && !is_ignorable(last));
    // Vowels and ends of Hangul syllables that are written letter by letter.
    let hangul = matches!(c as u32, 0x1160..=0x11ff | 0xd7b0..=0xd7fb);
    let on_hangul =
        last.is_some_and(|last| matches!(last as u32, 0x1100..=0x11ff | 0xa960..=0xa97c | 0xac00..=0xd7fb));
    c.width() == Some(0) && !(is_combining_mark(c) && has_base || hangul && on_hangul && has_base)
}

/// True for general category Cf of Unicode 16, the line and paragraph separators, unassigned tag characters,
/// interlinear and musical format controls, and everything else that is ignored by default: fillers,
/// variation selectors, the joiner of graphemes, inherent vowels of Khmer.
fn is_ignorable(c: char) -> bool {
    matches!(c as u32,
        0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x115f..=0x1160
        | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164
        | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0x110bd | 0x110cd | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_pictures() {
        assert_eq!(sanitize("a\x1b[31mb\x07\r\n\tc\x7f"), "a␛[31mb␇␍␊␉c␡");
        assert_eq!(sanitize("\u{9b}31m"), "‹U+009B›31m");
    }

    #[test]
    fn bidi_tag_and_separator_characters_are_named() {
        assert_eq!(sanitize("a\u{202e}b\u{e0041}\u{2028}"), "a‹U+202E›b‹U+E0041›‹U+2028›");
        assert_eq!(sanitize("\u{200d}x\u{feff}"), "‹U+200D›x‹U+FEFF›");
    }

    #[test]
    fn plain_and_foreign_text_stays_as_it_is() {
        for text in
            "plain|接続プール|naïve e\u{301}|한국어 \u{1112}\u{1161}\u{11ab}|हिन्दी|لا|🦀 ok ✓".split('|')
        {
            assert_eq!(sanitize(text), text);
        }
    }

    #[test]
    fn emoji_sequences_are_shown_as_their_parts_and_flags_as_letters() {
        for (text, shown) in [
            ("👨\u{200d}👩\u{200d}👧\u{200d}👦!", "👨👩👧👦!"),
            ("🏳\u{fe0f}\u{200d}🌈", "🏳🌈"),
            ("❤\u{fe0f}\u{200d}🔥 ❤\u{fe0f}", "❤🔥 ❤"),
            ("👍🏽 👩🏽\u{200d}💻", "👍 👩💻"),
            ("1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}", "1 #"),
            ("🇩🇪🇫🇷 🇩", "DEFR D"),
            ("🏽", "🏽"),
        ] {
            assert_eq!(sanitize(text), shown);
        }
    }

    #[test]
    fn what_is_not_seen_is_named() {
        let unseen = "\u{fe00}\u{fe0e}\u{fe0f}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{34f}\u{180b}\
            \u{e0100}\u{200d}\u{200c}\u{ad}\u{17b4}\u{2064}";
        for c in unseen.chars() {
            let named = format!("‹U+{:04X}›", c as u32);
            assert_eq!(sanitize(&format!("a{c}b")), format!("a{named}b"));
            assert_eq!(sanitize(&c.to_string()), named);
        }
        assert_eq!(sanitize("\u{301}a"), "‹U+0301›a");
        assert_eq!(sanitize("x\u{1161}"), "x‹U+1161›");
    }

    /// Tests every character, alone and after others. The short form takes some of the rare ones.
    #[test]
    fn nothing_is_shown_that_is_not_seen_or_whose_columns_are_in_doubt() {
        let is_long = crate::tries::is_long();
        let is_taken = |code: &u32| is_long || *code < 0x2100 || code.is_multiple_of(41);
        for c in (0..=0x10ffff).filter(is_taken).filter_map(char::from_u32) {
            for text in [c.to_string(), format!("a{c}"), format!("🦀{c}1")] {
                let shown = sanitize(&text);
                assert!(display_width(&shown) > 0, "{:x}", c as u32);
                assert!(!shown.chars().any(|c| is_ignorable(c) || c.is_control()), "{:x}", c as u32);
                for cluster in shown.graphemes(true) {
                    assert_eq!(cluster.width(), one_by_one(cluster), "{:x}: {shown}", c as u32);
                }
            }
        }
    }

    /// Pairs are enough, because only neighbours could join.
    #[test]
    fn characters_of_certain_width_have_their_own_columns_beside_each_other_too() {
        let certain: Vec<char> =
            (0..=0xffff).filter_map(char::from_u32).filter(|c| is_char_certain(*c)).collect();
        assert!(certain.len() > 30_000);
        let step = crate::tries::count(997, 31);
        for (number, first) in certain.iter().enumerate() {
            for second in certain.iter().skip(number % step).step_by(step) {
                let text = [*first, *second].iter().collect::<String>();
                assert_eq!(text.width(), one_by_one(&text), "{text}");
            }
        }
    }

    #[test]
    fn at_most_eight_marks_are_on_a_base() {
        let stacked = format!("a{}", "\u{301}".repeat(50));
        assert_eq!(sanitize(&stacked).chars().count(), 9);
    }
}
