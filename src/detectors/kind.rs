//! Sensitive values, and their kinds.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::names;

/// Replaces the hidden part of a value.
pub const MASK: &str = "••••••";

/// A sensitive value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    pub kind: Kind,
    /// The name of the rule that found it.
    pub rule: Cow<'static, str>,
    /// Its place, in bytes.
    pub span: Range<usize>,
    /// The part of it that [`MASK`] replaces.
    pub hidden: Range<usize>,
}

impl Detection {
    /// Returns a value that [`MASK`] replaces as a whole.
    pub(super) fn hidden_whole(kind: Kind, rule: impl Into<Cow<'static, str>>, span: Range<usize>) -> Self {
        Detection { kind, rule: rule.into(), hidden: span.clone(), span }
    }
}

/// A kind of sensitive value. `palimp secrets --only` takes its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A token or a key of a provider.
    Token,
    /// A block with a private key.
    PrivateKey,
    /// A JSON Web Token.
    Jwt,
    /// A password in a URL or in a connection string.
    UrlCredentials,
    /// A value that is assigned to a password, a secret or a key.
    Password,
    /// The number of a payment card.
    Card,
    /// An account number (IBAN).
    Iban,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// The address of a machine: IP, MAC, or a host name of a private network.
    Address,
    /// The home folder of a user.
    Home,
    /// A name from the user's own list.
    Name,
}

const NAMES: [&str; 12] =
    names("token private-key jwt url-credentials password card iban email phone address home name");

impl Kind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Kind; 12] = [
        Kind::Token,
        Kind::PrivateKey,
        Kind::Jwt,
        Kind::UrlCredentials,
        Kind::Password,
        Kind::Card,
        Kind::Iban,
        Kind::Email,
        Kind::Phone,
        Kind::Address,
        Kind::Home,
        Kind::Name,
    ];

    /// Returns its name in verbs and in JSON.
    pub fn as_str(self) -> &'static str {
        NAMES[self as usize]
    }

    pub fn of(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// True if the value gives access to something. Such a value is masked wherever it is shown.
    pub fn is_secret(self) -> bool {
        matches!(self, Kind::Token | Kind::PrivateKey | Kind::Jwt | Kind::UrlCredentials | Kind::Password)
    }
}
