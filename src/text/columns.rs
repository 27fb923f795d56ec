//! Safe text in columns of a terminal: cut, padded, wrapped.

use unicode_segmentation::UnicodeSegmentation;

use super::safe_text::{display_width, is_plain};

/// Returns a size as people write it: `1.5 kB`.
pub fn human_size(bytes: u64) -> String {
    let one = |unit: u64, name: &str| {
        let size = bytes as f64 / unit as f64;
        if size < 10.0 { format!("{size:.1} {name}") } else { format!("{size:.0} {name}") }
    };
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => one(1_024, "kB"),
        1_048_576..1_073_741_824 => one(1_048_576, "MB"),
        _ => one(1_073_741_824, "GB"),
    }
}

/// Returns the start of a text that fits in `width` columns, with `…` at the end if it is cut.
pub fn fit(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    format!("{}…", start(text, room))
}

/// Returns the start of a text that fits in `room` columns. Graphemes are not cut.
fn start(text: &str, room: usize) -> &str {
    // No ASCII character joins another one, so graphemes are not needed. This is faster.
    if is_plain(text.as_bytes().get(..=room).unwrap_or_default()) && text.len() > room {
        return text.get(..room).unwrap_or_default();
    }
    let mut used = 0;
    let fits = |(_, grapheme): &(usize, &str)| {
        used += display_width(grapheme);
        used <= room
    };
    let end = text.grapheme_indices(true).take_while(fits).last();
    let end = end.map_or(0, |(at, grapheme)| at + grapheme.len());
    text.get(..end).unwrap_or_default()
}

/// Cuts or pads `text` to exactly `width` columns.
pub fn column(text: &str, width: usize) -> String {
    let fitted = fit(text, width);
    let missing = width.saturating_sub(display_width(&fitted));
    fitted + &" ".repeat(missing)
}

/// Breaks safe text into lines of at most `width` columns, at spaces if possible.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let wide = display_width(word.trim_end());
        if used > 0 && used + wide > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if wide <= width {
            line.push_str(word);
            used += display_width(word);
            continue;
        }
        for grapheme in word.graphemes(true) {
            let wide = display_width(grapheme);
            while used > 0 && used + wide > width {
                // A path breaks after a `/`.
                let rest = line.rfind('/').map(|at| line.split_off(at + 1)).unwrap_or_default();
                let whole = std::mem::replace(&mut line, rest);
                used = display_width(&line);
                lines.push(whole);
            }
            line.push_str(grapheme);
            used += wide;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_what_belongs_together() {
        for (text, width, shown) in [
            ("abcdef", 6, "abcdef"),
            ("abcdef", 5, "abcd…"),
            ("abcdef", 1, "…"),
            ("abcdef", 0, ""),
            ("abcde\u{301}f", 5, "abcd…"),
            ("abcde\u{301}fg", 6, "abcde\u{301}…"),
            ("ab日本", 5, "ab日…"),
            ("ab日本", 4, "ab…"),
        ] {
            assert_eq!(fit(text, width), shown, "{text} {width}");
        }
        assert_eq!(wrap("in /receipts/000002.json", 12), ["in ", "/receipts/", "000002.json"]);
        assert_eq!(wrap("a/longest", 4), ["a/", "long", "est"]);
    }
}
