//! Finds what a model writes in place of text that it means to keep: `[Rest of the file remains unchanged...]`.

use super::lines::lines;
use super::merge_conflict::is_fence;

/// The longest line that is looked at, in bytes.
const LONGEST: usize = 200;

/// What of a document may stay. The words are from public files with such lines, read 2026-11-29.
const DOCUMENT: &str =
    "rest,remainder,content,contents,file,text,section,sections,memory,memories,note,notes,list";
/// What else stays in brackets, in a comment or beside dots. In another line it may be the memory itself.
const OTHER: &str = "remaining,existing,previous,prior,original,other,earlier,above,same,code,entries";
/// How a model says that it stays. Behind dots, as in `[... existing content ...]`, nothing has to say it.
const STAYS: &str = "unchanged,not changed,no changes,unmodified,remain,remains,stays the same,as before,preserved,\
    kept as is,omitted,truncated,goes here";
const ENDS: &str = "<!-- -->,[ ],( ),{ },< >,* *,_ _,// ";

/// Returns where the lines outside fenced code are that say only that other text stays.
pub fn places(text: &str) -> impl Iterator<Item = usize> {
    let mut is_code = false;
    lines(text.as_bytes()).filter_map(move |own| {
        let line = text.get(own.start..own.end)?;
        is_code ^= is_fence(line.as_bytes());
        (!is_code && line.len() <= LONGEST && is_placeholder(line.trim())).then_some(own.start)
    })
}

fn is_placeholder(line: &str) -> bool {
    let line = line.trim_start_matches("- ");
    let ends = ENDS.split(',').filter_map(|own| own.split_once(' '));
    let inside = { ends }.find_map(|(open, close)| line.strip_prefix(open)?.strip_suffix(close));
    let said = inside.unwrap_or(line).trim_matches(|own: char| "[](){}<>*_/#- ".contains(own));
    let begins = said.starts_with("...") || said.starts_with('…');
    let is_dotted = begins || said.ends_with("...") || said.ends_with('…');
    if inside.is_none() && !is_dotted || line.contains("](") {
        return false;
    }
    let words = said.split(|own: char| !own.is_alphanumeric()).filter(|own| !own.is_empty());
    let said = format!(" {} ", words.collect::<Vec<_>>().join(" ").to_lowercase());
    let has = |all: &str| all.split(',').any(|own| said.contains(&format!(" {own} ")));
    let is_named = has(DOCUMENT) && (has(OTHER) || said.starts_with(" rest of "));
    let is_marked = is_dotted || line.starts_with(['[', '<', '/']);
    (has(DOCUMENT) || is_marked && has(OTHER)) && has(STAYS) || inside.is_some() && begins && is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_says_only_that_other_text_stays_is_found_and_sentences_are_not() {
        for line in [
            "[Rest of the existing file content remains unchanged...]",
            "- (remaining sections unchanged)",
            "<!-- previous notes omitted for brevity -->",
            "*(rest of the memory stays the same)*",
            "// ... existing content ...",
            "… the other sections are kept as is",
            "[... rest of file ...]",
            "[Previous entries preserved]",
        ] {
            assert_eq!(places(&format!("a\n{line}\nb")).collect::<Vec<_>>(), [2], "{line}");
        }
        for line in [
            "The rest of the file is unchanged since May.",
            "[existing notes](notes.md)",
            "- [Rest](rest.md) — what remains unchanged",
            "```\n// ... existing code ...\n```",
            "Wait for the rest...",
            "(All other rules remain unchanged.)",
        ] {
            assert_eq!(places(line).count(), 0, "{line}");
        }
    }
}
