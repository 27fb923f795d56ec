//! References in the text of a memory: links to files, names of files, and `mem:` names.

use std::iter::once;
use std::path::{Path, PathBuf};

use crate::model::{PathText, Reference, Span};
use crate::text::markdown_blocks::{block_at, code_parts, each_shown, hidden};
use crate::text::part_range::part_range;

/// The longest target of a link, and the longest name, in bytes.
const LONGEST: usize = 1_024;
/// What names of files end at, in several languages.
const BETWEEN: &str = "`'\"()[]{}<>,;|=*“”‘’…„‚«»‹›。，、：；！？（）「」『』《》【】";

/// The relation of a link to a file.
pub const LINK: &str = "link";
/// The relation of a name after `mem:`.
pub const MEM: &str = "mem:";

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
    each_shown(".md", text, &mut |line, place, part| {
        let span = Span { start: place.start as u64, end: place.next as u64 };
        let text = text.get(place.start..place.end).unwrap_or_default();
        let link = |target, is_name| TextLink { line, span, text, target, is_name };
        found.extend(file_links(part).map(|target| link(target, false)));
        found.extend(names(part).map(|target| link(target, true)));
    });
    found
}

/// Returns the words outside links that end in `.md`. Code is one word.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let parts = outside_links(line).into_iter().filter(|(part, _)| part.contains(".md"));
    let words = parts.flat_map(|(part, is_code)| match is_code {
        true => vec![part.trim()],
        false => words(part).collect(),
    });
    words.filter(|word| word.ends_with(".md") && word.len() <= LONGEST)
}

/// Returns the parts of a line that are not the target of a link to a file, and whether each is code.
pub fn outside_links(line: &str) -> Vec<(&str, bool)> {
    let (mut parts, mut at) = (Vec::new(), 0);
    let targets = file_links(line).map(|target| part_range(line, target));
    for target in targets.chain(once(line.len()..line.len())) {
        let part = line.get(at..target.start).unwrap_or_default();
        parts.extend(code_parts(part));
        at = target.end;
    }
    parts
}

/// Returns the words of a text as names of files are written: `src/a.rs:12`, `src/a.rs:12-14`, `./src/a.rs#L12`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| !c.is_alphanumeric() && (c.is_whitespace() || BETWEEN.contains(c));
    text.split(is_between).filter_map(|word| {
        let word = word.trim_end_matches(['.', ':', '!', '?']).split(['#', ':']).next()?;
        Some(word.strip_prefix("./").unwrap_or(word))
    })
}

/// True for Chinese and Japanese letters. Between words of them is no space.
pub fn is_cjk(letter: char) -> bool {
    ('\u{3040}'..='\u{9fff}').contains(&letter)
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
            name => parts.push(name.to_owned()),
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

/// Returns the relative targets of the links on a line that end in `.md`. Code has none.
pub fn file_links(line: &str) -> impl Iterator<Item = &str> {
    let parts = if line.contains("](") { code_parts(line) } else { Vec::new() };
    parts.into_iter().filter(|(_, is_code)| !is_code).flat_map(|(part, _)| {
        let mut links = part.match_indices("](").map(|(at, _)| at).peekable();
        let mut from = 0;
        let targets = std::iter::from_fn(move || {
            let at = links.next()?;
            let title = part[from..at].rfind('[').map_or(at, |open| from + open);
            let is_escaped = part[..at].ends_with('\\') || part[..title].ends_with('\\');
            from = at;
            // A target has no other link.
            let end = links.peek().copied().unwrap_or(part.len());
            Some(part.get(at + 2..end).filter(|_| !is_escaped).and_then(target_of))
        });
        targets.flatten()
    })
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
        Some(inner) => [inner.split('>').next(), None],
        None => [target.split_whitespace().next(), Some(target)],
    };
    let mut files = choices.into_iter().flatten().filter_map(|choice| choice.split(['#', '?']).next());
    files.find(|file| file.ends_with(".md") && !file.contains("://") && !file.starts_with(['/', '~']))
}

/// Returns the names after `mem:` outside code blocks and comments: letters, digits, `_`, `-` and `/`.
pub fn mem_names(body: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let hidden = hidden(body);
    let shown = body.match_indices(MEM).filter(move |(at, _)| block_at(&hidden, *at).is_none());
    shown.filter_map(move |(at, mark)| {
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
    fn names_end_at_the_quotes_and_stops_of_any_language() {
        let found = names("„a.md“ ‚b.md‘, «c.md» 详见 d.md。（e.md）「f.md」");
        assert_eq!(found.collect::<Vec<_>>(), ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"]);
    }

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
        assert_eq!(links("``[a](y`a.md)`` ``[b](b.md)`` [`c`](c.md)"), ["c.md"]);
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
        let body = "see `mem:core/auth` and `mem:x_1-y`; xmem:no, mem: nothing\n```\nmem:code\n```";
        assert_eq!(mem_names(body).collect::<Vec<_>>(), ["core/auth", "x_1-y"]);
    }
}
