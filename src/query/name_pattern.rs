//! Names with `*` in the values of fields.

/// A name, or several with `*`, which matches any characters or none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// The text, split at the stars. One part means no star.
    parts: Vec<String>,
}

impl Pattern {
    pub fn new(text: &str) -> Self {
        Pattern { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// Returns a name in which a star is a star: the user quoted it.
    pub fn literal(text: &str) -> Self {
        Pattern { parts: vec![text.to_owned()] }
    }

    /// Returns the name if it has no star.
    pub fn exact(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// True if all of `text` matches. The earliest place of each middle part is right: a star matches all.
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
        assert!(Pattern::literal("a*").matches("a*") && !Pattern::literal("a*").matches("ab"));
    }
}
