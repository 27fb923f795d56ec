//! The settings of the screens: a TOML file in the user's configuration folder (`docs/screens.md`).

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use strsim::osa_distance;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Failure, Result};
use crate::disk::{Disk, RealDisk};
use crate::model::PathText;
use crate::tui::ColourPalette;
use crate::tui::action::{ACTIONS, Action};
use crate::tui::keymap::{self, Keymap, KeymapPreset};

/// A longer file, in bytes, is refused.
const LONGEST: u64 = 1 << 20;
const NAMES: [&str; 7] = ["theme", "ascii", "mouse", "linear", "reduced-motion", "preset", "keys"];

/// The settings of the file, with the defaults for what it leaves open.
#[derive(Debug, Default)]
pub struct ScreenSettings {
    pub theme: ColourPalette,
    pub ascii: bool,
    pub no_mouse: bool,
    pub linear: bool,
    pub reduced_motion: bool,
    preset: KeymapPreset,
    keys: Vec<(Action, Vec<String>)>,
    /// The places in the file of the keys of each action.
    places: Vec<Range<usize>>,
}

#[derive(Debug)]
struct ConfigError {
    at: Range<usize>,
    why: String,
}

impl ConfigError {
    fn new(at: Range<usize>, why: impl Into<String>) -> ConfigError {
        ConfigError { at, why: why.into() }
    }
}

fn usual_place() -> Option<PathBuf> {
    let own = directories::ProjectDirs::from("", "", "palimp")?;
    Some(own.config_dir().join("config.toml")).filter(|own| own.is_absolute())
}

/// Reads the settings of the named file, or of the usual one if it exists. Their keys are used from then on.
/// Fails if a named file can't be read, or a file has something that can't be understood. The error has its line.
pub fn read(named: Option<&Path>) -> Result<ScreenSettings> {
    let Some(path) = named.map(Path::to_owned).or_else(usual_place) else {
        return Ok(ScreenSettings::default());
    };
    let bytes = match RealDisk.read(&path, 0, Some(LONGEST)) {
        Ok((bytes, _)) => bytes,
        Err(_) if named.is_none() && RealDisk.look(&path).is_err() => return Ok(ScreenSettings::default()),
        Err(error) => {
            let message =
                format!("The settings in {} can't be read: {error}. No store was opened.", path.to_text());
            return Err(Failure::failed(message));
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let read = parse(&text).and_then(|own| Ok((keymap(&own)?, own)));
    let (keymap, own) = read.map_err(|wrong| {
        let end = if wrong.why.ends_with('?') { "" } else { "." };
        let line = text.get(..wrong.at.start).unwrap_or_default().matches('\n').count() + 1;
        Failure::usage(format!("{}:{line}: {}{end} No store was opened.", path.to_text(), wrong.why))
    })?;
    keymap.use_it();
    Ok(own)
}

fn keymap(own: &ScreenSettings) -> Result<Keymap, ConfigError> {
    Keymap::new(own.preset, &own.keys).map_err(|(action, why)| {
        let place = own.keys.iter().position(|(of, _)| *of == action);
        let at = place.and_then(|place| own.places.get(place)).cloned().unwrap_or_default();
        ConfigError::new(at, format!("keys of \"{}\": {why}", action.info().name))
    })
}

fn parse(text: &str) -> Result<ScreenSettings, ConfigError> {
    let table = DeTable::parse(text)
        .map_err(|error| ConfigError::new(error.span().unwrap_or_default(), error.message().trim()))?;
    let mut config = ScreenSettings::default();
    for (name, value) in table.get_ref() {
        match name.get_ref().as_ref() {
            "theme" => config.theme = one_of(value)?,
            "preset" => config.preset = one_of(value)?,
            "ascii" => config.ascii = is_true(value)?,
            "mouse" => config.no_mouse = !is_true(value)?,
            "linear" => config.linear = is_true(value)?,
            "reduced-motion" => config.reduced_motion = is_true(value)?,
            "keys" => (config.keys, config.places) = keys(value)?.into_iter().unzip(),
            other => return Err(unknown(name.span(), "setting", other, &NAMES)),
        }
    }
    Ok(config)
}

fn is_true(value: &Spanned<DeValue<'_>>) -> Result<bool, ConfigError> {
    let own = value.get_ref().as_bool();
    own.ok_or_else(|| ConfigError::new(value.span(), "it should be true or false"))
}

/// Reads a value by its name in the option of the command line.
fn one_of<T: ValueEnum>(value: &Spanned<DeValue<'_>>) -> Result<T, ConfigError> {
    let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = values.map(|own| own.get_name().to_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(text) = value.get_ref().as_str() else {
        return Err(ConfigError::new(value.span(), format!("it should be one of {}", names.join(", "))));
    };
    T::from_str(text, false).map_err(|_| unknown(value.span(), "value", text, &names))
}

/// An action with its keys, and their place in the file.
type ConfigKeys = ((Action, Vec<String>), Range<usize>);

/// Reads the table of keys: the name of an action, and one key or several.
fn keys(value: &Spanned<DeValue<'_>>) -> Result<Vec<ConfigKeys>, ConfigError> {
    let Some(table) = value.get_ref().as_table() else {
        return Err(ConfigError::new(value.span(), "keys should be a table: [keys]"));
    };
    let names: Vec<&str> = ACTIONS.iter().map(|known| known.name).collect();
    let own = table.iter().map(|(name, keys)| {
        let known = ACTIONS.iter().find(|known| known.name == name.get_ref().as_ref());
        let known = known.ok_or_else(|| unknown(name.span(), "action", name.get_ref(), &names))?;
        let text = |key: &Spanned<DeValue<'_>>| {
            let own = key.get_ref().as_str().map(str::to_owned);
            own.ok_or_else(|| ConfigError::new(key.span(), "a key should be text, such as \"Ctrl-x\""))
        };
        let keys_of = match keys.get_ref().as_array() {
            Some(several) => several.iter().map(text).collect::<Result<_, _>>()?,
            None => vec![text(keys)?],
        };
        Ok(((known.action, keys_of), name.span()))
    });
    own.collect()
}

/// Returns the error for an unknown name, with the one that was probably meant.
fn unknown(at: Range<usize>, what: &str, own: &str, known: &[&str]) -> ConfigError {
    let nearest = known.iter().min_by_key(|name| osa_distance(name, own));
    let meant = match nearest.filter(|name| osa_distance(name, own) <= 2.max(own.len() / 3)) {
        Some(name) => format!(". Did you mean \"{name}\"?"),
        None => format!(". There are: {}", known.join(", ")),
    };
    ConfigError::new(at, format!("\"{own}\" is no {what}{meant}"))
}

/// Returns the settings in use, as the text of a file.
pub fn print(own: &ScreenSettings) -> String {
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map_or(String::new(), |own| own.get_name().to_owned())
    };
    let mut text = format!(
        "# Settings of palimp's screens{}\n\
         theme = \"{}\"\nascii = {}\nmouse = {}\nlinear = {}\nreduced-motion = {}\n\
         preset = \"{}\"\n\n\
         # Keys by the names of actions. Keys one after the other have a space between them.\n[keys]\n",
        usual_place().map(|path| format!(": {}", path.to_text())).unwrap_or_default(),
        name(own.theme.to_possible_value()),
        own.ascii,
        !own.no_mouse,
        own.linear,
        own.reduced_motion,
        name(own.preset.to_possible_value()),
    );
    for known in ACTIONS {
        let keys: Vec<String> = keymap::in_use().of(known.action).iter().map(|key| quoted(key)).collect();
        text += &format!("{} = [{}]\n", quoted(known.name), keys.join(", "));
    }
    text
}

/// Quotes a text for TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> (usize, String) {
        let read = parse(text).and_then(|own| keymap(&own));
        let wrong = read.unwrap_err();
        (text[..wrong.at.start].matches('\n').count() + 1, wrong.why)
    }

    #[test]
    fn what_is_printed_says_the_same_when_it_is_read() {
        let own = parse(&print(&ScreenSettings::default())).unwrap();
        assert_eq!(keymap(&own).unwrap(), *keymap::in_use());
        let text = "theme = \"light\"\nmouse = false\nreduced-motion = true\npreset = \"arrows\"\n[keys]\narchive = \"F9\"\n";
        let own = parse(text).unwrap();
        assert!(own.no_mouse && !own.ascii && own.reduced_motion && own.theme == ColourPalette::Light);
        assert_eq!(keymap(&own).unwrap().of(Action::Archive), ["F9"]);
    }

    #[test]
    fn what_can_not_be_understood_is_told_with_its_line_and_what_was_meant() {
        assert_eq!(why("ascii = true\nthem = \"dark\"").0, 2);
        assert!(why("them = \"dark\"").1.contains("Did you mean \"theme\""));
        assert!(why("theme = \"drak\"").1.contains("Did you mean \"dark\""));
        assert!(why("theme = 3").1.contains("one of terminal, dark"));
        assert!(why("mouse = \"no\"").1.contains("true or false"));
        assert!(why("\n\n[keys]\narchiv = \"a\"").1.contains("Did you mean \"archive\""));
        assert_eq!(why("\n\n[keys]\narchive = \"g\"").0, 4);
        assert!(why("[keys]\narchive = 3").1.contains("should be text"));
        assert!(why("keys = 3").1.contains("[keys]"));
        assert_eq!(why("ascii = true\n= 3").0, 2);
    }
}
