//! The keys in use: the table of actions, changed by a preset and by the user's settings.
//!
//! They are fixed before the screens start, and are the same for hints, help and keys.

use std::sync::OnceLock;

use super::action::{ACTIONS, Action};
use super::key_lookup::parse_key;

static IN_USE: OnceLock<Keymap> = OnceLock::new();

/// A set of keys that settings can change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum KeymapPreset {
    /// 1 to 5 are the panes.
    #[default]
    Palimp,
    /// Arrows and named keys move; the letters of vim do not.
    Arrows,
}

/// The keys of the preset that differ from the table.
const ARROWS: [(Action, &[&str]); 8] = [
    (Action::Down, &["Down"]),
    (Action::Up, &["Up"]),
    (Action::PaneLeft, &["Left"]),
    (Action::PaneRight, &["Right"]),
    (Action::Top, &["Home"]),
    (Action::Last, &["End"]),
    (Action::Search, &["/", "Ctrl-f"]),
    (Action::Delete, &["d", "Delete"]),
];

/// The keys of all actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// Indexed by [`Action`].
    keys: Vec<Vec<String>>,
}

impl Keymap {
    /// Makes the keys of a preset, changed by the user's settings. A key that the settings give to one action
    /// is taken from the others.
    ///
    /// # Errors
    ///
    /// Returns the action whose keys can't be used, and why.
    pub fn new(preset: KeymapPreset, own: &[(Action, Vec<String>)]) -> Result<Keymap, (Action, String)> {
        let mut keys = default_keys();
        let of_preset: &[(Action, &[&str])] = match preset {
            KeymapPreset::Palimp => &[],
            KeymapPreset::Arrows => &ARROWS,
        };
        for (action, changed) in of_preset {
            keys[*action as usize] = owned(changed);
        }
        for (action, wanted) in own {
            let is_own = |keys: &str| action.info().default_keys.contains(&keys);
            if let Some(wrong) = wanted.iter().find(|keys| !is_own(keys) && !can_be_pressed(keys)) {
                return Err((*action, no_key(wrong)));
            }
            keys.iter_mut().for_each(|of| of.retain(|key| !wanted.contains(key)));
        }
        for (action, wanted) in own {
            keys[*action as usize].clone_from(wanted);
        }
        let keymap = Keymap { keys };
        match own.iter().find_map(|(action, wanted)| Some((*action, keymap.clash(*action, wanted)?))) {
            Some(clash) => Err(clash),
            None => Ok(keymap),
        }
    }

    /// Says how keys of an action conflict with those of another.
    fn clash(&self, action: Action, wanted: &[String]) -> Option<String> {
        let begins =
            |short: &str, long: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with(' '));
        let others = ACTIONS.iter().filter(|known| known.action != action);
        others
            .flat_map(|known| self.keys[known.action as usize].iter().map(move |key| (known, key)))
            .find_map(|(known, key)| {
                let own = wanted.iter().find(|own| *own == key || begins(own, key) || begins(key, own))?;
                Some(match own == key {
                    true => format!("{own} is a key of \"{}\" too", known.name),
                    false if begins(own, key) => {
                        format!("{own} can't be pressed alone: \"{}\" has {key}", known.name)
                    }
                    false => format!("{own} can't follow {key}, which is \"{}\"", known.name),
                })
            })
    }

    /// Returns the keys of an action, the one for hints first.
    pub fn of(&self, action: Action) -> &[String] {
        self.keys.get(action as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the action of a sequence of keys.
    pub fn action(&self, keys: &str) -> Option<Action> {
        let is_own = |known: &&super::action::ActionInfo| self.of(known.action).iter().any(|own| own == keys);
        ACTIONS.iter().find(is_own).map(|known| known.action)
    }

    /// True if these keys may begin a longer sequence.
    pub fn begins(&self, keys: &str) -> bool {
        let goes_on = |own: &String| own.strip_prefix(keys).is_some_and(|rest| rest.starts_with(' '));
        self.keys.iter().flatten().any(goes_on)
    }

    /// Uses these keys from now on. Only the first call of a run has an effect.
    pub fn use_it(self) {
        let _ = IN_USE.set(self);
    }
}

/// Returns the keys in use.
pub fn in_use() -> &'static Keymap {
    IN_USE.get_or_init(|| Keymap { keys: default_keys() })
}

fn default_keys() -> Vec<Vec<String>> {
    ACTIONS.iter().map(|known| owned(known.default_keys)).collect()
}

fn owned(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|&key| key.to_owned()).collect()
}

/// Says why an action can't have these keys.
fn no_key(keys: &str) -> String {
    match RESERVED.contains(&keys) {
        true => format!("{keys} always cancels, or goes to the shell"),
        false => format!("{keys:?} is not a key, such as \"x\", \"F9\", \"Ctrl-x\" or \"g x\""),
    }
}

/// Keys with the same meaning everywhere.
const RESERVED: [&str; 2] = ["Ctrl-c", "Ctrl-z"];

/// True if keys have the names that key presses produce.
fn can_be_pressed(keys: &str) -> bool {
    !keys.is_empty()
        && !RESERVED.contains(&keys)
        && keys.split(' ').all(|key| parse_key(key).is_some_and(|of| super::key_lookup::name(of) == key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(action: Action, keys: &[&str]) -> Vec<(Action, Vec<String>)> {
        vec![(action, keys.iter().map(|&key| key.to_owned()).collect())]
    }

    #[test]
    fn in_every_preset_no_key_means_two_things_and_each_can_be_pressed() {
        for preset in [KeymapPreset::Palimp, KeymapPreset::Arrows] {
            let keymap = Keymap::new(preset, &[]).unwrap();
            for known in ACTIONS {
                let keys = keymap.of(known.action);
                assert_eq!(keymap.clash(known.action, keys), None, "{}", known.name);
                let own = known.action != Action::Suspend;
                assert!(keys.iter().all(|keys| !own || can_be_pressed(keys)), "{keys:?}");
            }
        }
    }

    #[test]
    fn a_key_of_the_settings_is_taken_from_the_action_that_had_it() {
        let keymap = Keymap::new(KeymapPreset::Palimp, &own(Action::Archive, &["d", "F9"])).unwrap();
        assert_eq!(keymap.action("d"), Some(Action::Archive));
        assert_eq!(keymap.action("F9"), Some(Action::Archive));
        assert_eq!(keymap.action("a"), None);
        assert!(keymap.of(Action::Delete).is_empty());
    }

    #[test]
    fn keys_that_can_not_be_told_apart_are_refused_with_the_action_that_has_them() {
        let refused =
            |keys: &[&str]| Keymap::new(KeymapPreset::Palimp, &own(Action::Archive, keys)).unwrap_err().1;
        assert_eq!(refused(&["g"]), "g can't be pressed alone: \"top\" has g g");
        assert_eq!(refused(&["j k"]), "j k can't follow j, which is \"down\"");
        assert!(refused(&["Hyper-q"]).starts_with("\"Hyper-q\" is not a key, such as"));
        assert!(refused(&["Ctrl-c"]).contains("always cancels"));
        let both = [own(Action::Archive, &["F9"]), own(Action::Delete, &["F9"])].concat();
        assert!(Keymap::new(KeymapPreset::Palimp, &both).unwrap_err().1.contains("F9 is a key of"));
    }
}
