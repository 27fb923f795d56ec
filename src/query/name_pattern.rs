//! Names with `*` in them, for the values of fields.

/// A name, or several by `*`, which stands for any characters or none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// Split at the stars: one part has no star.
    parts: Vec<String>,
}

impl Pattern {
    pub fn new(text: &str) -> Self {
        Pattern { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// The name itself, if it has no star.
    pub fn exact(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// Whether the whole of `text` is like it. Takes the earliest place of each middle
    /// part, which is right because a star takes anything.
    pub fn matches(&self, text: &str) -> bool {
        let (first, middle, last) = match self.parts.as_slice() {
            [] => return text.is_empty(),
            [whole] => return text == whole,
            [first, middle @ .., last] => (first, middle, last),
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            match rest.find(part.as_str()) {
                Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        rest.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_or_none() {
        for (pattern, text, like) in [
            ("auth", "auth", true),
            ("auth", "oauth", false),
            ("auth*", "auth", true),
            ("a*h*n", "authn", true),
            ("a*h*n", "authz", false),
            ("ab*b", "ab", false),
            ("*", "", true),
            ("a.*", "a", false),
            ("a.*", "a.b.c", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), like, "{pattern} {text}");
        }
    }
}
