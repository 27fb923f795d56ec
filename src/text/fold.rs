//! Folds text for comparison: removes case and accents.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Appends `text` in lower case and without accents to `folded`.
pub fn fold_into(text: &str, folded: &mut String) {
    if text.is_ascii() {
        folded.extend(text.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ß' | 'ẞ' => folded.push_str("ss"),
            'æ' | 'Æ' => folded.push_str("ae"),
            'œ' | 'Œ' => folded.push_str("oe"),
            'ø' | 'Ø' => folded.push('o'),
            'ł' | 'Ł' => folded.push('l'),
            'đ' | 'Đ' => folded.push('d'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            _ => folded.extend(c.to_lowercase().filter(|c| !is_combining_mark(*c))),
        }
    }
}

/// Returns `text` in lower case and without accents.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_do_not_count() {
        assert_eq!(fold("Café"), "cafe");
        assert_eq!(fold("CAFE\u{301}"), "cafe");
        assert_eq!(fold("Straße ŁÓDŹ İstanbul"), "strasse lodz istanbul");
        assert_eq!(fold("接続プール"), fold("接続フ\u{309a}ール"));
    }
}
