//! The text of a saved query: that it is one plain SELECT, and which names it has.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

/// The column of each table that numbers its memories.
pub const ROW: &str = "palimp_row";
/// Words by which a row of the result is of no memory, or of several, if they are outside parentheses.
const REFUSED: [&str; 5] = ["distinct", "group", "union", "intersect", "except"];
/// A text or name in quotes, a comment, a word, or a parenthesis.
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*(?s:.*?)(?:\*/|$)|[0-9A-Za-z_$\x{80}-\x{10ffff}]+|[:@?#][0-9A-Za-z_]*|[()]"#,
    )
    .ok()
});

/// A SELECT of which the last column says which memory a row is of.
pub struct Select {
    pub sql: String,
    /// Each word in it, in lower case: names of members are among them.
    pub names: HashSet<String>,
    pub is_ordered: bool,
}

impl Select {
    /// Reads the text of a query. Returns why it is not run.
    pub fn read(text: &str) -> Result<Select, String> {
        let text = text.trim_start_matches('\u{feff}');
        let (mut depth, mut names, mut outer) = (0_i32, HashSet::new(), Vec::new());
        for token in TOKEN.iter().flat_map(|token| token.find_iter(text)) {
            match token.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                comment if comment.starts_with("--") || comment.starts_with("/*") => {}
                name if name.starts_with([':', '@', '?', '#', '$']) => {
                    return Err(format!("it has the parameter {name}, and no value can be given for it."));
                }
                word => {
                    let word = word.to_ascii_lowercase();
                    names.insert(word.trim_matches(['"', '`', '[', ']']).to_owned());
                    outer.extend((depth == 0).then_some((word, token.start())));
                }
            }
        }
        // With it, a row could be said to be of another memory. SQLite reads nothing after a NUL.
        if text.contains('\0') || text.to_ascii_lowercase().contains(ROW) {
            return Err(format!("it has {ROW}, a name of palimp's own, or the character NUL."));
        }
        if outer.first().is_none_or(|(word, _)| word != "select") {
            return Err("it is no SELECT, and nothing else is run.".to_owned());
        }
        if let Some((word, _)) = outer.iter().find(|(word, _)| REFUSED.contains(&word.as_str())) {
            return Err(format!("it has {}, which is not supported.", word.to_ascii_uppercase()));
        }
        let Some((_, from)) = outer.iter().find(|(word, _)| word == "from") else {
            return Err("it has no table (FROM).".to_owned());
        };
        let (columns, rest) = text.split_at(*from);
        let is_ordered = outer.iter().any(|(word, _)| word == "order");
        Ok(Select { sql: format!("{columns}, {ROW} {rest}"), names, is_ordered })
    }
}
