//! When what is added becomes durable.

/// When memories that are added to a log become durable: a power cut takes none of those, and a crash of the process or
/// of palimp never takes one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before each call returns.
    #[default]
    Each,
    /// With the next flush, and when the store is closed. A power cut may take the additions since, may leave the last
    /// one in part, and may leave them without a step that undoes them.
    Batch,
}
