//! Values that look like providers' tokens or private keys, by their prefixes.

use std::borrow::Cow;
use std::ops::Range;

/// Where sensitive values stand in `text`, in bytes.
pub fn sensitive_spans(text: &str) -> Vec<Range<usize>> {
    let _ = text;
    Vec::new()
}

/// `text` with every sensitive value masked: its prefix stays, the rest is `••••••`.
pub fn mask(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Whether `bytes` hold a sensitive value.
pub fn is_sensitive(bytes: &[u8]) -> bool {
    let _ = bytes;
    false
}
