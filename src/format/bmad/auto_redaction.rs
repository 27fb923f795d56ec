//! `auto_redaction` of the config (§7.3 and §9.1), and which of its patterns can be used.

use regex::bytes::{Regex, RegexBuilder};

use crate::format::writing::AutoRedaction;
use crate::text::json::Json;

/// A longer pattern is not used.
const LONGEST: usize = 1 << 10;
/// A compiled pattern needs at most this much memory, in bytes.
const LARGEST: usize = 1 << 20;
/// What takes the place of a value if the config does not say it.
const REPLACEMENT: &str = "[REDACTED]";

/// Texts that are no secrets. A pattern that matches one of them would destroy memories.
const HARMLESS: [&str; 5] = [
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "4b7c1f0e-9f5a-4a53-8d0b-1c2d3e4f5a6b",
    "2026-01-11T10:20:30.123456Z",
    "the password reset of the new page was slow, as the token cache was cold",
    "sess_2026_01_11_abc123",
];

/// Returns the rules; `None` if they are switched off. The whole config overrides the fragment.
pub fn auto_redaction(config: Option<Json<'_>>) -> Option<AutoRedaction> {
    let config = config?;
    let on = |path: &[&str]| config.path(path).and_then(|value| value.bool());
    let is_on = on(&["memory_config", "privacy", "auto_redaction"])
        .or_else(|| on(&["privacy_config", "auto_redaction", "enabled"]));
    let replacement = config.path(&["privacy_config", "auto_redaction", "replacement"]);
    let replacement = replacement.and_then(|own| own.text()).map_or(REPLACEMENT.to_owned(), Into::into);
    let patterns = patterns(config).filter_map(|(_, own)| own.ok()).collect();
    (is_on == Some(true)).then_some(AutoRedaction { patterns, replacement })
}

/// Returns a message for each pattern that is not used.
pub fn unsafe_patterns(config: Json<'_>) -> Vec<String> {
    let told = |(name, own): (String, Result<Regex, String>)| {
        own.err().map(|why| format!("The redaction pattern `{name}` is not used: {why}."))
    };
    patterns(config).filter_map(told).collect()
}

/// Returns each pattern with its type, or why it can't be used.
fn patterns<'a>(config: Json<'a>) -> impl Iterator<Item = (String, Result<Regex, String>)> + 'a {
    let all = config.path(&["privacy_config", "auto_redaction", "patterns"]);
    all.into_iter().flat_map(|all| all.items()).map(|own| {
        let text = |name| own.get(name).and_then(|own| own.text()).map(Into::<String>::into);
        (text("type").unwrap_or_default(), compiled(&text("regex").unwrap_or_default()))
    })
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    if pattern.is_empty() || pattern.len() > LONGEST {
        return Err(format!("it should have 1 to {LONGEST} bytes"));
    }
    let own = RegexBuilder::new(pattern).unicode(false).size_limit(LARGEST).build();
    let own = own.map_err(|_| "it is no regular expression that palimp knows".to_owned())?;
    match HARMLESS.iter().find(|text| own.is_match(text.as_bytes())) {
        Some(text) => Err(format!("it matches {text:?}, which is no secret")),
        None if own.is_match(b"") => Err("it matches everything".to_owned()),
        None => Ok(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::record_reader::whole_object;
    use crate::text::json_scanner::Tape;

    /// The patterns that the specification prints.
    const PRINTED: &str = r#"{"privacy_config":{"auto_redaction":{"enabled":true,"patterns":[
        {"type":"email","regex":"\\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Z|a-z]{2,}\\b"},
        {"type":"api_key","regex":"\\b[A-Za-z0-9]{32,}\\b"},
        {"type":"password","regex":"password[\\s:=]+[^\\s]+"},
        {"type":"look","regex":"(?<=a)b"}],"replacement":"[GONE]"}}}"#;

    #[test]
    fn patterns_that_match_what_is_no_secret_are_not_used_and_named() {
        let mut tape = Tape::default();
        let config = whole_object(&mut tape, PRINTED.as_bytes()).expect("JSON");
        let own = auto_redaction(Some(config)).expect("it is on");
        assert_eq!((own.patterns.len(), own.replacement.as_str()), (1, "[GONE]"));
        let found = own.matches("ask ann@example.org, please");
        assert_eq!((found.len(), found[0].clone()), (1, 4..19));
        let told = unsafe_patterns(config).join("\n");
        assert!(["api_key", "password", "look"].iter().all(|name| told.contains(name)), "{told}");
    }

    #[test]
    fn the_whole_config_says_whether_it_is_on() {
        let is_on = |config: &str| {
            let mut tape = Tape::default();
            auto_redaction(whole_object(&mut tape, config.as_bytes()).ok()).is_some()
        };
        assert!(is_on(r#"{"memory_config":{"privacy":{"auto_redaction":true}}}"#));
        assert!(!is_on(
            r#"{"memory_config":{"privacy":{"auto_redaction":false}},"privacy_config":{"auto_redaction":{"enabled":true}}}"#
        ));
        assert!(!is_on("{}"));
    }
}
