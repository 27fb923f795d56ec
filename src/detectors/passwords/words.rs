//! Words around passwords, in the languages of the labels: `assets/password-words.json`.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::reader::is_unspaced;

/// Words, in the asset with `|` between them.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "String")]
pub struct WordList {
    all: Vec<String>,
    known: HashSet<String>,
}

impl From<String> for WordList {
    fn from(text: String) -> WordList {
        let all: Vec<String> = text.split('|').map(str::to_owned).collect();
        WordList { known: all.iter().cloned().collect(), all }
    }
}

impl WordList {
    fn all(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    pub fn has(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// True if a part of a text between signs is one of the words.
    pub fn has_part(&self, text: &str) -> bool {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|part| self.has(part))
    }

    /// Returns the longest of the words that a text begins with and that ends there.
    pub fn at(&self, text: &str) -> Option<&str> {
        let first = text.as_bytes().first()?.to_ascii_lowercase();
        let may_be =
            |word: &&str| word.as_bytes().first().is_some_and(|byte| byte.to_ascii_lowercase() == first);
        self.all().filter(may_be).filter(|word| is_word_at(text, word)).max_by_key(|word| word.len())
    }

    /// True if a text begins with one of the words.
    pub fn begin(&self, text: &str) -> bool {
        self.all().any(|word| text.starts_with(word))
    }

    /// True if a text ends with one of the words, and is longer than it and this many bytes.
    pub fn end(&self, text: &str, more: usize) -> bool {
        self.all().any(|word| text.len() > word.len() + more && text.ends_with(word))
    }

    /// True if a text has one of the words, also as a part of another.
    pub fn are_in(&self, text: &str) -> bool {
        self.all().any(|word| text.contains(word))
    }
}

fn is_word_at(text: &str, word: &str) -> bool {
    let (Some(start), Some(rest)) = (text.get(..word.len()), text.get(word.len()..)) else { return false };
    let next = rest.chars().next();
    // In a sentence a letter alone is another word in capitals.
    let is_equal = if word.len() < 2 { start == word } else { start.eq_ignore_ascii_case(word) };
    let is_over = next.is_none_or(|c| !c.is_alphanumeric() && !"_-.'’".contains(c)) || rest == ".";
    is_equal && (is_over || word.ends_with(is_unspaced))
}

#[derive(Debug, Default, Deserialize)]
pub struct PasswordWords {
    /// What links a label with its value.
    pub links: WordList,
    /// Prepositions of a change, as in `set to`: the value must look like one.
    pub prepositions: WordList,
    /// What may follow a link.
    pub adverbs: WordList,
    /// What is before a value that is used as a password.
    pub before_value: WordList,
    /// What is before a label that follows a user, as in `with anna and password X`.
    pub before_label: WordList,
    /// The line before a label in a list of settings begins so.
    pub settings: WordList,
    /// What links a value with the label after it.
    pub backwards: WordList,
    /// The same, as in `use X as the password`: the value may be a plain word.
    pub backwards_as: WordList,
    /// Words after a label that make it another thing than a password, as in `password manager`, or say something of passwords.
    pub other_things: WordList,
    /// The same, only as a part of a name, as in `password_file`.
    pub parts_of_names: WordList,
    /// Parts of a name that change nothing, as in `password_prod`.
    pub usual_parts: WordList,
    /// Words after a link that are no password.
    pub no_passwords: WordList,
    /// Parts of what is no password.
    pub placeholders: WordList,
    /// Starts of what means another value: a variable, a reference.
    pub references: WordList,
    /// Words that a passphrase may begin with, though no password is one.
    pub determiners: WordList,
    /// Endings of words that are said of passwords after a verb, as in `is hashed`.
    pub endings: WordList,
    /// Names that begin an expression of code, as in `config.password`.
    pub code: WordList,
    /// Parts of names in code for what a password is in.
    pub code_labels: WordList,
    /// Endings of names of files and hosts.
    pub file_endings: WordList,
    /// Labels of keys and tokens, in languages that no other rule knows: only a random value is one.
    pub keys: WordList,
    /// Words beside a name of a service or of a key that make a random value another thing, as in `commit` and `public`.
    pub no_keys: WordList,
    /// Parts of names in code of what is no secret.
    pub no_key_names: WordList,
    /// What links a key with the service after it.
    pub names_after: WordList,
    /// Labels of logins, as in `login: anna / X`.
    pub logins: WordList,
    /// Ends of labels of passphrases.
    pub phrases: WordList,
    /// Parts of labels of codes of digits.
    pub codes: WordList,
    /// Labels that mean much else.
    pub weak: WordList,
}

pub static WORDS: LazyLock<PasswordWords> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../assets/password-words.json")).unwrap_or_default()
});
