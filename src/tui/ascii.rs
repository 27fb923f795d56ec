//! The same screen in ASCII: palimp's signs and bars are replaced. Texts of memories stay as they are.

use ratatui::buffer::Buffer;

/// The signs that a character of ASCII replaces, each with that character.
const SIGNS: [(&str, char); 23] = [
    ("│▏┆", '|'),
    ("─−–▃—", '-'),
    ("▶›▸→↷", '>'),
    ("●▆•", '*'),
    ("◉", '@'),
    ("○◌", 'o'),
    ("✖×✗", 'x'),
    ("⚠", 'w'),
    ("★", 'p'),
    ("∅", 'u'),
    ("…", '~'),
    ("▾✓↓", 'v'),
    ("←↵↶‹⏎", '<'),
    ("·▋▌▍▎▁", '.'),
    ("◷", 't'),
    ("◔", '%'),
    ("▪▇", '#'),
    ("↑", '^'),
    ("█▉▊▄", '='),
    ("░▂", ':'),
    ("▒▅", '+'),
    ("⊘", '/'),
    ("�", '?'),
];

pub fn replace(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width.max(1));
    let cells: Vec<(usize, char)> = buffer
        .content()
        .iter()
        .enumerate()
        .filter_map(|(at, cell)| Some((at, stands_for(buffer, at, cell.symbol(), width)?)))
        .collect();
    for (at, sign) in cells {
        buffer.content[at].set_char(sign);
    }
}

fn stands_for(buffer: &Buffer, at: usize, symbol: &str, width: usize) -> Option<char> {
    let mut chars = symbol.chars();
    let (Some(own), None) = (chars.next(), chars.next()) else { return None };
    if ('\u{2800}'..='\u{28ff}').contains(&own) {
        return Some(if own == '\u{2800}' { ' ' } else { '.' });
    }
    // Pictures of control characters.
    if ('\u{2400}'..='\u{2421}').contains(&own) {
        return Some('?');
    }
    // `▌` before a title marks the focused pane. `▌` before a space is the end of a bar.
    let next =
        buffer.content().get(at + 1).filter(|_| !(at + 1).is_multiple_of(width)).map(|cell| cell.symbol());
    if own == '▌' && next.is_some_and(|next| next.chars().all(char::is_alphanumeric)) {
        return Some('|');
    }
    SIGNS.iter().find(|(signs, _)| signs.contains(own)).map(|(_, ascii)| *ascii)
}
