//! Links between notes in their texts: `[[id]]`, `[[id|text]]`, `[[id#part]]`.

/// Returns the id that a link names.
pub fn target(link: &str) -> &str {
    let link = link.trim();
    let link = link.strip_prefix("[[").and_then(|link| link.strip_suffix("]]")).unwrap_or(link);
    let link = link.split(['|', '#']).next().unwrap_or_default().trim();
    link.strip_suffix(".md").unwrap_or(link)
}

/// Passes the links of a text outside code to `take`.
pub fn links(body: &str, take: &mut dyn FnMut(&str)) {
    let mut fence: Option<&str> = None;
    for line in body.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                for part in line.split('`').step_by(2) {
                    links_of_line(part, take);
                }
            }
            _ => {}
        }
    }
}

/// Finds the innermost `[[…]]`. Searches for each end once, so that no line takes long.
fn links_of_line(mut rest: &str, take: &mut dyn FnMut(&str)) {
    while let Some((before, after)) = rest.split_once("]]") {
        if let Some((_, link)) = before.rsplit_once("[[").filter(|(_, link)| !link.contains(['[', ']'])) {
            take(link);
        }
        rest = after;
    }
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
    fn a_line_of_open_links_takes_no_more_time_than_another() {
        let started = std::time::Instant::now();
        assert!(links_of(&"[[".repeat(2_000_000)).is_empty());
        assert_eq!(links_of(&("[[".repeat(2_000_000) + "a]]")), ["a"]);
        assert!(started.elapsed() < std::time::Duration::from_secs(20));
    }
}
