//! What a row of the table of verbs says, and the macro that makes the table.

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
}

impl VerbInfo {
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

pub const READS: &str = "stores as json now readonly data_dir no_color";
pub const FINDS: &str = "stores as json now readonly data_dir no_color ranking all";
pub const LISTS: &str = "stores as json now readonly data_dir no_color all";
pub const SHAPES: &str = "stores as now readonly data_dir no_color ranking all";
pub const CHANGES: &str = "stores as json now readonly data_dir no_color dry_run yes";
pub const MAKES: &str = "json now readonly data_dir no_color dry_run yes";
pub const CLOCK: &str = "now";
pub const JSON: &str = "json";
pub const NOTHING: &str = "";

macro_rules! examples {
    () => {
        ""
    };
    ($examples:expr) => {
        $examples
    };
}

/// Makes the verbs from their table. A row has the arguments, the kind of the words after it, the options
/// that the verb and its parts obey, the usage if the kind does not say it, examples, and what it runs.
macro_rules! verbs {
    ($($(#[$about:meta])* $verb:ident $({ $($(#[$arg:meta])* $field:ident: $type:ty),* $(,)? })?:
        $takes:ident $obeys:ident $(parts [$($part:literal $part_obeys:ident),*])? $(used $usage:literal)?
        $(as $examples:expr)? => |$context:ident| $run:expr;)*) => {
        /// The verbs.
        #[derive(Clone, Debug, Subcommand)]
        pub enum Verb {
            $($(#[$about])* $verb $({ $($(#[$arg])* $field: $type),* })?,)*
        }

        pub static VERBS: &[VerbInfo] = &[$(VerbInfo {
            name: stringify!($verb),
            takes: OperandKind::$takes,
            obeys: $obeys,
            parts: &[$($(($part, $part_obeys)),*)?],
            used: concat!("" $(, $usage)?),
            examples: examples!($($examples)?),
        },)*];

        impl Verb {
            pub fn run(self, context: &mut Context) -> Result {
                match self {
                    $(Verb::$verb $({ $($field),* })? => { let $context = context; $run })*
                }
            }
        }
    };
}
pub(super) use {examples, verbs};
