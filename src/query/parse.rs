//! Parses typed text into a query: words, phrases, fields, `-`, `OR`, parentheses.

use std::ops::Range;

use super::fields::{self, QueryValue, field_names};
use super::fold_text::fold_collapsed;
use super::query_tree::{Clause, QueryNode, QueryWord, WordPattern};
use super::{Query, QueryError};
use crate::model::Moment;

/// The maximum depth of parentheses. A deeper query is probably pasted by mistake.
const DEPTH: usize = 50;

impl Query {
    /// Parses the query language of `docs/query.md`. Relative times count from `now`.
    pub fn parse(text: &str, now: Moment) -> Result<Query, QueryError> {
        Query::parse_all(&[text], now)
    }

    /// Parses several texts into one query. The conditions of all of them must hold. If a setting such as
    /// `sort:` is repeated, the last one counts.
    pub fn parse_all(texts: &[&str], now: Moment) -> Result<Query, QueryError> {
        let mut query = Query::default();
        for &text in texts {
            let mut parser = Parser { text, at: 0, depth: 0, now, query };
            let mut sides = parser.sides(true)?;
            if parser.peek().is_some() {
                let message = "This parenthesis closes nothing. To search for it, quote it.";
                return Err(wrong(parser.at..parser.at + 1, message));
            }
            query = parser.query;
            query.clauses.extend(match sides.len() {
                1 => sides.remove(0),
                _ => either(sides).into_iter().collect(),
            });
        }
        Ok(query)
    }
}

pub(super) fn wrong(span: Range<usize>, message: impl Into<String>) -> QueryError {
    QueryError { span, message: message.into() }
}

/// Terms side by side: all must hold.
type ClauseList = Vec<Clause>;

fn either(sides: Vec<ClauseList>) -> Option<Clause> {
    let start = sides.first()?.first()?.span.start;
    let end = sides.last()?.last()?.span.end;
    let node = QueryNode::Any(sides.into_iter().map(all).collect());
    Some(Clause { span: start..end, node })
}

fn all(side: ClauseList) -> QueryNode {
    let mut nodes: Vec<QueryNode> = side.into_iter().map(|clause| clause.node).collect();
    if nodes.len() == 1 { nodes.remove(0) } else { QueryNode::All(nodes) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    now: Moment,
    query: Query,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Parses terms and `OR`, up to the end or a closing parenthesis.
    fn sides(&mut self, wanted: bool) -> Result<Vec<ClauseList>, QueryError> {
        let mut sides = vec![ClauseList::new()];
        let mut or: Option<Range<usize>> = None;
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let start = self.at;
            let over = matches!(self.peek(), None | Some(')'));
            let at_or = self.takes_or();
            let empty = sides.last().is_none_or(ClauseList::is_empty);
            let or_here = at_or.then_some(start..self.at);
            match or_here.clone().or(or.clone()) {
                Some(span) if empty && (over || at_or) => {
                    return Err(wrong(span, "OR must be between two terms. To search for it, quote it."));
                }
                _ if over => return Ok(sides),
                _ => {}
            }
            if at_or {
                or = or_here;
                sides.push(ClauseList::new());
            } else if let Some(node) = self.term(wanted)?
                && let Some(side) = sides.last_mut()
            {
                side.push(Clause { span: start..self.at, node });
            }
        }
    }

    fn takes_or(&mut self) -> bool {
        let after = self.rest().strip_prefix("OR").map(|after| after.chars().next());
        let is_alone = after.is_some_and(|next| next.is_none_or(|c| c.is_whitespace() || "()\"".contains(c)));
        self.at += if is_alone { 2 } else { 0 };
        is_alone
    }

    /// Parses one term. Applies a setting and returns `None` for it, because it filters nothing.
    fn term(&mut self, wanted: bool) -> Result<Option<QueryNode>, QueryError> {
        let start = self.at;
        match self.peek() {
            Some('-') if !self.rest().starts_with("--") => {
                self.at += 1;
                if self.peek().is_none_or(|c| c.is_whitespace() || c == ')') {
                    return Err(wrong(start..self.at, "- excludes the term after it, and there is none."));
                }
                let node = self.term(!wanted)?;
                Ok(node.map(|node| QueryNode::Not(Box::new(node))))
            }
            Some('(') => self.group(wanted).map(Some),
            Some('"') => {
                let phrase = self.quoted()?;
                let form = WordPattern::Plain(fold_collapsed(&phrase));
                self.word(phrase, form, start, wanted).map(Some)
            }
            _ => self.word_or_field(wanted),
        }
    }

    fn group(&mut self, wanted: bool) -> Result<QueryNode, QueryError> {
        let start = self.at;
        self.at += 1;
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(wrong(start..self.at, format!("Parentheses can be nested {DEPTH} deep at most.")));
        }
        let sides = self.sides(wanted)?;
        if self.peek().is_none() {
            let message = "This parenthesis is not closed. To search for it, quote it.";
            return Err(wrong(start..start + 1, message));
        }
        self.at += 1;
        self.depth -= 1;
        let mut nodes: Vec<QueryNode> = sides.into_iter().map(all).collect();
        let empty = nodes.iter().all(|node| matches!(node, QueryNode::All(nodes) if nodes.is_empty()));
        match nodes.len() {
            _ if empty => Err(wrong(start..self.at, "There is nothing between these parentheses.")),
            1 => Ok(nodes.remove(0)),
            _ => Ok(QueryNode::Any(nodes)),
        }
    }

    /// Parses text between quotes, in which `\"` is a quote and `\\` a backslash.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        let mut phrase = String::new();
        let mut chars = self.text.get(start + 1..).unwrap_or_default().char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + 1 + at + 1;
                    return Ok(phrase);
                }
                '\\' => {
                    let escaped = chars.next_if(|&(_, next)| matches!(next, '"' | '\\'));
                    phrase.push(escaped.map_or(c, |(_, escaped)| escaped));
                }
                _ => phrase.push(c),
            }
        }
        Err(wrong(start..self.text.len(), "This quote is not closed."))
    }

    /// Takes characters up to white space, a quote, one of `ends`, or an unmatched closing parenthesis.
    fn run(&mut self, ends: &[char]) -> String {
        let mut open = 0_usize;
        let mut run = String::new();
        for c in self.rest().chars() {
            match c {
                '(' => open += 1,
                ')' if open == 0 => break,
                ')' => open -= 1,
                _ if c.is_whitespace() || c == '"' || ends.contains(&c) => break,
                _ => {}
            }
            run.push(c);
        }
        self.at += run.len();
        run
    }

    fn word_or_field(&mut self, wanted: bool) -> Result<Option<QueryNode>, QueryError> {
        let start = self.at;
        if let Some(name) = field_name(self.rest()).map(str::to_owned) {
            self.at += name.len() + 1;
            return self.field(&name, start, wanted);
        }
        let typed = self.run(&[]);
        let form = match typed.strip_prefix('~') {
            Some(fuzzy) => WordPattern::Fuzzy(fold_collapsed(fuzzy)),
            None if typed.contains('*') => WordPattern::Wild(typed.split('*').map(fold_collapsed).collect()),
            None => WordPattern::Plain(fold_collapsed(&typed)),
        };
        self.word(typed, form, start, wanted).map(Some)
    }

    /// Adds a word to the query. The same word is added only once.
    fn word(
        &mut self,
        typed: String,
        form: WordPattern,
        start: usize,
        wanted: bool,
    ) -> Result<QueryNode, QueryError> {
        let nothing = match &form {
            WordPattern::Plain(text) | WordPattern::Fuzzy(text) => text.is_empty(),
            WordPattern::Wild(parts) => parts.iter().all(String::is_empty),
        };
        if nothing {
            return Err(wrong(start..self.at, "Nothing to search for here."));
        }
        let words = &mut self.query.words;
        let index = match words.iter().position(|word| word.form == form) {
            Some(index) => index,
            None => {
                words.push(QueryWord { typed, form, wanted: false });
                words.len() - 1
            }
        };
        if let Some(word) = words.get_mut(index) {
            word.wanted |= wanted;
        }
        Ok(QueryNode::Word(index))
    }

    fn field(&mut self, name: &str, start: usize, wanted: bool) -> Result<Option<QueryNode>, QueryError> {
        let known = name.to_ascii_lowercase();
        if !field_names().contains(&known.as_str()) {
            return Err(wrong(start..self.at, fields::no_field(name)));
        }
        let values = self.values()?;
        let span = start..self.at;
        if values.is_empty() {
            return Err(wrong(span, format!("{known}: needs a value after the colon.")));
        }
        if !fields::is_setting(&known) {
            return fields::filter(&mut self.query, &known, &values, self.now).map(Some);
        }
        if !wanted || self.depth > 0 {
            let message = format!("{known}: applies to the whole query. It can't be excluded or grouped.");
            return Err(wrong(span, message));
        }
        fields::set(&mut self.query, &known, &values, span)?;
        Ok(None)
    }

    /// Parses values between commas, each with or without quotes.
    fn values(&mut self) -> Result<Vec<QueryValue>, QueryError> {
        let mut values = Vec::new();
        loop {
            let start = self.at;
            let mut text = String::new();
            let (mut quotes, mut runs) = (false, false);
            while self.peek().is_some_and(|c| !c.is_whitespace() && c != ',') {
                let before = self.at;
                if self.peek() == Some('"') {
                    quotes = true;
                    text.push_str(&self.quoted()?);
                } else {
                    text.push_str(&self.run(&[',']));
                    runs = true;
                }
                if self.at == before {
                    break;
                }
            }
            if quotes || !text.is_empty() {
                values.push(QueryValue { text, span: start..self.at, is_quoted: quotes && !runs });
            }
            if self.peek() != Some(',') {
                return Ok(values);
            }
            self.at += 1;
        }
    }
}

/// Returns the name before a colon if this is a field. The name has only letters and `_`. After the colon
/// there is no `//` (a URL), no `\` (a path) and no second colon (a name in a program).
fn field_name(rest: &str) -> Option<&str> {
    let name_len = rest.find(|c: char| !(c.is_ascii_alphabetic() || c == '_'))?;
    let (name, after) = rest.split_at(name_len);
    let value = after.strip_prefix(':')?;
    let other = ["//", ":", "\\"].iter().any(|sign| value.starts_with(sign));
    (!name.is_empty() && !other).then_some(name)
}
