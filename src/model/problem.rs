//! Problems: stable codes, severities and places.

use std::path::PathBuf;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something can't be read, or contradicts its specification.
    Error,
    /// Something works, but should be looked at.
    Warning,
    /// A deviation that harms nothing.
    Note,
}

impl Severity {
    /// Returns the word in `check` and in the documentation.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $word:literal $meaning:literal),* $(,)?) => {
        /// The stable code of a problem, the same in `check`, on screens and in the documentation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// Returns the stable word.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $word,)* }
            }

            /// Returns its meaning in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    TornLine "torn-line" "A line ends in the middle of a memory or a tombstone, probably because its writer stopped.",
    GluedRecords "glued-records" "Several memories are on one line.",
    ExtraBrace "extra-brace" "An extra closing brace follows a memory.",
    MultiLineRecord "multi-line-record" "One memory is spread over several lines.",
    NulBytes "nul-bytes" "The line or file contains NUL bytes, probably after a power cut.",
    InvalidUtf8 "invalid-utf8" "The line is not UTF-8.",
    RawNewline "raw-newline" "A string contains an unescaped line break.",
    BadJson "bad-json" "The text is not JSON.",
    NotAnObject "not-an-object" "The line is JSON, but not an object.",
    MissingField "missing-field" "A field that the format requires is missing.",
    WrongType "wrong-type" "A field has a value of the wrong type.",
    OutOfRange "out-of-range" "A value is outside its range or is not one of the allowed words.",
    TooLong "too-long" "A field or tag is longer than the format allows.",
    BadTimestamp "bad-timestamp" "A timestamp can't be read, or is not in the form of ISO 8601.",
    NoTimezone "no-timezone" "A timestamp has no time zone. It is read as UTC.",
    FutureTimestamp "future-timestamp" "A timestamp is more than five minutes ahead.",
    DuplicateId "duplicate-id" "Another memory has the same id. To change one of them, name it by its key.",
    DanglingReference "dangling-reference" "It refers to a memory or a file that is not there.",
    ChecksumMismatch "checksum-mismatch" "The checksum does not match the memory.",
    ChecksumLegacy "checksum-legacy" "The checksum is in the old form, which does not cover the content.",
    IndexStale "index-stale" "An index disagrees with the memories that it was made from.",
    IndexDue "index-due" "An index waits to be brought up to date with memories that palimp added.",
    IndexBroken "index-broken" "An index can't be read. It is rebuilt from the memories.",
    CountMismatch "count-mismatch" "A stored count disagrees with what is there.",
    HashMismatch "hash-mismatch" "A stored hash disagrees with its content.",
    ProjectionStale "projection-stale" "A generated file was made from an older state, or changed by hand.",
    EntryBlockStale "entry-block-stale" "The block in the entry file was made from an older state.",
    LimitExceeded "limit-exceeded" "A line, file, session or store is over the format's limit.",
    LimitNear "limit-near" "A line, file, session or store is at 90 % of the format's limit.",
    LoosePermissions "loose-permissions" "Other users of this machine may read or write it.",
    StaleLock "stale-lock" "A lock was left behind by a process that is gone.",
    LeftoverTemp "leftover-temp" "A temporary file was left behind.",
    LinkOutside "link-outside" "A symbolic link leads out of the store and is not followed, or a file has a second name (a hard link).",
    NotARegularFile "not-a-regular-file" "This is not a regular file. It is never opened.",
    UnreadableFile "unreadable-file" "The system does not let palimp read it.",
    ConfigContradiction "config-contradiction" "Two settings contradict each other.",
    BadFrontMatter "bad-front-matter" "A note's front matter can't be read.",
    EmptyFrontMatter "empty-front-matter" "A front matter says nothing of its memory, probably because its writer emptied it.",
    DoubleFrontMatter "double-front-matter" "A second front matter follows the first.",
    PlaceholderText "placeholder-text" "A line only says that other text stays, which may be lost.",
    UnsupportedVersion "unsupported-version" "It has a version that the format does not know.",
    ArchiveBroken "archive-broken" "An archive can't be read.",
    ConflictMarkers "conflict-markers" "A merge left its markers in the file.",
    UnexpectedPlace "unexpected-place" "It is in a place where the format does not expect it.",
    ByteOrderMark "byte-order-mark" "A byte order mark is at the start of the file, or before a memory.",
    ErasedAnew "erased-anew" "An erased memory was written again.",
    HiddenMemory "hidden-memory" "A memory was written under an id that was deleted before, and is hidden.",
    SyncFailed "sync-failed" "The last sync of an imported source failed. What was imported before stays.",
    EmptyRecord "empty-record" "The main text is empty: the memory says nothing.",
    OrphanNote "orphan-note" "The index does not lead to the file, so an agent may never open it.",
    StaleClaim "stale-claim" "It names a file that the project does not have any more.",
    ProjectMoved "project-moved" "The project of the memories is not at its path any more, so no agent loads them.",
    TwoFoldersOfOneProject "two-folders-of-one-project" "The project has memories in two folders, and an agent loads one of them.",
    NotLoaded "not-loaded" "No agent loads the memories when it starts.",
    WaitingForApproval "waiting-for-approval" "Writes of an agent wait until its user approves them: no model gets them.",
    ChangeUndone "change-undone" "Another program wrote a file as it was before palimp changed it.",
    SecretInIndex "secret-in-index" "A line of an index has what looks like a secret, and is no memory.",
    RoundTrip "round-trip" "The program that owns the file would write it in another way, and refuses to change it.",
    UntrustedText "untrusted-text" "It has what a model reads and a person does not see, or orders to ignore rules, to hide something, or to send it out.",
    SyncConflict "sync-conflict" "A sync program kept two versions of the file.",
    UnclosedBlock "unclosed-block" "A block that a program writes has a start and no end.",
    NoFinalNewline "no-final-newline" "The file's last line has no line end.",
}

/// One problem, its place, and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: Code,
    pub severity: Severity,
    /// The file or folder, relative to the store's root; empty for the root itself.
    pub file: PathBuf,
    /// The line, from 1, if the problem has one.
    pub line: Option<u32>,
    /// The record of the file that it concerns, as an index into `Document::records`.
    pub record: Option<u32>,
    /// The id of that record. Untrusted text.
    pub id: Option<String>,
    /// A sentence that says what is wrong. It may quote the store: untrusted text.
    pub message: String,
}

impl Problem {
    /// Creates a problem of a whole file.
    pub fn of_file(
        code: Code,
        severity: Severity,
        file: impl Into<PathBuf>,
        message: impl Into<String>,
    ) -> Self {
        Problem {
            code,
            severity,
            file: file.into(),
            line: None,
            record: None,
            id: None,
            message: message.into(),
        }
    }

    /// Adds a line to it.
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    /// Adds a record of the file to it.
    pub fn of_record(mut self, record: u32, id: Option<&str>) -> Self {
        self.record = Some(record);
        self.id = id.map(str::to_owned);
        self
    }
}
