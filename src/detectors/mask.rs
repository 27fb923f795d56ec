//! Hides sensitive values. What stays is enough to recognise a false alarm, and too little to use.

use super::detection::MASK;
use super::kind::Kind;

/// Returns a value with its secret part hidden. `prefix` is the length of the part that says what it is.
pub fn masked(kind: Kind, value: &[u8], prefix: usize) -> String {
    let text = String::from_utf8_lossy(value);
    let first = |count: usize| text.chars().take(count).collect::<String>();
    let last = |count: usize| {
        let skip = text.chars().count().saturating_sub(count);
        text.chars().skip(skip).collect::<String>()
    };
    match kind {
        Kind::PrivateKey => MASK.to_owned(),
        Kind::Token | Kind::Jwt => {
            let lead = value.get(..prefix).map(String::from_utf8_lossy).unwrap_or_default();
            format!("{lead}{MASK}")
        }
        Kind::Card => format!("{MASK}{}", last(4)),
        Kind::Iban | Kind::Phone => format!("{}{MASK}{}", first(2), last(2)),
        Kind::Email => match text.split_once('@') {
            Some((local, host)) => {
                let top = host.rsplit_once('.').map_or("", |(_, top)| top);
                format!("{}{MASK}@{MASK}.{top}", local.chars().take(1).collect::<String>())
            }
            None => MASK.to_owned(),
        },
        Kind::Name | Kind::Address => format!("{}{MASK}", first(1)),
        Kind::Home => {
            let end = text.rfind(['/', '\\']).map_or(0, |at| at + 1);
            format!("{}{MASK}", &text[..end])
        }
        Kind::UrlCredentials | Kind::Password => MASK.to_owned(),
    }
}
