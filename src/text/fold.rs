//! Folds text for comparison, which removes case and accents, and splits it into words.

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

/// Returns the words of a text: runs of letters and digits, and each letter that is a word by itself.
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    let runs = folded.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
    runs.flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let len =
                if is_word(first) { first.len_utf8() } else { rest.find(is_word).unwrap_or(rest.len()) };
            let (word, behind) = rest.split_at(len);
            rest = behind;
            Some(word)
        })
    })
}

/// True if a letter is a word by itself. No spaces are written between such letters.
pub fn is_word(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{abff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
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

    #[test]
    fn words_are_runs_of_letters_and_digits_and_letters_that_stand_for_words() {
        let all: Vec<&str> = words("re-used: v2 (été) 接続プール3x\u{20bb7}!").collect();
        assert_eq!(all, ["re", "used", "v2", "été", "接", "続", "プ", "ー", "ル", "3x", "\u{20bb7}"]);
        assert_eq!(words(" …\n").count(), 0);
    }
}
