//! What is wrong: stable codes, severities, and where.

use std::path::PathBuf;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something can't be read, or contradicts its specification.
    Error,
    /// Something works, and should be looked at.
    Warning,
    /// A deviation that harms nothing.
    Note,
}

impl Severity {
    /// The word in `check` and in the documentation.
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
        /// A problem's stable code, the same in `check`, screens and documentation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The stable word.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $word,)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    TornLine "torn-line" "A line ends before its object does, as after a crash while it was written.",
    GluedRecords "glued-records" "Several objects are on one line.",
    ExtraBrace "extra-brace" "An extra closing brace follows an object.",
    MultiLineRecord "multi-line-record" "One object is spread over several lines.",
    NulBytes "nul-bytes" "The line or the file holds NUL bytes, as after a power cut.",
    InvalidUtf8 "invalid-utf8" "The line is not UTF-8.",
    RawNewline "raw-newline" "A string holds an unescaped line break.",
    BadJson "bad-json" "The text is not JSON.",
    NotAnObject "not-an-object" "The line is JSON, but not an object.",
    MissingField "missing-field" "A field that the format requires is absent.",
    WrongType "wrong-type" "A field's value is of another type than the format says.",
    OutOfRange "out-of-range" "A value lies outside its range or enumeration.",
    TooLong "too-long" "One field or tag is longer than the format allows.",
    BadTimestamp "bad-timestamp" "A timestamp can't be read, or is not spelled as ISO 8601 has it.",
    NoTimezone "no-timezone" "A timestamp names no time zone; it is read as UTC.",
    FutureTimestamp "future-timestamp" "A timestamp lies more than five minutes ahead.",
    DuplicateId "duplicate-id" "Another record has the same id; a verb that changes one of them takes its key.",
    DanglingReference "dangling-reference" "A record refers to an id that is not there.",
    ChecksumMismatch "checksum-mismatch" "The checksum does not match the record.",
    ChecksumLegacy "checksum-legacy" "The checksum is in the old form, which does not cover the content.",
    IndexStale "index-stale" "An index disagrees with the records it was made from.",
    IndexBroken "index-broken" "An index can't be read; it is rebuilt from the records.",
    CountMismatch "count-mismatch" "A recorded count disagrees with what is there.",
    HashMismatch "hash-mismatch" "A recorded hash disagrees with its content.",
    ProjectionStale "projection-stale" "A generated file was made from an older state, or was changed by hand.",
    EntryBlockStale "entry-block-stale" "The block in the entry file was made from an older state.",
    LimitExceeded "limit-exceeded" "A line, file, session or store is over the format's limit.",
    LimitNear "limit-near" "A line, file, session or store is at 90 % of the format's limit.",
    LoosePermissions "loose-permissions" "Others on this machine may read or write it.",
    StaleLock "stale-lock" "A lock was left behind by a process that is gone.",
    LeftoverTemp "leftover-temp" "A temporary file was left behind.",
    LinkOutside "link-outside" "A symbolic link leads out of the store and is not followed, or a file has another name (a hard link).",
    NotARegularFile "not-a-regular-file" "This is not a regular file; it is never opened.",
    UnreadableFile "unreadable-file" "The system does not let us read it.",
    ConfigContradiction "config-contradiction" "Two settings contradict each other.",
    BadFrontMatter "bad-front-matter" "A note's front matter can't be read.",
    UnsupportedVersion "unsupported-version" "It names a version that the format does not have.",
    ArchiveBroken "archive-broken" "An archive can't be read.",
    ConflictMarkers "conflict-markers" "A merge left its markers in the file.",
    UnexpectedPlace "unexpected-place" "It is where the format does not expect it.",
    ByteOrderMark "byte-order-mark" "A byte order mark is at the start of the file, or before an object.",
    ErasedAnew "erased-anew" "An erased record has been written again.",
    SyncFailed "sync-failed" "The last sync of an imported source failed; what was imported before stays.",
    EmptyRecord "empty-record" "The main text is empty: the memory says nothing.",
    NoFinalNewline "no-final-newline" "The file's last line has no line end.",
}

/// One problem, where it is, and what it says to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What kind it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// The file or folder, relative to the store's root; the root itself is empty.
    pub file: PathBuf,
    /// The line, from 1, where the problem has one.
    pub line: Option<u32>,
    /// Which record of the file it concerns, as an index into `Document::records`.
    pub record: Option<u32>,
    /// The id of the record concerned. Untrusted text.
    pub id: Option<String>,
    /// What is wrong, in a sentence. May quote the store: untrusted text.
    pub message: String,
}

impl Problem {
    /// A problem of a whole file.
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

    /// The same problem, at a line.
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    /// The same problem, of one record of the file.
    pub fn of_record(mut self, record: u32, id: Option<&str>) -> Self {
        self.record = Some(record);
        self.id = id.map(str::to_owned);
        self
    }
}
