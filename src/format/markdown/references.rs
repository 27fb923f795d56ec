//! References in the text of a memory: links to files, names of files, and `mem:` names.

use std::path::{Path, PathBuf};

use crate::model::{PathText, Reference, Span};
use crate::text::markdown_blocks::each_shown;
use crate::text::part_range::part_range;

/// The longest target of a link, in bytes.
const LONGEST: usize = 1_024;

/// The relation of a link to a file.
pub const LINK: &str = "link";
/// The relation of a name after `mem:`.
pub const MEM: &str = "mem:";

/// A place in a text that names a file.
#[derive(Clone, Copy)]
pub struct TextLink<'a> {
    /// The number of its line, from 1.
    pub line: u32,
    /// The place of the line, with its end.
    pub span: Span,
    /// All of the line, without its end.
    pub text: &'a str,
    /// The name of the file, relative to the folder of the text.
    pub target: &'a str,
    /// False for a link `[title](file.md)`, true for `file.md` alone.
    pub is_name: bool,
}

impl<'a> TextLink<'a> {
    /// Returns the path of the file below the root; `None` if it is not below it.
    pub fn path(&self, folder: &Path) -> Option<PathBuf> {
        joined(folder, self.target).map(|path| format!("{path}.md").into())
    }

    /// Returns the title of `[title](target)`.
    pub fn title(&self) -> Option<&'a str> {
        let before = self.text.get(..part_range(self.text, self.target).start)?;
        before.rsplit_once("](").and_then(|(before, _)| before.rsplit_once('[')).map(|(_, title)| title)
    }
}

/// Returns the links to Markdown files, and the names of such files, outside code blocks and comments.
pub fn links_in(text: &str) -> Vec<TextLink<'_>> {
    let mut found = Vec::new();
    if memchr::memmem::find(text.as_bytes(), b".md").is_none() {
        return found;
    }
    each_shown(text, &mut |line, own, part| {
        let span = Span { start: own.start as u64, end: own.next as u64 };
        let text = text.get(own.start..own.end).unwrap_or_default();
        let link = |target, is_name| TextLink { line, span, text, target, is_name };
        found.extend(file_links(part).map(|target| link(target, false)));
        found.extend(names(part).map(|target| link(target, true)));
    });
    found
}

/// Returns the words outside links that end in `.md`. Code is one word.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let parts = outside_links(line).into_iter().flat_map(|part| part.split('`').enumerate());
    let words = parts.filter(|(_, part)| part.contains(".md")).flat_map(|(number, part)| match number % 2 {
        1 => vec![part.trim()],
        _ => words(part).collect(),
    });
    words.filter(|word| word.ends_with(".md"))
}

/// Returns what of a line is no target of a link to a file.
pub fn outside_links(line: &str) -> Vec<&str> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for target in file_links(line) {
        let target = part_range(line, target);
        parts.extend(line.get(at..target.start));
        at = target.end;
    }
    parts.extend(line.get(at..));
    parts
}

/// Returns the words of a text as names of files are written: `src/a.rs:12`, `src/a.rs:12-14`, `./src/a.rs#L12`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "`'\"()[]{}<>,;|=*“”‘’…".contains(c);
    text.split(is_between).filter_map(|word| {
        let word = word.trim_end_matches(['.', ':', '!', '?']).split(['#', ':']).next()?;
        Some(word.strip_prefix("./").unwrap_or(word))
    })
}

/// Returns the links of a text that may lead to files of the store, by their paths without `.md`.
pub fn to_files(body: &str, from: &Path) -> Vec<Reference<'static>> {
    let folder = from.parent().unwrap_or(Path::new(""));
    let links = links_in(body).into_iter().filter(|link| !link.is_name);
    links.filter_map(|link| Some(Reference::to_record(LINK, joined(folder, link.target)?))).collect()
}

/// Returns the path of a link's target below the root, without `.md`; `None` if it leads out of it.
pub fn joined(folder: &Path, target: &str) -> Option<String> {
    let mut parts: Vec<String> = folder.iter().map(|part| part.to_text().into_owned()).collect();
    for part in decoded(target).strip_suffix(".md")?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            own => parts.push(own.to_owned()),
        }
    }
    Some(parts.join("/"))
}

/// Returns a target with `%20` and the like as the characters that they are.
fn decoded(target: &str) -> String {
    let mut parts = target.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        bytes.extend_from_slice(&part.as_bytes()[if code.is_some() { 2 } else { 0 }..]);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| target.to_owned())
}

/// Returns the relative targets of the links on a line that end in `.md`.
pub fn file_links(line: &str) -> impl Iterator<Item = &str> {
    let last_tick = line.rfind('`');
    let mut links = line.match_indices("](").map(|(at, _)| at).peekable();
    let (mut from, mut is_code) = (0, false);
    std::iter::from_fn(move || {
        let at = links.next()?;
        let title = line[from..at].rfind('[').map_or(at, |open| from + open);
        let is_escaped = line[..at].ends_with('\\') || line[..title].ends_with('\\');
        is_code ^= line[from..at].matches('`').count() % 2 == 1;
        from = at;
        // Between backticks it is no link, and a target has no other link.
        let end = links.peek().copied().unwrap_or(line.len());
        let is_link = !is_escaped && (!is_code || last_tick.is_none_or(|tick| tick < at));
        Some(line.get(at + 2..end).filter(|_| is_link).and_then(target_of))
    })
    .flatten()
}

/// Returns the target at the start of a text up to its `)`, if it is a Markdown file.
fn target_of(text: &str) -> Option<&str> {
    let mut depth = 1;
    let end = text.bytes().take(LONGEST).position(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        depth == 0
    });
    file_of(text.get(..end?)?)
}

/// Returns the relative path of a Markdown file in a target: `<a file.md>`, `file.md#part "a title"`, `a file.md`.
fn file_of(target: &str) -> Option<&str> {
    let target = target.trim();
    let choices = match target.strip_prefix('<') {
        Some(own) => [own.split('>').next(), None],
        None => [target.split_whitespace().next(), Some(target)],
    };
    let plain = choices.into_iter().flatten().filter_map(|own| own.split(['#', '?']).next());
    let is_here = |own: &&str| own.ends_with(".md") && !own.contains("://") && !own.starts_with(['/', '~']);
    plain.take(2).find(is_here)
}

/// Returns the names after `mem:`: letters, digits, `_`, `-` and `/`.
pub fn mem_names(body: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    body.match_indices(MEM).filter_map(move |(at, mark)| {
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
        assert_eq!(mem_names(&links).count(), 40_000);
    }

    #[test]
    fn names_after_mem_are_found() {
        let body = "see `mem:core/auth` and `mem:x_1-y`; xmem:no, mem: nothing";
        assert_eq!(mem_names(body).collect::<Vec<_>>(), ["core/auth", "x_1-y"]);
    }
}
