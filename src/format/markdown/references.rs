//! References in the text of a memory: links to files, and `mem:` names.

use std::collections::HashSet;
use std::path::Path;

use crate::model::{PathText, Reference};
use crate::text::lines;

/// The longest target of a link, in bytes.
const LONGEST: usize = 1_024;

/// The relation of a link to a file.
pub const LINK: &str = "link";

/// Returns the links `[title](file.md)` of a text that may lead to files of the store, by their paths without `.md`.
pub fn to_files(body: &str, from: &Path) -> Vec<Reference<'static>> {
    let folder = from.parent().unwrap_or(Path::new(""));
    let mut paths: Vec<String> = Vec::new();
    each_plain_line(body, &mut |_, line| {
        paths.extend(file_links(line).filter_map(|target| joined(folder, target)));
    });
    each_once(paths).map(|path| Reference::to_record(LINK, path)).collect()
}

/// Returns the path of a link's target below the root, without `.md`; `None` if it leads out of it.
pub fn joined(folder: &Path, target: &str) -> Option<String> {
    let mut parts: Vec<String> = folder.iter().map(|part| part.to_text().into_owned()).collect();
    let target = target.replace("%20", " ");
    for part in target.strip_suffix(".md")?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            own => parts.push(own.to_owned()),
        }
    }
    Some(parts.join("/"))
}

/// Returns the relative targets of the links on a line that end in `.md`.
pub fn file_links(line: &str) -> impl Iterator<Item = &str> {
    let last_tick = line.rfind('`');
    let mut links = line.match_indices("](").map(|(at, _)| at).peekable();
    let (mut from, mut is_code) = (0, false);
    std::iter::from_fn(move || {
        let at = links.next()?;
        is_code ^= line[from..at].matches('`').count() % 2 == 1;
        from = at;
        // Between backticks it is no link, and a target has no other link.
        let end = links.peek().copied().unwrap_or(line.len());
        let is_link = !is_code || last_tick.is_none_or(|tick| tick < at);
        Some(line.get(at + 2..end).filter(|_| is_link).and_then(target_of))
    })
    .flatten()
}

/// Returns the target at the start of a text, if it ends in `.md` and is relative: `<a file.md>`, `file.md "a title"`.
fn target_of(text: &str) -> Option<&str> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b')')?;
    let target = text.get(..end)?.trim();
    let target = match target.strip_prefix('<') {
        Some(own) => own.split('>').next()?,
        None => target.split_whitespace().next()?,
    };
    let target = target.split(['#', '?']).next()?;
    let is_here = target.ends_with(".md") && !target.contains("://") && !target.starts_with(['/', '~']);
    is_here.then_some(target)
}

/// Returns the names after `mem:`, each once.
pub fn mem_references(body: &str) -> impl Iterator<Item = String> {
    each_once(mem_names(body).map(str::to_owned).collect())
}

fn each_once(names: Vec<String>) -> impl Iterator<Item = String> {
    let mut known: HashSet<String> = HashSet::new();
    names.into_iter().filter(move |own| known.insert(own.clone()))
}

/// Returns the names after `mem:`: letters, digits, `_`, `-` and `/`.
pub fn mem_names(body: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    body.match_indices("mem:").filter_map(move |(at, mark)| {
        let is_start = !body[..at].ends_with(|c: char| c.is_alphanumeric());
        let rest = &body[at + mark.len()..];
        let name = rest.split(|c: char| !is_name(c)).next()?.trim_end_matches('/');
        (is_start && !name.is_empty()).then_some(name)
    })
}

/// Returns the path from a folder to a file, both relative to the root.
pub fn relative(folder: &Path, file: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (folder.iter().collect(), file.iter().collect());
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - same);
    up.chain(to[same..].iter().map(|part| part.to_text().into_owned())).collect::<Vec<_>>().join("/")
}

/// Passes the lines outside fenced code to `take`, with their numbers from 0.
pub fn each_plain_line(body: &str, take: &mut dyn FnMut(u32, &str)) {
    let mut is_code = false;
    for (number, line) in (0..).zip(lines::lines(body.as_bytes())) {
        let text = body.get(line.start..line.end).unwrap_or_default();
        match text.trim_start().starts_with("```") || text.trim_start().starts_with("~~~") {
            true => is_code = !is_code,
            false if !is_code => take(number, text),
            false => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_of_the_store_are_found_and_others_are_not() {
        let body = "`[no](no.md)` [`a`](b.md) and [c](../d/e.md#part), [web](https://x.org/y.md), [up](../../z.md)\n```\n[q](q.md)\n```\n";
        let found = to_files(body, Path::new("sub/own.md"));
        let names: Vec<&str> = found.iter().map(|own| &*own.to.text).collect();
        assert_eq!(names, ["sub/b", "d/e"]);
    }

    #[test]
    fn code_and_links_in_links_are_no_links() {
        let links = |line| file_links(line).collect::<Vec<_>>();
        assert_eq!(links("`[a](a.md)` `[b](b.md)` [c](c.md)"), ["c.md"]);
        assert_eq!(links("a ` tick [a](a.md) and [b](b.md \"B\")"), ["a.md", "b.md"]);
        assert_eq!(links("[a](x [b](<b c.md>) [d](d.md#e)"), ["b c.md", "d.md"]);
        assert_eq!(links("[a](/a.md) [b](https://b/c.md) [c](c.txt) [d]("), [""; 0]);
    }

    #[test]
    fn many_links_on_a_line_and_of_a_text_are_read_in_time() {
        assert_eq!(file_links(&"`](".repeat(300_000)).count(), 0);
        assert_eq!(file_links(&"](".repeat(300_000)).count(), 0);
        let links: String = (0..40_000).map(|own| format!("[a](a{own}.md) mem:a{own} ")).collect();
        assert_eq!(to_files(&links, Path::new("own.md")).len(), 40_000);
        assert_eq!(mem_references(&links).count(), 40_000);
    }

    #[test]
    fn names_after_mem_are_found_once() {
        let body = "see `mem:core/auth`, mem:core/auth and `mem:x_1-y`; xmem:no, mem: nothing";
        assert_eq!(mem_references(body).collect::<Vec<_>>(), ["core/auth", "x_1-y"]);
    }
}
