//! Splits a text into words.

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
    fn words_are_runs_of_letters_and_digits_and_letters_that_stand_for_words() {
        let all: Vec<&str> = words("re-used: v2 (été) 接続プール3x\u{20bb7}!").collect();
        assert_eq!(all, ["re", "used", "v2", "été", "接", "続", "プ", "ー", "ル", "3x", "\u{20bb7}"]);
        assert_eq!(words(" …\n").count(), 0);
    }
}
