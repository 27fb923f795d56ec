//! The same screen in ASCII: our own signs and bars; the text of memories stays as it is.

use ratatui::buffer::Buffer;

/// Our signs, and the ASCII character for each.
const SIGNS: [(char, char); 54] = [
    ('│', '|'),
    ('─', '-'),
    ('▶', '>'),
    ('›', '>'),
    ('●', '*'),
    ('◉', '@'),
    ('○', 'o'),
    ('✖', 'x'),
    ('⚠', 'w'),
    ('★', 'p'),
    ('…', '~'),
    ('▸', '>'),
    ('▾', 'v'),
    ('→', '>'),
    ('←', '<'),
    ('×', 'x'),
    ('·', '.'),
    ('−', '-'),
    ('◌', 'o'),
    ('◷', 't'),
    ('◔', '%'),
    ('▪', '#'),
    ('↵', '<'),
    ('▏', '|'),
    ('✓', 'v'),
    ('↶', '<'),
    ('↷', '>'),
    ('✗', 'x'),
    ('–', '-'),
    ('↑', '^'),
    ('↓', 'v'),
    ('█', '='),
    ('▉', '='),
    ('▊', '='),
    ('▋', '.'),
    ('▌', '.'),
    ('▍', '.'),
    ('▎', '.'),
    ('░', ':'),
    ('▒', '+'),
    ('▁', '.'),
    ('▂', ':'),
    ('▃', '-'),
    ('▄', '='),
    ('▅', '+'),
    ('▆', '*'),
    ('▇', '#'),
    ('•', '*'),
    ('⊘', '/'),
    ('—', '-'),
    ('‹', '<'),
    ('⏎', '<'),
    ('┆', '|'),
    ('�', '?'),
];

/// Replaces them in a frame that was drawn.
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
    // Stand for control characters.
    if ('\u{2400}'..='\u{2421}').contains(&own) {
        return Some('?');
    }
    // The mark of the focused pane comes before its title; the end of a bar before a blank.
    let next =
        buffer.content().get(at + 1).filter(|_| !(at + 1).is_multiple_of(width)).map(|cell| cell.symbol());
    if own == '▌' && next.is_some_and(|next| next.chars().all(char::is_alphanumeric)) {
        return Some('|');
    }
    SIGNS.iter().find(|(sign, _)| *sign == own).map(|(_, ascii)| *ascii)
}
