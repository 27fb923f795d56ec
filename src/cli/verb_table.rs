//! What a row of the table of verbs tells, and how the table is made.

use super::VERBS;

/// What the words behind a verb are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// Its own alone.
    Own,
    /// Tags, ids.
    Tags,
    /// A query, and paths among it.
    Query,
    /// Paths.
    Paths,
    /// A step's number, and paths.
    Step,
    /// A verb of its own, with what that takes, and paths.
    Parts,
}

/// What is known of a verb beside its arguments.
pub struct VerbInfo {
    /// Its name, in any case.
    pub name: &'static str,
    /// What the words behind it are.
    pub takes: OperandKind,
    /// The options of every verb that it obeys.
    pub obeys: &'static str,
    /// The same of its parts that obey something else.
    pub parts: &'static [(&'static str, &'static str)],
    /// How it is written, where what follows it doesn't say that.
    pub used: &'static str,
    /// Examples, a line each, without the program's name.
    pub examples: &'static str,
}

impl VerbInfo {
    /// How it is written, where paths are sorted out before the rest is parsed.
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

/// What is known of a verb.
pub fn known(name: &str) -> Option<&'static VerbInfo> {
    VERBS.iter().find(|own| own.name.eq_ignore_ascii_case(name))
}

/// Whether a verb, or a part of one behind its name, obeys an option that every verb takes.
pub fn obeys(name: &str, option: &str) -> bool {
    let (whole, part) = name.split_once(' ').unwrap_or((name, ""));
    let of = |own: &VerbInfo| own.parts.iter().find(|(name, _)| *name == part).map_or(own.obeys, |own| own.1);
    known(whole).map_or(CHANGES, of).split(' ').any(|own| own == option)
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

/// Makes the verbs of their table: of each its arguments, what follows it, which options it and its parts obey,
/// how it is written where its kind doesn't say, examples, and what it runs.
macro_rules! verbs {
    ($($(#[$about:meta])* $verb:ident $({ $($(#[$arg:meta])* $field:ident: $type:ty),* $(,)? })?:
        $takes:ident $obeys:ident $(parts [$($part:literal $part_obeys:ident),*])? $(used $usage:literal)?
        $(as $examples:literal)? => |$context:ident| $run:expr;)*) => {
        /// The verbs.
        #[derive(Clone, Debug, Subcommand)]
        enum Verb {
            $($(#[$about])* $verb $({ $($(#[$arg])* $field: $type),* })?,)*
        }

        /// Every verb.
        static VERBS: &[VerbInfo] = &[$(VerbInfo {
            name: stringify!($verb),
            takes: OperandKind::$takes,
            obeys: $obeys,
            parts: &[$($(($part, $part_obeys)),*)?],
            used: concat!("" $(, $usage)?),
            examples: concat!("" $(, $examples)?),
        },)*];

        impl Verb {
            fn run(self, context: &mut Context) -> Result {
                match self {
                    $(Verb::$verb $({ $($field),* })? => { let $context = context; $run })*
                }
            }
        }
    };
}
pub(super) use verbs;
