//! What files beside a folder say about what a program loads of it: its settings, and what it loads before.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::family::Family;
use super::load_rule::rules_of;
use crate::format::ReadFile;
use crate::model::LoadSettings;
use crate::text::front_matter::Note;

/// Settings that are numbers or switches, by their names.
type NumberSettings = Vec<(String, usize)>;

/// Where the settings of a program are, and how they are written.
pub struct SettingsPlace {
    /// The files, relative to the root. The first that exists counts.
    pub files: &'static [&'static str],
    /// Returns the settings of a root that are numbers or switches; the last of a name counts.
    pub read: fn(&Path, &str) -> Option<NumberSettings>,
    /// What is loaded before the memories, relative to the root.
    pub before: &'static [&'static str],
}

pub fn of(family: &Family, root: &Path, read: ReadFile<'_>) -> LoadSettings {
    let mut settings = LoadSettings::NONE;
    let is_above = |name: &&str| root.iter().any(|part| part == *name);
    settings.below =
        rules_of(family.about.name).iter().map(|own| own.below).find(is_above).unwrap_or_default();
    let Some(place) = &family.settings else { return settings };
    let found = place.files.iter().find_map(|file| Some((PathBuf::from(file), read(&at(root, file)?)?)));
    if let Some((file, bytes)) = found {
        let values = bytes.and_then(|own| {
            let text = String::from_utf8(own).map_err(|_| "it is not UTF-8")?;
            Ok((place.read)(root, &text).ok_or("its form is wrong")?)
        });
        match values {
            Ok(values) => (settings.numbers, settings.file) = (values, Some(file)),
            Err(why) => settings.unread = Some((file, why)),
        }
    }
    let size = |file: &&str| {
        let bytes = read(&root.join(file))?.ok()?;
        Some(String::from_utf8_lossy(&bytes).trim_end().encode_utf16().count())
    };
    settings.before = place.before.iter().filter_map(size).collect();
    settings
}

/// Returns the path of a file that is relative to a root. The root may be a link: what is beside its name counts.
fn at(root: &Path, file: &str) -> Option<PathBuf> {
    let (mut folder, mut rest) = (root, file);
    while let Some(below) = rest.strip_prefix("../") {
        (folder, rest) = (folder.parent()?, below);
    }
    Some(folder.join(rest))
}

/// Reads `memory:` of Hermes' `config.yaml` as a field of front matter: values in lines below it, or in braces.
pub fn hermes(_: &Path, text: &str) -> Option<NumberSettings> {
    let text = text.trim_start_matches('\u{feff}').replace("---", "");
    let start = if text.starts_with('{') { "memory: " } else { "" };
    let front = format!("---\n{start}{text}\n---\n");
    let note = Note::read(&front);
    let Some(memory) = note.field("memory") else { return Some(Vec::new()) };
    let value = memory.value.plain();
    let braces = value.strip_prefix('{').unwrap_or_default();
    let pairs = braces.split(['{', ',', '}']).filter_map(|pair| pair.split_once(':'));
    let below = memory.below.iter().filter_map(|field| yaml_number(field.name, &field.value.plain()));
    Some(below.chain(pairs.filter_map(|(name, value)| yaml_number(name, value))).collect())
}

/// Returns a name with its value, if that is a number or a switch.
fn yaml_number(name: &str, value: &str) -> Option<(String, usize)> {
    let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let number = match plain(value).to_lowercase().replace('_', "").as_str() {
        "true" | "yes" | "on" => 1.0,
        "false" | "no" | "off" => 0.0,
        number => number.parse().ok()?,
    };
    Some((plain(name), whole(number)?))
}

fn whole(number: f64) -> Option<usize> {
    (number.is_finite() && number >= 0.0).then_some(number as usize)
}

/// Reads `agents` of OpenClaw's `openclaw.json`: the defaults, and then what the agent of this workspace has.
pub fn openclaw(root: &Path, text: &str) -> Option<NumberSettings> {
    let all = json5::from_str::<Value>(text).ok()?;
    let agents = all.get("agents").unwrap_or(&Value::Null);
    let both = [agents.get("defaults"), agent_at(root, agents)];
    let values = both.into_iter().flatten().filter_map(Value::as_object).flatten();
    let number = |(name, value): (&String, &Value)| {
        Some((name.clone(), whole(value.as_f64()?).filter(|own| *own > 0)?))
    };
    Some(values.filter_map(number).collect())
}

/// Returns the agent of a workspace: the one that names it or whose id is in its name, else the only one.
fn agent_at<'v>(root: &Path, agents: &'v Value) -> Option<&'v Value> {
    let text = |own: &'v Value, name| own.get(name).and_then(Value::as_str);
    let listed = agents.get("list").and_then(Value::as_array).into_iter().flatten();
    let listed = listed.map(|own| (text(own, "id").unwrap_or_default(), own));
    let named = agents.get("entries").and_then(Value::as_object).into_iter().flatten();
    let all: Vec<(&str, &Value)> = named.map(|(id, own)| (id.as_str(), own)).chain(listed).collect();
    let is_it = |(id, own): &&(&str, &'v Value)| match text(own, "workspace") {
        Some(path) => root.ends_with(path.strip_prefix("~/").unwrap_or(path)),
        None => {
            root.ends_with(format!("workspace-{id}"))
                || root.ends_with(format!("workspace/{id}"))
                || all.len() == 1
        }
    };
    all.iter().find(is_it).map(|(_, own)| *own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(values: Option<NumberSettings>, name: &str) -> Option<usize> {
        let numbers = values.unwrap();
        LoadSettings { numbers, ..LoadSettings::NONE }.number(name)
    }

    #[test]
    fn plain_values_of_a_block_of_yaml_are_read_and_no_others() {
        let of = |text: &str, name: &str| number(hermes(Path::new("a/memories"), text), name);
        let text = "\u{feff}model: x\r\nmemory: # what it keeps\r\n\r\n  memory_enabled: no\r\n  # memory_char_limit: 1\r\n  \
                    \"memory_char_limit\": '3_200' # more\r\n  deep:\r\n    user_char_limit: 5\r\n  user_char_limit: 2000.0\r\n\
                    other:\r\n  memory_char_limit: 7\r\nmemory_char_limit: 8\r\n";
        assert_eq!(of(text, "memory_char_limit"), Some(3_200));
        assert_eq!((of(text, "memory_enabled"), of(text, "user_char_limit")), (Some(0), Some(2_000)));
        assert_eq!(of("memory: {memory_char_limit: 90, user_char_limit: 80}", "user_char_limit"), Some(80));
        assert_eq!(of("memory: {\n  memory_char_limit: 70,\n}\n", "memory_char_limit"), Some(70));
        for text in [
            "# all\n---\n\"memory\" :\n    'memory_char_limit' : !!int 70\n",
            "memory: &m # all\n\n  memory_char_limit: 7_0\n...\n",
            "other:\n  memory:\n    memory_char_limit: 5\nmemory:\n  {memory_char_limit: 70,\n   provider: x}\n",
            "{memory: {memory_char_limit: 70}}\n",
            "{\n  \"memory\": {\n    \"memory_char_limit\": 70\n  }\n}\n",
        ] {
            assert_eq!(of(text, "memory_char_limit"), Some(70), "{text}");
        }
        for text in [
            "",
            "memory:\n",
            "memory: 4\n",
            "memory:\n  memory_char_limit: ${LIMIT}\n",
            "memoryx:\n  memory_char_limit: 3\n",
        ] {
            assert_eq!(of(text, "memory_char_limit"), None, "{text}");
        }
    }

    #[test]
    fn an_agent_s_limit_counts_before_that_of_all() {
        let of = |root: &str, text: &str| number(openclaw(Path::new(root), text), "most");
        let text = "{agents: {defaults: {most: 9}, list: [{id: 'a', most: 3}, {id: 'b', workspace: '~/den/', most: 4}], entries: {c: {most: 5.9}}}}";
        for (root, most) in [("h/workspace-a", 3), ("h/den", 4), ("h/workspace/c", 5), ("h/workspace", 9)] {
            assert_eq!(of(root, text), Some(most), "{root}");
        }
        assert_eq!(
            of("h/workspace", "{agents: {defaults: {most: -1}, list: [{id: 'main', most: 2}]}}"),
            Some(2)
        );
        assert_eq!(of("h/workspace", "{}"), None);
        assert!(openclaw(Path::new("h"), "{agents").is_none());
    }
}
