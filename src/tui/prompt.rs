//! A line that is typed: a search, the name of an action, or what a memory is to have.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use tui_textarea::TextArea;

use super::action::{Action, ActionInfo, offered};
use super::app::{ChangeTarget, Screen};
use super::colours::ColourPalette;
use super::list_cursor::ListCursor;
use super::search_completion::{SearchSuggestion, last_word};

/// What a prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPurpose {
    /// Searching as you type.
    Search,
    /// Filtering the rows of a view.
    RowFilter,
    /// Running any action.
    Command,
    /// Reading about keys, and running actions.
    Help,
    /// Choosing colours.
    Theme,
    /// Adding and taking away tags.
    Tag,
    /// Calling a tag otherwise everywhere.
    RenameTag,
    /// Keeping from fading until a day.
    KeepUntil,
    /// Setting the importance.
    Importance,
    /// Setting the type.
    Type,
    /// Setting the category.
    Category,
    /// Marking what a search finds.
    MarkBySearch,
    /// Writing what is listed into a file.
    Export,
}

impl PromptPurpose {
    /// Whether it lists actions to choose from.
    pub fn is_list(self) -> bool {
        matches!(self, PromptPurpose::Command | PromptPurpose::Help | PromptPurpose::Theme)
    }

    /// Whether what is typed is about memories: it becomes part of them, or marks them.
    pub fn is_change(self) -> bool {
        !matches!(self, PromptPurpose::Search | PromptPurpose::RowFilter) && !self.is_list()
    }
}

/// A line that is being typed.
pub struct Prompt {
    pub purpose: PromptPurpose,
    pub line: TextArea<'static>,
    /// What the search was before; Esc brings it back.
    pub former_text: String,
    pub choice: ListCursor,
    /// The view over which it opened: its actions are listed first.
    pub opened_over: Screen,
    /// The actions that the palette offers. The number says how many of them, counted from the first, can be
    /// done here.
    pub palette_actions: Option<(Vec<&'static ActionInfo>, usize)>,
    /// The colours before the list was opened.
    pub former_colours: ColourPalette,
    /// The memories that it is about.
    pub target: Option<ChangeTarget>,
    /// The number of the export that it started, until that has ended.
    pub export: Option<u64>,
    /// What a word of it can be completed to.
    pub words: PromptWords,
    /// The completion that is there, until something is typed.
    completed: Option<PromptCompletion>,
    suggested: Vec<SearchSuggestion>,
}

/// Words that fit a prompt, most used first. Untrusted text.
#[derive(Default)]
pub struct PromptWords {
    /// Those of the stores.
    pub all: Vec<String>,
    /// Those of the memories that it is about.
    pub own: Vec<String>,
}

/// A word that was completed.
struct PromptCompletion {
    /// What was there, and which of what fits it does now.
    typed: String,
    at: usize,
}

impl Prompt {
    /// A prompt that starts with `text`, the cursor behind it.
    pub fn new(purpose: PromptPurpose, text: &str, over: Screen) -> Self {
        let mut line = TextArea::new(vec![one_line(text)]);
        line.move_cursor(tui_textarea::CursorMove::End);
        let (choice, before) = (ListCursor::default(), text.to_owned());
        let (words, completed, suggested) = (PromptWords::default(), None, Vec::new());
        let (launch, colours, aim, export) = (None, ColourPalette::default(), None, None);
        Prompt {
            purpose,
            line,
            former_text: before,
            choice,
            opened_over: over,
            palette_actions: launch,
            former_colours: colours,
            target: aim,
            export,
            words,
            completed,
            suggested,
        }
    }

    /// What has been typed.
    pub fn text(&self) -> String {
        self.line.lines().join(" ")
    }

    /// Where the cursor is, in characters.
    pub fn column(&self) -> usize {
        self.line.cursor().1
    }

    /// Takes a key. Line ends and undo across lines have no place in one line.
    pub fn key(&mut self, key: KeyEvent) {
        self.completed = None;
        if key.code == KeyCode::Char('u') && key.modifiers.contains(KeyModifiers::CONTROL) {
            // The text area would undo; a prompt edits like readline.
            self.line.delete_line_by_head();
            return;
        }
        self.line.input(key);
        if self.line.lines().len() > 1 {
            let text = self.text();
            self.line = TextArea::new(vec![text]);
            self.line.move_cursor(tui_textarea::CursorMove::End);
        }
    }

    /// Completes a word to the next that fits, or the one before it.
    pub fn complete(&mut self, ahead: bool) {
        match self.purpose {
            PromptPurpose::Search | PromptPurpose::MarkBySearch => {}
            purpose if purpose.is_change() => self.complete_word(ahead),
            _ => {}
        }
    }

    /// The word before the cursor, without its sign, and the sign.
    fn word(&self) -> (String, &'static str) {
        let typed: String = self.text().chars().take(self.column()).collect();
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

    /// What the word before the cursor can be completed to, and which of it is there.
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

    fn complete_word(&mut self, ahead: bool) {
        let (word, sign) = self.word();
        let (fit, at) = self.fitting();
        if fit.is_empty() {
            return;
        }
        let next = match (at, ahead) {
            (None, true) => 0,
            (None, false) => fit.len() - 1,
            (Some(at), true) => (at + 1) % fit.len(),
            (Some(at), false) => (at + fit.len() - 1) % fit.len(),
        };
        let chosen = one_line(fit[next]);
        let typed = self.completed.take().map_or_else(|| word.clone(), |own| own.typed);
        let is_new = sign.is_empty() && self.purpose == PromptPurpose::Tag;
        for _ in word.chars() {
            self.line.delete_char();
        }
        self.line.insert_str(if is_new { format!("+{chosen}") } else { chosen });
        self.completed = Some(PromptCompletion { typed, at: next });
    }

    /// What was typed before the cursor.
    pub fn before_cursor(&self) -> String {
        self.text().chars().take(self.column()).collect()
    }

    /// Puts the next of what is suggested in place of the word before the cursor, or the one before it.
    /// What is suggested stays the same until something else is typed.
    pub fn suggest(&mut self, offered: impl FnOnce(&str) -> Vec<SearchSuggestion>, ahead: bool) {
        let before = self.before_cursor();
        let at = match &self.completed {
            Some(own) => Some(own.at),
            None => {
                self.suggested = offered(&before);
                None
            }
        };
        let len = self.suggested.len();
        if len == 0 {
            return;
        }
        let at = match (at, ahead) {
            (None, true) => 0,
            (None, false) => len - 1,
            (Some(at), true) => (at + 1) % len,
            (Some(at), false) => (at + len - 1) % len,
        };
        let (sign, word) = last_word(&before);
        for _ in sign.chars().chain(word.chars()) {
            self.line.delete_char();
        }
        let chosen = one_line(&self.suggested[at].text);
        self.line.insert_str(&chosen);
        self.completed = Some(PromptCompletion { typed: before, at });
    }

    /// What is suggested while it is gone through, and which of it is there.
    pub fn suggested(&self) -> Option<(&[SearchSuggestion], usize)> {
        self.completed.as_ref().filter(|_| !self.suggested.is_empty()).map(|own| (&*self.suggested, own.at))
    }

    /// Puts another text in place of what was typed.
    pub fn replace(&mut self, text: &str) {
        self.line = TextArea::new(vec![one_line(text)]);
        self.line.move_cursor(tui_textarea::CursorMove::End);
    }

    /// Takes a paste as one edit, its line ends as spaces.
    pub fn paste(&mut self, text: &str) {
        self.completed = None;
        self.line.insert_str(one_line(text));
    }

    /// The number of choices.
    pub fn choices(&self) -> usize {
        if self.purpose == PromptPurpose::Theme { ColourPalette::CHOICES.len() } else { self.actions().len() }
    }

    /// Whether an action can be done in the view where the prompt was opened.
    pub fn can(&self, action: Action) -> bool {
        let Some((all, here)) = &self.palette_actions else { return true };
        all.iter().take(*here).any(|own| own.action == action)
    }

    /// The actions that what was typed means, likeliest first; all that are offered where
    /// nothing was.
    pub fn actions(&self) -> Vec<&'static ActionInfo> {
        let typed = self.text();
        let offered =
            self.palette_actions.as_ref().map_or_else(|| offered(self.opened_over), |(all, _)| all.clone());
        if typed.trim().is_empty() {
            return offered;
        }
        // What follows the name of an action is for it: `export notes.md`.
        let first = typed.split(' ').next().unwrap_or_default();
        if first.len() < typed.len() && Action::Export.info().name == first {
            return vec![Action::Export.info()];
        }
        let matcher = SkimMatcherV2::default();
        let mut scored: Vec<(i64, &ActionInfo)> = offered
            .into_iter()
            .filter_map(|known| {
                let also = known.action.words();
                let text = format!("{} {} {} {also}", known.name, known.action.keys().join(" "), known.about);
                let own = if known.name == typed.trim() { 10_000 } else { 100 };
                let name = matcher.fuzzy_match(known.name, &typed).map(|score| score + own);
                // If two fit equally well, the one that can be done comes first.
                let here = if self.can(known.action) { 20 } else { 0 };
                Some((name.max(matcher.fuzzy_match(&text, &typed))? + here, known))
            })
            .collect();
        scored.sort_by_key(|(score, _)| -score);
        scored.into_iter().map(|(_, known)| known).collect()
    }
}

/// Earlier searches, and the one that was brought back last.
#[derive(Default)]
pub struct SearchHistory {
    texts: Vec<String>,
    /// Counted from the newest; 0 is what was being typed.
    back: usize,
    typed: String,
}

impl SearchHistory {
    /// So many are remembered.
    const MOST: usize = 100;

    /// Remembers a search, the same one once.
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

    /// Whether an earlier one was brought back.
    pub fn is_back(&self) -> bool {
        self.back > 0
    }

    /// The search before the one at hand, or after it; `None` where there is none.
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

/// Longer than any query that a person types, and short enough to parse at every key.
const LONGEST: usize = 4_000;

/// Line ends and tabs become blanks. All other characters stay, and are shown as what they are.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).take(LONGEST).collect()
}
