//! Names that repeat what an erased record said: they don't stay in our own data.

use std::path::{Path, PathBuf};

use super::contents::Contents;
use super::digests::salted;
use super::wanted::Target;
use crate::model::{Tell, meant};

/// So many digits tell one hidden name from another.
const DIGITS: usize = 8;

/// Names, and what stands for each.
#[derive(Default)]
pub struct Names(Vec<(String, String)>);

impl Names {
    /// The names of those records that repeat what they said.
    pub fn of(targets: &[Target], contents: &Contents, salt: &[u8]) -> Names {
        let mut names: Vec<String> = Vec::new();
        for own in targets {
            let stem = own.file.file_stem().map(|stem| stem.told().into_owned());
            let each = [own.name().map(str::to_owned), stem].into_iter().flatten();
            names.extend(each.filter(|name| contents.tells(name)));
        }
        // One that holds another is replaced before it.
        names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        names.dedup();
        let hidden = |name: String| {
            let digest = salted(salt, name.as_bytes());
            let digits = digest.rsplit(':').next().unwrap_or_default();
            let stands = format!("erased-{}", digits.get(..DIGITS).unwrap_or(digits));
            (name, stands)
        };
        Names(names.into_iter().map(hidden).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them.
    pub fn each(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Whether it is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.each().any(|own| own == name)
    }

    /// Whether any of them stands in the bytes.
    pub fn any(&self, bytes: &[u8]) -> bool {
        self.each().any(|own| memchr::memmem::find(bytes, own.as_bytes()).is_some())
    }

    /// A text with what stands for them.
    pub fn hidden(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, stands)| text.replace(name, stands))
    }

    /// A path with what stands for them.
    pub fn hidden_in(&self, path: &Path) -> PathBuf {
        if self.is_empty() { path.to_owned() } else { meant(&self.hidden(&path.told())) }
    }
}
