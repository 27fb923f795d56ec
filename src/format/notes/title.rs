//! The title of a new note.

/// The longest title made from a text, in characters.
const TITLE: usize = 80;

/// Returns title and body. The title is given, the heading, the only line, or the start of the first line.
pub fn title_and_body(title: Option<String>, text: &str) -> (String, String) {
    if let Some(title) = title {
        return (title, text.to_owned());
    }
    let text = text.trim_start_matches(['\n', '\r']);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim();
    if let Some(heading) = first.strip_prefix("# ") {
        return (heading.trim().to_owned(), rest.to_owned());
    }
    match first.chars().count() <= TITLE && rest.trim().is_empty() {
        true => (first.to_owned(), String::new()),
        false => (cut(first, TITLE), text.to_owned()),
    }
}

/// Returns the words that fit, or the start of a long first word.
pub fn cut(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let short = &text[..end];
    let whole =
        if end < text.len() { short.rsplit_once(' ').map_or(short, |(words, _)| words) } else { short };
    whole.trim_end().to_owned()
}
