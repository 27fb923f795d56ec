//! Finds what a model writes in place of text that it means to keep: `[Rest of the file remains unchanged...]`.

use std::cell::LazyCell;

use super::lines::{LineSpan, lines};
use super::markdown_blocks::{block_at, code};

/// The longest line that is looked at, in bytes.
const LONGEST: usize = 200;

/// Words for parts of a document that stay. They are from public files with such lines, read 2026-11-29.
const DOCUMENT: &str = "rest,remainder,content,contents,file,text,section,sections,memory,memories,note,notes,list,\
    entries,lines,datei,inhalt,einträge";
/// Other words for what stays. They count in brackets, in a comment or after dots: another line may be the memory.
const OTHER: &str = "remaining,existing,previous,prior,original,other,earlier,above,same,code,restliche";
/// How a model says that it stays. After dots, as in `[... existing content ...]`, it need not say so.
const STAYS: &str = "unchanged,not changed,no changes,unmodified,remain,remains,stays the same,as before,preserved,\
    kept as is,omitted,truncated,goes here,unverändert,ausgelassen";
/// What else such a line has, if it is no sentence on other things.
const MORE: &str = "of,the,this,is,are,all,bleibt,der";
const CHINESE: [&str; 4] = ["其余内容", "其余部分", "其他内容", "原有内容"];
const ENDS: &str = "<!-- -->,[ ],( ),{ },< >,* *,_ _,... ...,… …,（ ）,【 】,// ";
/// Such a line starts with one of these, or ends with dots.
const SIGNS: [char; 11] = ['[', '(', '{', '<', '*', '_', '/', '.', '…', '（', '【'];

/// Returns where the lines outside fenced code are that say only that other text stays.
pub fn places(text: &str) -> impl Iterator<Item = usize> {
    let code = LazyCell::new(|| code(text));
    let is_wanted = move |line: &LineSpan| {
        let shown = text.get(line.start..line.end).filter(|text| text.len() <= LONGEST);
        shown.is_some_and(|text| is_placeholder(text.trim())) && block_at(&code, line.start).is_none()
    };
    lines(text.as_bytes()).filter(is_wanted).map(|line| line.start)
}

fn is_placeholder(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '>', '#', ' ']);
    let may_be_inside = line.starts_with(SIGNS) && !line.ends_with(char::is_alphanumeric);
    let is_comment = line.starts_with("//") || line.starts_with(['.', '…']);
    if !may_be_inside && !is_comment && !line.ends_with("...") && !line.ends_with('…') || line.contains("[[")
    {
        return false;
    }
    let mut ends = ENDS.split(',').filter_map(|ends| ends.split_once(' '));
    let inside = ends.find_map(|(open, close)| line.strip_prefix(open)?.strip_suffix(close));
    let words = inside.unwrap_or(line).trim_matches(|c: char| "[](){}<>*_/#- （）【】".contains(c));
    let begins = [line, words].iter().any(|text| text.starts_with("...") || text.starts_with('…'));
    let is_dotted = begins || words.ends_with("...") || words.ends_with('…');
    if inside.is_none() && !is_dotted || line.contains("](") {
        return false;
    }
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let text = format!(" {} ", words.collect::<Vec<_>>().join(" ").to_lowercase());
    let has = |phrases: &str| phrases.split(',').any(|phrase| text.contains(&format!(" {phrase} ")));
    let is_known = |word: &str| {
        [DOCUMENT, OTHER, STAYS, MORE].iter().any(|list| list.split([',', ' ']).any(|known| known == word))
    };
    let is_all = text.split_whitespace().all(is_known);
    let is_marked = begins || line.trim_start_matches(['*', '_']).starts_with(['[', '<', '/', '{']);
    let stays = has(STAYS) && (is_marked || is_all) && (has(DOCUMENT) || is_marked && has(OTHER));
    let is_rest = has("rest of,existing,remaining");
    let is_other = begins && (is_rest || has(OTHER)) || is_rest && is_marked && is_all;
    let is_chinese = CHINESE.iter().any(|what| text.contains(what)) && text.contains("不变");
    stays || inside.is_some() && (is_other && has(DOCUMENT) || is_chinese || begins && text == " unchanged ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_says_only_that_other_text_stays_is_found_and_sentences_are_not() {
        let found = "[Rest of the existing file content remains unchanged...]§\
            - (remaining sections unchanged)§<!-- previous notes omitted for brevity -->§\
            *(rest of the memory stays the same)*§// ... existing content ...§\
            … the other sections are kept as is§[... rest of file ...]§[Previous entries preserved]§\
            ...(existing content)...§> (remaining entries unchanged)§## [Rest of the original content]§\
            [... previous entries ...]§[... unchanged ...]§[Rest der Datei bleibt unverändert]§（其余内容保持不变）";
        for line in found.split('§') {
            assert_eq!(places(&format!("a\n{line}\nb")).collect::<Vec<_>>(), [2], "{line}");
        }
        let sentences = "The rest of the file is unchanged since May.§[existing notes](notes.md)§\
            - [Rest](rest.md) — what remains unchanged§```\n// ... existing code ...\n```§\
            Wait for the rest...§(All other rules remain unchanged.)§\
            (The rest of the team remains in Bonn.)§The previous owner omitted the date…§[Other notes]";
        for line in sentences.split('§') {
            assert_eq!(places(line).count(), 0, "{line}");
        }
    }
}
