//! All formats.

use super::{Format, a_mem, agent_memory, bmad, markdown, memory_server, session_log};

pub static FORMATS: &[&dyn Format] = &[
    &memory_server::MemoryServer,
    &session_log::SessionLog,
    &agent_memory::AgentMemory,
    &bmad::Bmad,
    &a_mem::AMem,
    &markdown::FAMILIES[0],
    &markdown::FAMILIES[1],
    &markdown::FAMILIES[2],
    &markdown::FAMILIES[3],
    &markdown::FAMILIES[4],
    &markdown::FAMILIES[5],
    &markdown::FAMILIES[6],
    &markdown::FAMILIES[7],
    &markdown::FAMILIES[8],
];

/// How an empty store is made on the command line.
pub const INIT_EXAMPLE: &str = "init bmad .bmad/memory";

pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// Returns a format's name without its family, and the family, if it is one of several.
pub fn with_family(name: &'static str) -> (&'static str, Option<&'static str>) {
    name.split_once('/').map_or((name, None), |(format, family)| (format, Some(family)))
}

/// True if the specification of a format ranks memories by a weighted sum.
pub fn ranks_by_sum(name: &str) -> bool {
    by_name(name).is_some_and(|format| format.about().ranks_by_sum)
}

/// Returns the names of the fields that not all formats have.
pub fn facets() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.about().facets).copied()
}
