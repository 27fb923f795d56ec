//! Reads the values of options, with errors in plain words.

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::model::{Code, Moment, PathText, Zone};

/// Reads a name of something that exists. Bytes that are no text are typed as palimp shows them.
pub fn name() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new()
        .map(|word| word.into_string().unwrap_or_else(|word| word.to_text().into_owned()))
}

pub fn fraction(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "it should be a number from 0 to 1".into())
}

pub fn moment(text: &str) -> Result<Moment, String> {
    match Moment::parse(text) {
        Some((when, Zone::Given)) => Ok(when),
        _ => Err("it should be a time with a zone, such as 2026-01-31T12:00:00Z".into()),
    }
}

pub fn known_format(text: &str) -> Result<String, String> {
    let names: Vec<&str> = crate::format::FORMATS.iter().map(|format| format.name()).collect();
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("it should be one of {}", names.join(", ")))
}

pub fn limit(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it should be a whole number from 1".into())
}

pub fn step(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it should be a step's number, as `palimp journal` lists them".into())
}

pub fn code(text: &str) -> Result<Code, String> {
    let own = Code::ALL.iter().copied().find(|code| code.as_str() == text);
    own.ok_or_else(|| "it should be a problem's code, as `palimp check` names it".into())
}

/// Marks a tag to remove, or a query word to exclude, inside this program. No argument can contain it.
pub const TAKEN: &str = "\0";

/// Returns the tag that a word removes.
pub fn taken(word: &str) -> Option<&str> {
    word.strip_prefix(TAKEN)?.strip_prefix('-')
}

/// Returns a query word as it was typed.
pub fn queried(word: &str) -> Result<String, std::convert::Infallible> {
    Ok(word.trim_start_matches(TAKEN).to_owned())
}
