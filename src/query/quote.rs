//! Writes values so that the query language reads them as they are.

/// Returns a value between quotes: nothing in it is a part of the query language.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a name in which `*` matches any characters: only what is between the stars is quoted.
pub fn quoted_pattern(text: &str) -> String {
    let parts = text.split('*').map(|part| if part.is_empty() { String::new() } else { quoted(part) });
    match text.contains('*') {
        true => parts.collect::<Vec<_>>().join("*"),
        false => quoted(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Moment;
    use crate::query::Query;

    #[test]
    fn what_is_quoted_is_read_as_it_is_and_stars_of_a_pattern_stay_stars() {
        assert_eq!(quoted(r#"a "b\"#), r#""a \"b\\""#);
        assert_eq!(quoted_pattern("a b.*"), "\"a b.\"*");
        assert_eq!(quoted_pattern("*"), "*");
        for text in ["", "a*b", "\\*\"", "OR *", "a,b*"] {
            assert!(Query::parse(&format!("tag:{}", quoted_pattern(text)), Moment(0)).is_ok(), "{text}");
        }
    }
}
