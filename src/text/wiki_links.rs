//! Links between notes in their texts: `[[id]]`, `[[id|text]]`, `[[id#part]]`.

use super::markdown_blocks::{code_parts, each_shown};

/// Returns the id that a link names.
pub fn target(link: &str) -> &str {
    let link = link.trim();
    let link = link.strip_prefix("[[").and_then(|link| link.strip_suffix("]]")).unwrap_or(link);
    let link = link.split(['|', '#']).next().unwrap_or_default().trim();
    link.strip_suffix(".md").unwrap_or(link)
}

/// Passes the links of a text outside code and comments to `take`.
pub fn links(body: &str, take: &mut dyn FnMut(&str)) {
    each_shown("[[", body, &mut |_, line, part| {
        if !is_table(part, body.get(line.next..)) {
            let texts = code_parts(part).into_iter().filter(|(_, is_code)| !is_code);
            texts.for_each(|(text, _)| links_of_line(text, take));
        }
    });
}

/// True for a line that starts a table of TOML: `[[servers]]` above `name = "x"`.
fn is_table(line: &str, below: Option<&str>) -> bool {
    let is_key = |text: &str| text.trim().chars().all(|c| c.is_ascii_alphanumeric() || "_-.\"".contains(c));
    let inside = line.trim().strip_prefix("[[").and_then(|line| line.strip_suffix("]]"));
    let next = || below?.lines().next()?.split_once('=');
    inside.is_some_and(is_key) && next().is_some_and(|(key, _)| is_key(key))
}

/// Finds the innermost `[[…]]`. Searches for each end once, so that no line takes long.
fn links_of_line(mut rest: &str, take: &mut dyn FnMut(&str)) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some((before, after)) = rest.split_once("]]") {
        let is_free = |before: &str| !before.ends_with(is_word) && !before.trim_end().ends_with('=');
        if let Some((_, link)) =
            before.rsplit_once("[[").filter(|(before, link)| is_free(before) && is_name(link))
        {
            take(link);
        }
        rest = after;
    }
}

/// False for what other languages write in brackets: a test, a class of characters, a list, an attribute, an index.
fn is_name(link: &str) -> bool {
    let name = link.split('|').next().unwrap_or_default();
    let is_number = !name.contains(char::is_alphabetic) && (name.len() < 4 || name.contains(','));
    !name.starts_with(|c: char| c.is_whitespace() || ":-!$'(<{%*".contains(c))
        && !link.contains(['[', ']'])
        && !name.contains(['=', '<', '>', '$', ';', '{', '}', '"'])
        && !["&&", "::", "://"].iter().any(|sign| name.contains(sign))
        && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links_of(body: &str) -> Vec<String> {
        let mut found = Vec::new();
        links(body, &mut |link| found.push(target(link).to_owned()));
        found
    }

    #[test]
    fn links_name_notes_by_id_and_code_holds_none() {
        let body = "[[a]] and [[b|the b]], [[c#part]] [[d.md]]\n`[[x]]` [[e]]\n```\n[[ -f y ]]\n```\n[[f\n]] ]] [[[[g]]";
        assert_eq!(links_of(body), ["a", "b", "c", "d", "e", "g"]);
    }

    #[test]
    fn what_other_languages_write_in_brackets_is_no_link() {
        let body = "[[ -z $X ]] [[ a ]] [[:alpha:]] [[1, 2]] [[0]] [[\"a\"]] x[[i]] [[a && b]] [[gnu::pure]] \
                    [[https://x.org]] [[...]] [[{{x}}]] [[a=b]] [[2026-01-02]], [[R&D notes|x = y]] [[Über uns]] s = [[a]]\n[[b]]\nc-d = 1";
        assert_eq!(links_of(body), ["2026-01-02", "R&D notes", "Über uns"]);
    }

    #[test]
    fn a_line_of_open_links_takes_no_more_time_than_another() {
        let started = std::time::Instant::now();
        assert!(links_of(&"[[".repeat(2_000_000)).is_empty());
        assert_eq!(links_of(&("[[".repeat(2_000_000) + "a]]")), ["a"]);
        assert!(started.elapsed() < std::time::Duration::from_secs(20));
    }
}
