//! Classifies the words of the command line before they are parsed: which of them are paths, and
//! what a dash before a tag or a query word means.
//!
//! Verbs without a query take paths after the verb. If a query is expected, an argument that exists
//! and is `.` or `..` or has a slash is a path, and everything else is a word.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, FromArgMatches};
use strsim::osa_distance;

use super::args::GlobalOptions;
use super::command_line::Args;
use super::help;
use super::verb_info::OperandKind;
use super::verbs::{known, obeys};
use crate::cli::value_parsers::TAKEN;
use crate::disk::{Disk, RealDisk};
use crate::model::{PathText, path_from_text};
use crate::text::safe_text::sanitize;
use crate::text::shell_quote;

impl Args {
    /// Reads the arguments.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Args, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        let mut command = help::command_of(&words);
        let mut words = words.into_iter();
        let mut sorted = ClassifiedArgs::new(&command, words.next());
        words.for_each(|word| sorted.take(word));
        let words = sorted.whole()?;
        let matches = command.try_get_matches_from_mut(words)?;
        let mut args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        let GlobalOptions { stores, data_dir, .. } = &mut args.options;
        args.paths.iter_mut().chain(stores).chain(data_dir).for_each(|path| *path = named(path));
        Ok(args)
    }
}

/// Returns the path of a word: as it is typed, or the path that palimp shows in this way, if it exists.
fn named(word: &Path) -> PathBuf {
    let is_there = |path: &Path| RealDisk.look(path).is_ok();
    let told = word.to_str().map(path_from_text).filter(|told| told != word && is_there(told));
    told.unwrap_or_else(|| word.to_owned())
}

/// The words as they are parsed: paths come first, as `--store`.
struct ClassifiedArgs<'a> {
    command: &'a Command,
    /// The verb, and the verb inside it, if it has verbs of its own.
    verbs: Vec<OsString>,
    /// The number of words that the innermost verb has had.
    given: usize,
    words: Vec<OsString>,
    stores: Vec<OsString>,
    /// Words before any verb, which are paths.
    before: Vec<OsString>,
    /// The option whose value is the next word.
    option: Option<OsString>,
    /// True if the options are over.
    is_over: bool,
    /// Why a word can't mean what was typed.
    refused: Option<clap::Error>,
}

impl<'a> ClassifiedArgs<'a> {
    fn new(command: &'a Command, program: Option<OsString>) -> Self {
        ClassifiedArgs {
            command,
            verbs: Vec::new(),
            given: 0,
            words: program.into_iter().collect(),
            stores: Vec::new(),
            before: Vec::new(),
            option: None,
            is_over: false,
            refused: None,
        }
    }

    fn take(&mut self, word: OsString) {
        if let Some(option) = self.option.take() {
            // If some are before the verb and some after it, the parser would keep only the last ones.
            let target = if option == "--store" { &mut self.stores } else { &mut self.words };
            return target.extend([option, word]);
        }
        if !self.is_over && self.refuse_near_option(&word) {
            return;
        }
        let bytes = word.as_encoded_bytes();
        let has_dash = bytes.len() > 1 && bytes[0] == b'-';
        if !has_dash || self.is_over && !self.is_tag() {
            return self.plain(word);
        }
        match self.takes() {
            OperandKind::Tags | OperandKind::Query if bytes[1] != b'-' && !self.is_short(&word) => {
                self.words.push([OsString::from(TAKEN), word].into_iter().collect());
            }
            _ if self.is_over => self.plain(word),
            _ if bytes.starts_with(b"--store=") => self.stores.push(word),
            _ if self.has_value(&word) => self.option = Some(word),
            _ => {
                self.is_over = word == "--";
                self.words.push(word);
            }
        }
    }

    fn is_tag(&self) -> bool {
        self.verbs.first().is_some_and(|verb| verb == "tag")
    }

    fn takes(&self) -> OperandKind {
        let verb = self.verbs.first().and_then(|verb| known(verb.to_str()?));
        verb.map_or(OperandKind::Own, |own| own.takes)
    }

    /// True if a word is an option of one letter, alone or with its number.
    fn is_short(&self, word: &OsStr) -> bool {
        let Some(rest) = word.to_str().and_then(|word| word.strip_prefix('-')) else { return false };
        let mut letters = rest.chars();
        let Some(letter) = letters.next().filter(|_| !self.is_tag()) else { return false };
        let number = letters.as_str().trim_start_matches('=');
        match self.options().find(|own| own.get_short() == Some(letter)) {
            Some(_) => number.chars().all(|sign| sign.is_ascii_digit()),
            None => rest == "h",
        }
    }

    /// Returns the options of the innermost verb, and the options that every verb takes.
    fn options(&self) -> impl Iterator<Item = &clap::Arg> {
        self.innermost().into_iter().chain([self.command]).flat_map(Command::get_arguments)
    }

    /// True if it refused an option with wrong dashes. As an excluded word, it would select other memories.
    fn refuse_near_option(&mut self, word: &OsStr) -> bool {
        let verbs: Vec<&str> = self.verbs.iter().filter_map(|verb| verb.to_str()).collect();
        let verb = verbs.join(" ");
        let own =
            self.innermost().into_iter().flat_map(Command::get_arguments).filter(|own| !own.is_hide_set());
        let every = self.command.get_arguments().filter(|own| own.is_global_set());
        let every = every.filter(|own| obeys(&verb, own.get_id().as_str()));
        let built_in = ["help"].into_iter().chain(verbs.is_empty().then_some("version"));
        let known: Vec<&clap::Arg> = own.chain(every).collect();
        let letters = known.iter().filter_map(|own| own.get_short());
        let names = known.iter().filter_map(|own| own.get_long()).chain(built_in);
        let near = || near_option(word, names).map(|option| told_option(word, &option, self.takes()));
        let Some(message) = told_letter(word, letters).or_else(near) else { return false };
        self.refused.get_or_insert_with(|| clap::Error::raw(ErrorKind::UnknownArgument, message));
        true
    }

    /// Takes a word that is neither an option nor the value of one.
    fn plain(&mut self, word: OsString) {
        if self.verbs.is_empty() {
            if !self.is_over && is_verb(self.command, &word) && self.before.is_empty() {
                self.verbs.push(word.clone());
            } else {
                self.before.push(word.clone());
            }
            return self.words.push(word);
        }
        let takes = self.takes();
        if takes == OperandKind::Parts && self.verbs.len() == 1 {
            self.verbs.push(word.clone());
            return self.words.push(word);
        }
        let is_number = word.to_str().is_some_and(|word| word.parse::<u64>().is_ok());
        let is_path = match takes {
            OperandKind::Own | OperandKind::Tags => false,
            OperandKind::Query => is_place(&word),
            OperandKind::Paths => is_place(&word) || exists(&word) || has_slash(&word),
            OperandKind::Step => !is_number && (exists(&word) || has_slash(&word)),
            OperandKind::Parts => match self.room() {
                OperandRoom::Needed => false,
                OperandRoom::Possible => is_place(&word),
                OperandRoom::None => exists(&word) || has_slash(&word),
            },
        };
        match is_path {
            true => self.stores.extend([OsString::from("--store"), word]),
            false => {
                self.given += 1;
                self.words.push(word);
            }
        }
    }

    /// Returns what the innermost verb can do with one more word of its own.
    fn room(&self) -> OperandRoom {
        let Some(verb) = self.innermost() else { return OperandRoom::Needed };
        let mut own = verb.get_positionals();
        match own.nth(self.given) {
            Some(word) if word.is_required_set() => OperandRoom::Needed,
            Some(_) => OperandRoom::Possible,
            None => match verb.get_positionals().last() {
                Some(last) if last.get_num_args().is_some_and(|count| count.max_values() > 1) => {
                    OperandRoom::Possible
                }
                _ => OperandRoom::None,
            },
        }
    }

    fn innermost(&self) -> Option<&Command> {
        self.verbs.iter().try_fold(self.command, |command, verb| command.find_subcommand(verb))
    }

    fn has_value(&self, option: &OsStr) -> bool {
        let Some(word) = option.to_str() else { return false };
        let is_named = |own: &&clap::Arg| match word.strip_prefix("--") {
            Some(name) => own.get_long() == Some(name),
            None => own.get_short().is_some_and(|letter| word == format!("-{letter}")),
        };
        self.options().filter(is_named).any(|own| own.get_action().takes_values())
    }

    fn whole(mut self) -> Result<Vec<OsString>, clap::Error> {
        self.refused.take().map_or(Ok(()), Err)?;
        self.refuse_misplaced()?;
        // An option without its value is wrong. It stays where the parser reports it.
        self.words.extend(self.option);
        let front = self.words.len().min(1);
        self.words.splice(front..front, self.stores);
        Ok(self.words)
    }

    /// Refuses a verb after a path, and a word that is nearly a verb.
    fn refuse_misplaced(&self) -> Result<(), clap::Error> {
        let refused = |message: String| Err(clap::Error::raw(ErrorKind::InvalidSubcommand, message));
        let [first, others @ ..] = self.before.as_slice() else { return Ok(()) };
        let shown = |word: &OsString| sanitize(&word.to_text()).into_owned();
        if let Some(verb) = others.iter().find(|word| is_verb(self.command, word) && !exists(word)) {
            // The paths are quoted as they were typed: in an escaped form they would be other names.
            let paths = self.before.iter().filter(|word| *word != verb);
            let paths: Vec<String> = paths.map(|path| shell_quote::word(&path.to_text())).collect();
            let verb = shown(verb);
            return refused(format!("the path comes after the verb: palimp {verb} {}\n", paths.join(" ")));
        }
        match near_verb(self.command, first) {
            Some(verb) if !exists(first) && !has_slash(first) => {
                let word = shown(first);
                refused(format!(
                    "{word} is neither a verb nor a file or folder here. Did you mean palimp {verb}?\n"
                ))
            }
            _ => Ok(()),
        }
    }
}

enum OperandRoom {
    Needed,
    Possible,
    None,
}

fn is_verb(command: &Command, word: &OsStr) -> bool {
    word == "help" || command.find_subcommand(word).is_some()
}

fn has_slash(word: &OsStr) -> bool {
    word.as_encoded_bytes().contains(&b'/')
}

fn exists(word: &OsStr) -> bool {
    RealDisk.look(&named(Path::new(word))).is_ok()
}

fn is_place(word: &OsStr) -> bool {
    (has_slash(word) || word == "." || word == "..") && exists(word)
}

/// Returns the verb that the user probably meant by the word, if one is near enough.
fn near_verb(command: &Command, word: &OsStr) -> Option<String> {
    let word = word.to_str()?;
    let most = if word.len() < 5 { 1 } else { 2 };
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let far = verbs.map(|verb| (osa_distance(word, verb.get_name()), verb.get_name()));
    far.filter(|(far, _)| *far <= most).min().map(|(_, verb)| verb.to_owned())
}

/// Returns the option that a word means although its dashes are wrong: one is missing, one is
/// extra, or a program has replaced two dashes by a long one.
fn near_option<'a>(word: &OsStr, options: impl Iterator<Item = &'a str>) -> Option<String> {
    let word = word.to_str()?;
    let name = word.trim_start_matches(['-', '–', '—']);
    let dashes =
        word.get(..word.len() - name.len()).filter(|dashes| !dashes.is_empty() && *dashes != "--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let mut named = options.filter(|own| *own == name && dashes.chars().count() < 4);
    named.next().map(str::to_owned)
}

/// Returns the message about an option of one letter that has an extra dash.
fn told_letter(word: &OsStr, mut letters: impl Iterator<Item = char>) -> Option<String> {
    let name = word.to_str()?.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let letter = letters.find(|own| name.strip_prefix(*own) == Some(""))?;
    Some(format!("--{letter} is no option. Did you mean -{letter}?\n"))
}

/// Returns a message that names the option, and says how to type the word if it is really meant.
fn told_option(word: &OsStr, option: &str, takes: OperandKind) -> String {
    let word = word.to_text();
    let shown = sanitize(&word);
    let instead = match takes {
        OperandKind::Query => format!(" To find what is without the word, type -'\"{option}\"'."),
        OperandKind::Tags => format!(" To remove the tag, type it after two dashes: -- -{option}"),
        _ => String::new(),
    };
    format!("{shown} is no option. Did you mean --{option}?{instead}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::value_parsers::taken;
    use crate::cli::verbs::VerbArgs;

    fn read(words: &[&str]) -> Result<Args, clap::Error> {
        Args::read(["palimp"].iter().chain(words).map(OsString::from))
    }

    fn stores(words: &[&str]) -> Vec<String> {
        let args = read(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        args.options.stores.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn paths_come_after_the_verb_and_numbers_and_names_stay_its_own() {
        for verb in
            ["stores", "check", "stats", "journal", "compact", "reindex", "maintain", "migrate", "redo"]
        {
            assert_eq!(stores(&[verb, ".", "src"]), [".", "src"], "{verb}");
            assert_eq!(stores(&["--store", "a", verb, "./x", "--store=b"]), ["a", "./x", "b"], "{verb}");
        }
        assert_eq!(stores(&["repair", "--all-safe", "src"]), ["src"]);
        assert_eq!(stores(&["compact", "--session", "src", "."]), ["."]);
        assert_eq!(stores(&["undo", "3", "src"]), ["src"]);
        assert!(matches!(
            read(&["undo", "3", "./src"]).unwrap().verb,
            Some(VerbArgs::Undo { step: Some(3) })
        ));
        assert_eq!(stores(&["undo", "./src"]), ["./src"]);
        let one = "backup list src|backup create src|backup diff ./src src|backup restore x m-1 src/|\
            session new ./src|session new src src|session list src|session export src --format json src|\
            session delete src src";
        for words in one.split('|') {
            assert_eq!(stores(&words.split(' ').collect::<Vec<_>>()).len(), 1, "{words}");
        }
        assert!(read(&["undo", "abc"]).is_err() && read(&["check", "nosuch"]).is_err());
    }

    #[test]
    fn in_a_query_what_has_a_slash_and_exists_is_a_path_and_a_dash_takes_away() {
        let query =
            |words: &[&str]| match read(words).unwrap_or_else(|error| panic!("{words:?}: {error}")).verb {
                Some(
                    VerbArgs::List { query, .. }
                    | VerbArgs::Search { query, .. }
                    | VerbArgs::Export { query, .. },
                ) => query,
                _ => Vec::new(),
            };
        for verb in [&["list"][..], &["search"], &["export", "--format", "json"]] {
            let with = |words: &[&'static str]| [verb, words].concat();
            let words = with(&["./src", "src", "a/b", "-tag:x", "-\"old words\"", "..", "--limit", "3"]);
            let words = if verb[0] == "export" { &words[..words.len() - 2] } else { &words[..] };
            assert_eq!(stores(words), ["./src", ".."], "{verb:?}");
            assert_eq!(query(words), ["src", "a/b", "-tag:x", "-\"old words\""], "{verb:?}");
            assert!(read(&with(&["-h"])).is_err_and(|error| !error.use_stderr()), "{verb:?}");
        }
        assert_eq!(query(&["list", "--", "-x", "--y"]), ["-x", "--y"]);
    }

    #[test]
    fn a_tag_to_take_away_needs_no_dashes_before_it() {
        let Some(VerbArgs::Tag { words, .. }) = read(&["tag", "m-1", "+new", "-old", "-h"]).unwrap().verb
        else {
            panic!("a tag")
        };
        let told: Vec<_> = words.iter().map(|word| taken(word).unwrap_or(word)).collect();
        assert_eq!(told, ["m-1", "+new", "old", "h"]);
    }

    #[test]
    fn a_verb_behind_a_path_and_one_that_is_misspelt_are_told_what_to_type() {
        let said = |words: &[&str]| read(words).unwrap_err().to_string();
        assert!(said(&["./src", "check"]).contains("palimp check ./src"), "{}", said(&["./src", "check"]));
        assert!(said(&["src", "--json", "list"]).contains("palimp list src"));
        for (word, verb) in
            [("serach", "search"), ("lst", "list"), ("chekc", "check"), ("undelet", "undelete")]
        {
            assert!(said(&[word]).contains(&format!("palimp {verb}?")), "{word}");
        }
        for words in [&["src"][..], &["./serach"], &["zzz"], &[]] {
            assert!(read(words).is_ok(), "{words:?}");
        }
    }
}
