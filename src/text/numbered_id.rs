//! Ids that end in a number.

/// Splits an id into its prefix and its number, which is 0 if there is none.
pub fn split_number(id: &str) -> (&str, u64) {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (prefix, number) = id.split_at(id.len() - digits);
    (prefix, number.parse().unwrap_or_default())
}

/// Returns the ids that follow an id, as wide as it is.
pub fn following(id: &str) -> impl Iterator<Item = String> {
    let (prefix, number) = split_number(id);
    let digits = id.len() - prefix.len();
    (number + 1..).map(move |number| format!("{prefix}{number:0digits$}"))
}
