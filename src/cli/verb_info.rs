//! What is known about a verb beside its arguments.

/// The kind of the words after a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// Only its own arguments.
    Own,
    /// Tags and ids.
    Tags,
    /// A query, with paths among its words.
    Query,
    /// Paths.
    Paths,
    /// A step's number, and paths.
    Step,
    /// A verb inside it, with its arguments, and paths.
    Parts,
}

/// What is known about a verb beside its arguments.
pub struct VerbInfo {
    /// Its name as the name of a type: `VerifyErased` is `verify-erased`.
    pub name: &'static str,
    /// The kind of the words after it.
    pub takes: OperandKind,
    /// The options of every verb that it obeys.
    pub obeys: &'static str,
    /// The same for its parts that obey other options.
    pub parts: &'static [(&'static str, &'static str)],
    /// Its usage, if the kind does not say it.
    pub used: &'static str,
    /// Examples, one per line, without the program's name.
    pub examples: &'static str,
}

impl VerbInfo {
    /// True if a command line has this name for it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(&name.replace('-', ""))
    }

    /// Returns its usage. The parser does not know it, because paths are taken out before it runs.
    pub fn usage(&self) -> Option<&'static str> {
        match self.takes {
            _ if !self.used.is_empty() => Some(self.used),
            OperandKind::Paths => Some("[OPTIONS] [PATH]..."),
            OperandKind::Query => Some("[OPTIONS] [PATH]... [QUERY]..."),
            OperandKind::Step => Some("[OPTIONS] [STEP] [PATH]..."),
            OperandKind::Parts => Some("[OPTIONS] VERB ... [PATH]..."),
            OperandKind::Own | OperandKind::Tags => None,
        }
    }
}
