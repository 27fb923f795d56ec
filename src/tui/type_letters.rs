//! A letter for each type of memory. The filters list the letters.

use crate::tui::state::app::App;

/// Types with a fixed letter.
const LETTERS: [(&str, char); 15] = [
    ("decision", 'D'),
    ("finding", 'F'),
    ("preference", 'P'),
    ("conversation", 'M'),
    ("core", 'C'),
    ("learning", 'L'),
    ("task", 'T'),
    ("tool_run", 'R'),
    ("imported_session", 'I'),
    ("checkpoint", 'K'),
    ("bundle", 'B'),
    ("event", 'E'),
    ("note", 'N'),
    ("profile", 'O'),
    ("query", 'Q'),
];

/// Returns the letter of a type: `?` for a broken memory. A type without a fixed letter gets the first of its
/// own letters that no other type has. Untrusted text.
pub fn letter(app: &App, kind: &str) -> char {
    if kind.is_empty() {
        return '?';
    }
    app.type_letters.get(kind).copied().unwrap_or_else(|| known(kind).unwrap_or('·'))
}

fn known(kind: &str) -> Option<char> {
    LETTERS.iter().find(|(known, _)| *known == kind).map(|(_, letter)| *letter)
}

pub fn give_letters(app: &mut App) {
    let mut kinds: Vec<&str> =
        app.tallies.iter().flat_map(|tally| tally.all_kinds.iter()).map(|kind| &**kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut letters = std::collections::HashMap::new();
    let mut taken: Vec<char> = LETTERS.iter().map(|(_, letter)| *letter).collect();
    for kind in kinds {
        let free = kind.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_uppercase());
        let letter = known(kind).or_else(|| {
            let own = free.chain('A'..='Z').chain('a'..='z').find(|c| !taken.contains(c));
            taken.extend(own);
            own
        });
        letters.insert(kind.to_owned(), letter.unwrap_or('·'));
    }
    app.type_letters = letters;
}
