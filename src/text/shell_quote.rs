//! Quotes words of a command that is printed to be pasted into a shell.

use super::safe_text::sanitize;

/// Returns a text as one word of a command. If it can't be shown as it is, it is written as `$'…'`, which
/// names each byte: the form that is safe to show would be another name.
pub fn word(text: &str) -> String {
    let is_plain = |own: char| own.is_alphanumeric() || "/._-+=:@%,".contains(own);
    let is_shown = sanitize(text) == text;
    match text.chars().all(is_plain) && !text.is_empty() && !text.starts_with('=') {
        _ if !is_shown => format!("$'{}'", text.bytes().map(named).collect::<String>()),
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Writes a byte within `$'…'`. History expansion reads `!` there, too, so it is escaped.
fn named(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\\' | b'\'' => format!("\\{}", char::from(byte)),
        b' '..=b'~' if byte != b'!' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_as_far_as_it_has_to_be() {
        for (text, written) in [
            ("/home/a/naïve-1.md", "/home/a/naïve-1.md"),
            ("a b", "'a b'"),
            ("it's \"`$x`\"", "'it'\\''s \"`$x`\"'"),
            ("", "''"),
            ("=ls", "'=ls'"),
            ("a\nb'!\\", "$'a\\nb\\'\\041\\\\'"),
            ("a\u{202e}1", "$'a\\342\\200\\2561'"),
        ] {
            assert_eq!(word(text), written, "{text:?}");
            assert_eq!(sanitize(written), written);
        }
    }

    #[test]
    fn bash_reads_back_what_was_meant() {
        let odd = "a'b\"c\\d\ne\tf\u{1b}[31m\u{202e}ü$HOME`id`!x \\xFF";
        for text in [odd, "it's", "a b", "\u{200b}"] {
            let script = format!("printf %s {}", word(text));
            let out = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), text);
        }
    }
}
