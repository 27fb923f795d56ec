//! Front matter: the fields between two `---` lines at the start of a Markdown note.
//!
//! It reads the part of YAML that notes use: one field per line, quoted and plain scalars, lists in brackets
//! or with one item per line, maps below a field, block scalars, comments. Anything else (anchors, tags) stays text.
//! An alias is never resolved, so no note grows beyond its own length. A line that is not YAML is a fault.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::lines::{self, BOM};
use super::names;

pub mod edit;

/// A note: its front matter, if it has any, and the text below it.
#[derive(Debug, Default, PartialEq)]
pub struct Note<'a> {
    /// The fields in stored order.
    pub fields: Vec<YamlField<'a>>,
    /// The faults of the front matter: the line from 1, and the reason.
    pub faults: Vec<(u32, String)>,
    /// True if it starts with `---`.
    pub has_front_matter: bool,
    /// The place of the text below the front matter.
    pub body: Range<usize>,
}

/// One field of the front matter.
#[derive(Debug, PartialEq)]
pub struct YamlField<'a> {
    pub name: &'a str,
    /// Its line, from 1.
    pub line: u32,
    /// All its lines, with their ends.
    pub span: Range<usize>,
    pub value: YamlValue<'a>,
    /// The fields of the map below it.
    pub below: Vec<YamlField<'a>>,
    /// What follows the colon on its line.
    rest: &'a str,
}

impl<'a> YamlField<'a> {
    /// Returns its text as a program reads it that knows only lines: ` #34` is no comment for it.
    pub fn line_text(&self) -> String {
        self.text_with_hash().map_or_else(|| self.value.plain(), str::to_owned)
    }

    /// Returns the text of its line if YAML takes a part of it for a comment, as the `#34` of `PR #34`. People write
    /// `# ` before a comment.
    pub fn text_with_hash(&self) -> Option<&'a str> {
        let YamlValue::Text(Cow::Borrowed(read)) = self.value else { return None };
        let own = without_comment(without_properties(self.rest), is_comment_of_people);
        (own.len() > read.len() && own.starts_with(read)).then_some(own)
    }
}

/// The value of a field.
#[derive(Debug, PartialEq)]
pub enum YamlValue<'a> {
    /// Nothing, `null` or `~`.
    Null,
    /// A scalar, unquoted and unescaped.
    Text(Cow<'a, str>),
    /// A list of scalars.
    List(Vec<Cow<'a, str>>),
    /// Anything else, as written.
    Other(&'a str),
}

impl YamlValue<'_> {
    /// Returns it as one text.
    pub fn plain(&self) -> String {
        match self {
            YamlValue::Null => String::new(),
            YamlValue::Text(text) => text.to_string(),
            YamlValue::List(items) => items.join(", "),
            YamlValue::Other(raw) => raw.trim().to_owned(),
        }
    }

    /// Returns its texts: one of a scalar, each one of a list.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            YamlValue::Text(text) => vec![text],
            YamlValue::List(items) => items.iter().map(|item| &**item).collect(),
            YamlValue::Null | YamlValue::Other(_) => Vec::new(),
        }
    }
}

impl<'a> Note<'a> {
    /// Parses a note.
    pub fn read(text: &'a str) -> Note<'a> {
        let start = if text.as_bytes().starts_with(BOM) { BOM.len() } else { 0 };
        let mut note = Note { body: start..text.len(), ..Note::default() };
        let mut lines = lines::lines(text.as_bytes()).map(|line| NoteLine {
            start: line.start,
            end: line.end,
            next: line.next,
            text: text.get(line.start.max(start)..line.end).unwrap_or_default(),
        });
        if lines.next().is_none_or(|first| first.text.trim_end() != "---") {
            return note;
        }
        note.has_front_matter = true;
        let mut own: Vec<NoteLine<'a>> = Vec::new();
        for line in lines {
            if matches!(line.text.trim_end(), "---" | "...") {
                note.body = line.next..text.len();
                note.take(text, &own, 2);
                return note;
            }
            own.push(line);
        }
        note.faults.push((1, "The front matter has no end: a second `---` line is missing.".into()));
        note
    }

    /// Returns the field of that name, the first one if there are several.
    pub fn field(&self, name: &str) -> Option<&YamlField<'a>> {
        self.fields.iter().find(|field| field.name == name)
    }

    fn take(&mut self, text: &'a str, lines: &[NoteLine<'a>], first: u32) {
        let mut at = 0;
        let mut known = HashSet::new();
        while let Some(line) = lines.get(at) {
            let number = first + at as u32;
            let (block, run) = more(&lines[at + 1..]);
            at += 1 + run;
            if line.is_empty() {
                if block.iter().any(|line| !line.is_empty()) {
                    self.faults.push((number + 1, "An indented line belongs to no field.".into()));
                }
                continue;
            }
            let Some((name, rest)) = name_and_rest(line.text) else {
                self.faults.push((number, NO_FIELD.into()));
                continue;
            };
            if !known.insert(name) {
                self.faults.push((number, format!("`{name}` is here a second time.")));
            }
            let (value, fault) = value(text, without_properties(rest), block);
            let fault = fault.or_else(|| Some((0, start_fault(rest)?)));
            let mut map = Note::default();
            if fault.is_none() && without_properties(rest).is_empty() {
                map.take(text, &map_lines(block), number + 1);
            }
            self.faults.extend(fault.map(|(below, fault)| (number + below, format!("`{name}`: {fault}"))));
            self.faults.append(&mut map.faults);
            let (span, below) = (line.start..block.last().unwrap_or(line).next, map.fields);
            self.fields.push(YamlField { name, line: number, span, value, below, rest });
        }
    }
}

/// Fields that notes have. Another name between two rules is text.
const KNOWN: [&str; 10] = names("name title description type tags permalink metadata created modified id");

/// Returns the front matter that follows another one, and where it starts. The places in it count from there.
pub fn second<'a>(text: &'a str, first: &Note<'a>) -> Option<(usize, Note<'a>)> {
    let body = text.get(first.body.clone()).filter(|_| first.has_front_matter)?;
    let gap = &body[..body.len() - body.trim_start().len()];
    let start = first.body.start + gap.rfind('\n').map_or(0, |at| at + 1);
    let note = Note::read(&text[start..]);
    let is_text = note.faults.iter().any(|(_, why)| why == NO_FIELD);
    (!is_text && note.fields.iter().any(|field| KNOWN.contains(&field.name))).then_some((start, note))
}

const NO_FIELD: &str = "The line is no `name: value`.";

#[derive(Clone, Copy, Debug)]
struct NoteLine<'a> {
    start: usize,
    end: usize,
    next: usize,
    text: &'a str,
}

impl NoteLine<'_> {
    fn is_empty(&self) -> bool {
        let text = self.text.trim();
        text.is_empty() || text.starts_with('#')
    }

    /// True if it belongs to the field above: it is indented, or an item of its list.
    fn goes_on(&self) -> bool {
        self.text.starts_with([' ', '\t']) || self.text.starts_with("- ") || self.text.trim_end() == "-"
    }
}

/// Returns the lines that belong to the field above them. Empty lines and comments between them do, too (YAML
/// 1.2, 6.6 and 8.2.1), but not those after the last one. Then the number of all these lines.
fn more<'l, 'a>(lines: &'l [NoteLine<'a>]) -> (&'l [NoteLine<'a>], usize) {
    let belongs = |line: &&NoteLine<'_>| line.goes_on() || line.is_empty();
    let run = lines.iter().take_while(belongs).count();
    (&lines[..lines[..run].iter().rposition(NoteLine::goes_on).map_or(0, |last| last + 1)], run)
}

/// How far a map that is read may be indented: no note is read too deeply.
const DEEPEST: usize = 64;

/// Returns the lines of the map below a field, without their indentation; none if it is no map.
fn map_lines<'a>(block: &[NoteLine<'a>]) -> Vec<NoteLine<'a>> {
    let Some(first) = block.iter().find(|line| !line.is_empty()) else { return Vec::new() };
    let indent = first.text.len() - first.text.trim_start_matches(' ').len();
    let is_deep = first.end - first.start > first.text.len() + DEEPEST;
    let is_map =
        !is_deep && !first.text[indent..].starts_with('-') && name_and_rest(first.text.trim()).is_some();
    let text = |line: &NoteLine<'a>| match line.text.split_at_checked(indent) {
        _ if line.is_empty() => "",
        Some((gap, text)) if gap.trim().is_empty() => text,
        // It is indented less, and no field.
        _ => ":",
    };
    block.iter().filter(|_| is_map).map(|line| NoteLine { text: text(line), ..*line }).collect()
}

fn name_and_rest(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim_end();
    let in_quotes = ['"', '\''].iter().find_map(|quote| name.strip_prefix(*quote)?.strip_suffix(*quote));
    let name = in_quotes.unwrap_or(name);
    let plain = !name.is_empty() && !name.contains(['[', ']', '{', '}', '#', '"', '\'', '\\']);
    let apart = rest.is_empty() || rest.starts_with([' ', '\t', '\r']);
    (plain && apart && name.trim() == name).then_some((name, rest.trim_end()))
}

/// A value, and its fault: how many lines below the field it is, and the reason.
type ReadValue<'a> = (YamlValue<'a>, Option<(u32, &'static str)>);

/// Reads a value from the rest of its line and the lines that belong to it.
fn value<'a>(text: &'a str, rest: &'a str, block: &[NoteLine<'a>]) -> ReadValue<'a> {
    let written: Vec<(u32, &NoteLine<'a>)> = (1..).zip(block).filter(|(_, line)| !line.is_empty()).collect();
    match rest.chars().next() {
        None if written.is_empty() => (YamlValue::Null, None),
        None => list_or_other(text, block, &written),
        Some('[' | '{') => flow_value(text, rest, block),
        Some('|' | '>') => match rest[1..].trim_start_matches(['+', '-', '1', '2', '3', '4']).trim_start() {
            after if after.is_empty() || after.starts_with('#') => {
                (YamlValue::Text(folded(rest, block)), None)
            }
            _ => (YamlValue::Text(Cow::Borrowed(rest)), Some((0, BAD_START))),
        },
        Some('*') => (YamlValue::Other(with_block(text, rest, block)), Some((0, ALIAS))),
        Some(_) if !written.is_empty() => {
            // A text may go on in indented lines.
            let lines = written.iter().map(|(_, line)| line.text.trim());
            let all = [rest].into_iter().chain(lines).collect::<Vec<_>>().join(" ");
            let (scalar, fault) = scalar(&all);
            match fault {
                None => (YamlValue::Text(Cow::Owned(scalar.into_owned())), None),
                Some(fault) => (YamlValue::Other(with_block(text, rest, block)), Some((0, fault))),
            }
        }
        Some(_) if matches!(rest, "~" | "null" | "Null" | "NULL") => (YamlValue::Null, None),
        Some(_) => {
            let (scalar, fault) = scalar(rest);
            (YamlValue::Text(scalar), fault.map(|fault| (0, fault)))
        }
    }
}

/// Reads a list with one item per line, or a nested map.
fn list_or_other<'a>(
    text: &'a str,
    block: &[NoteLine<'a>],
    written: &[(u32, &NoteLine<'a>)],
) -> ReadValue<'a> {
    let item = |(_, line): &(u32, &NoteLine<'a>)| {
        let item = line.text.trim_start().strip_prefix('-')?;
        (item.is_empty() || item.starts_with([' ', '\t'])).then(|| item.trim())
    };
    let has_tab = |text: &str| text[..text.len() - text.trim_start().len()].contains('\t');
    let tab = written.iter().find(|(_, line)| has_tab(line.text)).map(|(at, _)| (*at, TAB));
    let items: Option<Vec<&'a str>> = written.iter().map(item).collect();
    let Some(items) = items else {
        return (YamlValue::Other(whole(text, block)), tab);
    };
    let mut fault = tab;
    let are_maps = items.iter().all(|item| name_and_rest(item).is_some());
    let items = items.into_iter().zip(written).map(|(item, (at, _))| {
        let item = name_and_rest(item).filter(|_| are_maps).map_or(item, |(_, value)| value);
        let (text, why) = scalar(item);
        fault = fault.or(why.map(|why| (*at, why)));
        text
    });
    let list = YamlValue::List(items.collect());
    (if are_maps { YamlValue::Other(whole(text, block)) } else { list }, fault)
}

/// Reads a list of scalars in brackets. Brackets in it are dropped, so that `[[a]]` is the item `a`. A map, also in a
/// list, is not read.
fn flow_value<'a>(text: &'a str, rest: &'a str, block: &[NoteLine<'a>]) -> ReadValue<'a> {
    let all = with_block(text, rest, block);
    let (mut items, mut fault) = (Vec::new(), flow_fault(all));
    let list = flow_end(all).and_then(|end| all.get(..end));
    let Some(list) = list.filter(|list| flow_signs(list).all(|(_, sign, _)| sign != '{')) else {
        return (YamlValue::Other(all), fault.map(|fault| (0, fault)));
    };
    let mut from = 0;
    for (at, sign, _) in flow_signs(list) {
        let item = list.get(from..at).unwrap_or_default().trim();
        from = at + 1;
        if sign != '[' && !item.is_empty() {
            let (item, why) = scalar(item);
            fault = fault.or(why);
            items.push(item);
        }
    }
    (YamlValue::List(items), fault.map(|fault| (0, fault)))
}

const OPEN_BRACKET: &str = "a bracket is not closed";

/// Returns what is wrong with the brackets of a value that starts with one.
fn flow_fault(text: &str) -> Option<&'static str> {
    let Some(end) = flow_end(text) else { return Some(OPEN_BRACKET) };
    let after = text[end..].trim_start();
    let is_stray = !after.is_empty() && !after.starts_with('#');
    is_stray.then_some("something follows the closing bracket")
}

/// Returns where the value ends that starts with a bracket, if it is closed.
fn flow_end(text: &str) -> Option<usize> {
    flow_signs(text).find(|(_, _, depth)| *depth == 0).map(|(at, sign, _)| at + sign.len_utf8())
}

/// Returns the brackets and commas of a value outside quotes, each with its place and the number of brackets that are
/// open after it.
fn flow_signs(text: &str) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let (mut depth, mut quote, mut is_start, mut is_name) = (0_usize, None, true, false);
    text.char_indices().filter_map(move |(at, c)| {
        // A colon within a word begins no value.
        let is_colon = c == ':' && (is_name || text[at + 1..].starts_with(char::is_whitespace));
        is_name = quote == Some(c);
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) if is_start => quote = Some(c),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_start = is_colon || "[{,".contains(c) || is_start && c.is_whitespace();
        (quote.is_none() && "[]{},".contains(c)).then_some((at, c, depth))
    })
}

/// Reads a block scalar: its lines without their common indentation.
fn folded<'a>(rest: &str, block: &[NoteLine<'a>]) -> Cow<'a, str> {
    let indents = block.iter().filter(|line| !line.text.trim().is_empty());
    let indent = indents.map(|line| line.text.len() - line.text.trim_start().len()).min().unwrap_or(0);
    let lines = block.iter().map(|line| line.text.get(indent..).unwrap_or_default().trim_end());
    let between = if rest.starts_with('>') { " " } else { "\n" };
    Cow::Owned(lines.collect::<Vec<_>>().join(between).trim_end().to_owned())
}

/// Returns a value without its anchor and its tag (YAML 1.2, 6.9), which are no part of it. A comment is no value.
fn without_properties(text: &str) -> &str {
    let mut text = text.trim_start();
    while text.starts_with(['&', '!']) {
        text = text.split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
    }
    if text.starts_with('#') { "" } else { text }
}

/// Returns what is wrong with the start of a value. `&word` before a text is one of its words, programs know no `!tag`,
/// and a map can't name a field of another.
fn start_fault(text: &str) -> Option<&'static str> {
    let start = text.trim_start_matches(' ');
    let is_word = start.starts_with('&') && without_properties(start).starts_with(|c| !"\"'[{|>".contains(c));
    let is_tag = start.starts_with('!') && !start.starts_with("!!");
    match () {
        () if start.starts_with('\t') => Some(TAB),
        () if is_word || is_tag || start.starts_with("{{") => Some(BAD_START),
        () => None,
    }
}

const TAB: &str = "a tab is where only spaces may be";

/// An alias is never resolved: a few lines could grow without end.
const ALIAS: &str = "an alias is not looked up; quote the value if it is none";

const BAD_START: &str = "a plain value can't start with this sign";

/// The fault of a value in quotes that has others inside, or text behind it.
pub const AFTER_QUOTE: &str = "something follows the closing quote";

/// The fault of a path such as `"C:\agent"`.
pub const BAD_ESCAPE: &str = "in double quotes a backslash before this letter needs a second one";

/// The fault of a value such as `PR #34`.
pub const HASH: &str = "YAML reads nothing after ` #`; the value needs quotes if that is no comment";

/// Reads one scalar, quoted or plain, and drops a comment after it.
fn scalar(text: &str) -> (Cow<'_, str>, Option<&'static str>) {
    let (text, fault) = (without_properties(text), start_fault(text));
    match text.chars().next() {
        _ if fault.is_some() => (Cow::Borrowed(text), fault),
        Some(quote @ ('"' | '\'')) => {
            let (read, _, fault) = quoted(text, quote);
            (read, fault)
        }
        Some('*') => (Cow::Borrowed(text), Some(ALIAS)),
        Some('[' | '{') => (Cow::Borrowed(text), flow_fault(text)),
        Some('@' | '`' | '%' | ']' | '}' | ',' | '|' | '>') => (Cow::Borrowed(text), Some(BAD_START)),
        Some('-' | '?') if text[1..].is_empty() || text[1..].starts_with(' ') => {
            (Cow::Borrowed(text), Some(BAD_START))
        }
        _ => {
            let plain = without_comment(text, |_| true);
            let fault = match () {
                () if plain.contains(": ") || plain.ends_with(':') => {
                    Some("a value that holds a colon needs quotes")
                }
                () if plain.contains('\t') => Some(TAB),
                () if plain != without_comment(text, is_comment_of_people) => Some(HASH),
                () => None,
            };
            (Cow::Borrowed(plain), fault)
        }
    }
}

/// Returns a plain value without its comment: the first ` #` of which what follows is one.
fn without_comment(text: &str, is_comment: impl Fn(&str) -> bool) -> &str {
    let mut marks = text.match_indices(" #").map(|(at, mark)| (at, at + mark.len()));
    marks.find(|(_, next)| is_comment(&text[*next..])).map_or(text, |(at, _)| text[..at].trim_end())
}

fn is_comment_of_people(after: &str) -> bool {
    after.is_empty() || after.starts_with([' ', '\t', '#'])
}

/// Reads a text in quotes. The number is where it ends, after its closing quote.
fn quoted(text: &str, quote: char) -> (Cow<'_, str>, usize, Option<&'static str>) {
    const OPEN: &str = "the quotes are not closed";
    let (mut out, mut fault) = (String::new(), None);
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
                out.push('\'');
            }
            c if c == quote => {
                let after = text[at + 1..].trim_start();
                let stray = !after.is_empty() && !after.starts_with('#');
                return (Cow::Owned(out), at + 1, stray.then_some(AFTER_QUOTE).or(fault));
            }
            '\\' if quote == '"' => {
                let Some((_, next)) = chars.next() else { break };
                match next {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    '0' => out.push('\0'),
                    'x' | 'u' | 'U' => {
                        let count = match next {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let digit = || chars.next_if(|(_, c)| c.is_ascii_hexdigit()).map(|(_, c)| c);
                        let digits: String = std::iter::from_fn(digit).take(count).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == count);
                        let code = code.and_then(char::from_u32);
                        fault = fault.or(code.is_none().then_some(BAD_ESCAPE));
                        out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    other => {
                        fault = fault.or((!"abefv \t\"/\\N_LP\n".contains(other)).then_some(BAD_ESCAPE));
                        out.push(other);
                    }
                }
            }
            c => out.push(c),
        }
    }
    (Cow::Borrowed(text), text.len(), Some(OPEN))
}

/// Returns the rest of a line and the lines that belong to it, as written.
fn with_block<'a>(text: &'a str, rest: &'a str, block: &[NoteLine<'a>]) -> &'a str {
    let Some(last) = block.last() else { return rest };
    let start = rest.as_ptr() as usize - text.as_ptr() as usize;
    text.get(start..last.end).unwrap_or(rest)
}

fn whole<'a>(text: &'a str, block: &[NoteLine<'a>]) -> &'a str {
    match (block.first(), block.last()) {
        (Some(first), Some(last)) => text.get(first.start..last.end).unwrap_or_default(),
        _ => "",
    }
}

#[cfg(test)]
mod tests;
