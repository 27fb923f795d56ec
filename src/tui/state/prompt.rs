//! A line that the user types: a search, the name of an action, or a new value for memories.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use tui_textarea::{CursorMove, TextArea};

use crate::tui::action::{Action, ActionInfo, offered};
use crate::tui::colours::ColourPalette;
use crate::tui::state::app::{ChangeTarget, Screen};
use crate::tui::state::row_list::{ListCursor, around};
use crate::tui::value_prompt::ValuePrompt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptPurpose {
    #[default]
    Search,
    RowFilter,
    Command,
    Help,
    Theme,
    Tag,
    RenameTag,
    KeepUntil,
    Value(Action),
    MarkBySearch,
    Export,
}

impl PromptPurpose {
    /// True if it has a list of actions or colours to choose from.
    pub fn is_list(self) -> bool {
        matches!(self, PromptPurpose::Command | PromptPurpose::Help | PromptPurpose::Theme)
    }

    pub fn asks(self) -> Option<&'static ValuePrompt> {
        match self {
            PromptPurpose::Value(action) => action.info().asks,
            _ => None,
        }
    }

    /// True if the typed text is for memories: it changes, marks or exports them.
    pub fn is_change(self) -> bool {
        !matches!(self, PromptPurpose::Search | PromptPurpose::RowFilter) && !self.is_list()
    }
}

#[derive(Default)]
pub struct Prompt {
    pub purpose: PromptPurpose,
    pub line: TypedLine,
    /// The search before. Esc restores it.
    pub former_text: String,
    pub choice: ListCursor,
    /// The view behind the prompt. Its actions are listed first.
    pub opened_over: Screen,
    /// The actions that the palette offers, and how many of them can be done here. These come first.
    pub palette_actions: Option<(Vec<&'static ActionInfo>, usize)>,
    pub former_colours: ColourPalette,
    pub target: Option<ChangeTarget>,
    /// The number of the export that it started, until the export ends.
    pub export: Option<u64>,
    pub words: PromptWords,
    /// The current completion, until the user types something.
    completed: Option<PromptCompletion>,
    suggested: Vec<SearchSuggestion>,
}

/// Words that fit a prompt, most used first. Untrusted text.
#[derive(Default)]
pub struct PromptWords {
    pub all: Vec<String>,
    pub own: Vec<String>,
}

struct PromptCompletion {
    /// The text before the completion, and the index of the current choice.
    typed: String,
    at: usize,
}

impl Prompt {
    pub fn new(purpose: PromptPurpose, text: &str, over: Screen) -> Self {
        let (line, former_text) = (TypedLine::new(text), text.to_owned());
        Prompt { purpose, line, former_text, opened_over: over, ..Prompt::default() }
    }

    pub fn text(&self) -> String {
        self.line.text()
    }

    pub fn key(&mut self, key: KeyEvent) {
        self.completed = None;
        self.line.key(key);
    }

    /// Returns the word before the cursor without its sign, and the sign.
    fn word(&self) -> (String, &'static str) {
        let typed = self.line.before_cursor();
        let ends: &[char] = match self.purpose {
            PromptPurpose::Tag => &[' '],
            PromptPurpose::RenameTag => &['='],
            _ => &[],
        };
        let word = typed.rsplit(ends).next().filter(|_| !ends.is_empty()).unwrap_or(&typed);
        match (self.purpose, word.strip_prefix('-'), word.strip_prefix('+')) {
            (PromptPurpose::Tag, Some(own), _) => (own.to_owned(), "-"),
            (PromptPurpose::Tag, _, Some(own)) => (own.to_owned(), "+"),
            _ => (word.to_owned(), ""),
        }
    }

    /// Returns the completions of the word before the cursor, and the index of the current one.
    pub fn fitting(&self) -> (Vec<&str>, Option<usize>) {
        let (word, sign) = self.word();
        let typed = self.completed.as_ref().map_or(word.as_str(), |own| &own.typed);
        let words = if sign == "-" { &self.words.own } else { &self.words.all };
        let plain =
            |word: &&String| self.purpose != PromptPurpose::Tag || !word.contains(char::is_whitespace);
        let fit =
            words.iter().filter(plain).map(String::as_str).filter(|own| own.starts_with(typed)).collect();
        (fit, self.completed.as_ref().map(|own| own.at))
    }

    /// Completes a word to the next one that fits, or to the one before.
    pub fn complete(&mut self, ahead: bool) {
        let (word, sign) = self.word();
        let (fit, at) = self.fitting();
        if fit.is_empty() || !self.purpose.is_change() || self.purpose == PromptPurpose::MarkBySearch {
            return;
        }
        let next = around(at, fit.len(), ahead);
        let chosen = one_line(fit[next]);
        let typed = self.completed.take().map_or_else(|| word.clone(), |own| own.typed);
        let is_new = sign.is_empty() && self.purpose == PromptPurpose::Tag;
        self.line.delete_before_cursor(word.chars().count());
        self.line.insert(&if is_new { format!("+{chosen}") } else { chosen });
        self.completed = Some(PromptCompletion { typed, at: next });
    }

    /// Replaces the word before the cursor by the next suggestion, or by the one before. The suggestions stay
    /// the same until the user types something.
    pub fn suggest(&mut self, offered: impl FnOnce(&str) -> Vec<SearchSuggestion>, ahead: bool) {
        let before = self.line.before_cursor();
        let at = self.completed.as_ref().map(|own| own.at);
        if at.is_none() {
            self.suggested = offered(&before);
        }
        let len = self.suggested.len();
        if len == 0 {
            return;
        }
        let at = around(at, len, ahead);
        let (sign, word) = last_word(&before);
        self.line.delete_before_cursor(sign.chars().chain(word.chars()).count());
        self.line.insert(&self.suggested[at].text);
        self.completed = Some(PromptCompletion { typed: before, at });
    }

    /// Returns the suggestions and the index of the current one, while the user goes through them.
    pub fn suggested(&self) -> Option<(&[SearchSuggestion], usize)> {
        self.completed.as_ref().filter(|_| !self.suggested.is_empty()).map(|own| (&*self.suggested, own.at))
    }

    pub fn replace(&mut self, text: &str) {
        self.line = TypedLine::new(text);
    }

    /// Inserts a paste as one edit. Its line ends become spaces.
    pub fn paste(&mut self, text: &str) {
        self.completed = None;
        self.line.insert(text);
    }

    pub fn choices(&self) -> usize {
        if self.purpose == PromptPurpose::Theme { ColourPalette::CHOICES.len() } else { self.actions().len() }
    }

    /// True if an action can be done in the view behind the prompt.
    pub fn can(&self, action: Action) -> bool {
        let Some((all, here)) = &self.palette_actions else { return true };
        all.iter().take(*here).any(|own| own.action == action)
    }

    /// Returns the actions that match the typed text, best first; all offered actions if nothing is typed.
    pub fn actions(&self) -> Vec<&'static ActionInfo> {
        let typed = self.text();
        let offered =
            self.palette_actions.as_ref().map_or_else(|| offered(self.opened_over), |(all, _)| all.clone());
        if typed.trim().is_empty() {
            return offered;
        }
        // The text after the name of an action is for the action: `export notes.md`.
        let first = typed.split(' ').next().unwrap_or_default();
        if first.len() < typed.len() && Action::Export.info().name == first {
            return vec![Action::Export.info()];
        }
        let matcher = SkimMatcherV2::default();
        // A capital letter is first taken for a key, or part of one. "GDPR" is a word all the same.
        let lower = typed.to_lowercase();
        let score =
            |text: &str| matcher.fuzzy_match(text, &typed).or_else(|| matcher.fuzzy_match(text, &lower));
        let mut scored: Vec<(i64, &ActionInfo)> = offered
            .into_iter()
            .filter_map(|known| {
                let also = known.action.words();
                let text = format!("{} {} {} {also}", known.name, known.action.keys().join(" "), known.about);
                let own = if known.name == typed.trim() { 10_000 } else { 100 };
                let name = score(known.name).map(|score| score + own);
                // If two fit equally well, the one that can be done comes first.
                let here = if self.can(known.action) { 20 } else { 0 };
                Some((name.max(score(&text))? + here, known))
            })
            .collect();
        scored.sort_by_key(|(score, _)| -score);
        scored.into_iter().map(|(_, known)| known).collect()
    }
}

/// Earlier searches, and which of them is in the prompt.
#[derive(Default)]
pub struct SearchHistory {
    texts: Vec<String>,
    /// Counted from the newest; 0 is the text that the user typed.
    back: usize,
    typed: String,
}

impl SearchHistory {
    const MOST: usize = 100;

    /// Remembers a search. An equal older one is removed.
    pub fn keep(&mut self, text: &str) {
        self.back = 0;
        if text.trim().is_empty() {
            return;
        }
        self.texts.retain(|own| own != text);
        self.texts.push(text.to_owned());
        if self.texts.len() > Self::MOST {
            self.texts.remove(0);
        }
    }

    pub fn is_back(&self) -> bool {
        self.back > 0
    }

    /// Returns the search before the current one, or after it; `None` if there is none.
    pub fn step(&mut self, earlier: bool, typed: &str) -> Option<String> {
        if self.back == 0 {
            self.typed = typed.to_owned();
        }
        let back = if earlier { self.back + 1 } else { self.back.checked_sub(1)? };
        let text = match back {
            0 => self.typed.clone(),
            _ => self.texts.get(self.texts.len().checked_sub(back)?)?.clone(),
        };
        self.back = back;
        Some(text)
    }
}

/// A completion, and how many of the listed memories have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchSuggestion {
    /// The text that replaces the word. Untrusted text.
    pub text: String,
    pub count: Option<usize>,
}

/// Returns the signs before the last word, and the word.
pub fn last_word(before: &str) -> (&str, &str) {
    let start = before.rfind([' ', '(']).map_or(0, |at| at + 1);
    let word = &before[start..];
    let signs = word.len() - word.trim_start_matches(['-', '+']).len();
    word.split_at(signs)
}

/// Longer than any query that a person types, but short enough to parse after every key.
pub const LONGEST: usize = 4_000;

#[derive(Default)]
pub struct TypedLine {
    area: TextArea<'static>,
}

impl TypedLine {
    pub fn new(text: &str) -> TypedLine {
        let mut area = TextArea::new(vec![one_line(text)]);
        area.move_cursor(CursorMove::End);
        TypedLine { area }
    }

    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    /// Returns the column of the cursor, in characters.
    pub fn column(&self) -> usize {
        self.area.cursor().1
    }

    pub fn before_cursor(&self) -> String {
        self.text().chars().take(self.column()).collect()
    }

    pub fn key(&mut self, key: KeyEvent) {
        if key.code == KeyCode::Char('u') && key.modifiers.contains(KeyModifiers::CONTROL) {
            // Ctrl-u would undo in the text area. Here it deletes to the start of the line, as in readline.
            self.area.delete_line_by_head();
            return;
        }
        self.area.input(key);
        if self.area.lines().len() > 1 {
            *self = TypedLine::new(&self.text());
        }
    }

    /// Inserts a text as one edit. Its line ends become spaces.
    pub fn insert(&mut self, text: &str) {
        self.area.insert_str(one_line(text));
    }

    pub fn fits(&self, text: &str) -> bool {
        self.text().chars().chain(text.chars()).nth(LONGEST).is_none()
    }

    pub fn delete_before_cursor(&mut self, count: usize) {
        for _ in 0..count {
            self.area.delete_char();
        }
    }

    pub fn select_all(&mut self) {
        self.area.select_all();
    }

    pub fn is_selecting(&self) -> bool {
        self.area.is_selecting()
    }
}

/// Replaces line ends and tabs by spaces. All other characters stay.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).take(LONGEST).collect()
}
