//! Words of palimp's own that are written, printed and compared: what a step does, and what it does to a file.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// Makes an enum of words. A word that is not among them, such as one of another version, is kept as it is.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($variant:ident $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
        #[serde(from = "String")]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`.")] $variant,)*
            /// Any other word.
            Other(String),
        }

        impl $name {
            /// Returns the word, as it is written and printed.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)*
                    $name::Other(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> $name {
                match &*word {
                    $($word => $name::$variant,)*
                    _ => $name::Other(word),
                }
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name::Other(String::new())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }
    };
}

words! {
    /// What a step does. A verb of the command line has the same word.
    Verb {
        Access "access",
        Add "add",
        Archive "archive",
        BackupCreate "backup create",
        BackupRestore "backup restore",
        Compact "compact",
        Copy "copy",
        Delete "delete",
        Edit "edit",
        Erase "erase",
        Erasing "erasing",
        Purge "purge",
        Init "init",
        Maintain "maintain",
        Merge "merge",
        Migrate "migrate",
        Move "move",
        QuarantineRestore "quarantine restore",
        Recover "recover",
        Redact "redact",
        Redo "redo",
        Reindex "reindex",
        Rename "rename",
        Repair "repair",
        Rescue "rescue",
        SessionArchive "session archive",
        SessionDelete "session delete",
        SessionNew "session new",
        SessionUnarchive "session unarchive",
        Tag "tag",
        Unarchive "unarchive",
        Undelete "undelete",
        Undo "undo",
    }
}

impl Verb {
    /// True if it leaves nothing for undo: it takes memories out for good, or a value.
    pub fn is_erasure(&self) -> bool {
        matches!(self, Verb::Erase | Verb::Purge)
    }
}

words! {
    /// How an erasure ended: `left` if something was found afterwards.
    ErasureState {
        Erased "erased",
        Left "left",
    }
}

words! {
    /// What a change does to its file or folder.
    ChangeKind {
        Append "append",
        Create "create",
        Remove "remove",
        Rewrite "rewrite",
    }
}

#[cfg(test)]
mod tests {
    use super::Verb;

    #[test]
    fn a_word_of_another_version_is_read_and_written_as_it_is() {
        for (word, is_other) in [("\"session new\"", false), ("\"fold\"", true)] {
            let verb: Verb = serde_json::from_str(word).unwrap();
            assert_eq!(matches!(verb, Verb::Other(_)), is_other);
            assert_eq!(serde_json::to_string(&verb).unwrap(), word);
        }
    }
}
