//! Edits of a bundle by dotted paths, as splices of its JSON, and the files that they give.

use std::path::{Path, PathBuf};

use crate::format::writing::{Refusal, Result};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{JsonSplice, insert as insert_child, put_sorted, without};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFileWrite {
    /// Relative to the store's root. Projections and the entry file are outside it.
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Whether the bytes are appended instead of replacing the file.
    pub append: bool,
}

/// One edit of the bundle. Paths are dotted: `gotchas.2.title`. An item is named by its number from
/// 0, or by its own `id`. Values are JSON. Each edit sees the result of the edits before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleEdit<'a> {
    /// Replaces a value, or adds a member to an object.
    Set { path: &'a str, value: &'a str },
    /// Removes an item or a member.
    Remove { path: &'a str },
    /// Inserts a member, or an item before that number or after the last one. It reverses `Remove`.
    Insert { path: &'a str, value: &'a str },
}

/// Returns the path of a file around the store, relative to the store's root.
pub fn beside_path(path: &Path) -> PathBuf {
    Path::new("..").join(path)
}

fn no_such_path(path: &str) -> Refusal {
    Refusal::invalid(format!("The bundle has no `{path}`."))
}

/// The last step of a path: where a value is or could be.
struct PathTarget<'a> {
    parent: Json<'a>,
    place: PathStep<'a>,
    found: Option<Json<'a>>,
}

#[derive(Clone, Copy)]
enum PathStep<'a> {
    Member(&'a str),
    Item(usize),
}

/// Follows a dotted path. A name may contain dots: the longest existing name is taken. An item of a
/// list is named by its number or its own `id`.
fn target<'a>(root: Json<'a>, path: &'a str) -> Result<PathTarget<'a>> {
    let none = || no_such_path(path);
    let (mut value, mut rest) = (root, path);
    loop {
        match value.kind() {
            JsonKind::Object => {
                let found = value.get(rest);
                let child = || {
                    let dots = rest.rmatch_indices('.');
                    dots.filter_map(|(at, _)| Some((value.get(rest.get(..at)?)?, rest.get(at + 1..)?))).next()
                };
                match (found, child()) {
                    (None, Some((child, after))) => (value, rest) = (child, after),
                    (None, None) if rest.contains('.') || rest.is_empty() => return Err(none()),
                    (found, _) => {
                        return Ok(PathTarget { parent: value, place: PathStep::Member(rest), found });
                    }
                }
            }
            JsonKind::Array => {
                let (head, after) =
                    rest.split_once('.').map_or((rest, None), |(head, own)| (head, Some(own)));
                let index = index(value, head).ok_or_else(none)?;
                let item = value.items().nth(index);
                match (item, after) {
                    (Some(item), Some(after)) => (value, rest) = (item, after),
                    (None, Some(_)) => return Err(none()),
                    (found, None) => {
                        return Ok(PathTarget { parent: value, place: PathStep::Item(index), found });
                    }
                }
            }
            _ => return Err(none()),
        }
    }
}

fn index(list: Json<'_>, name: &str) -> Option<usize> {
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let own = || list.items().position(|item| item.get("id").is_some_and(|id| id.is_text(name)));
    if digits { name.parse().ok() } else { own() }
}

pub fn value_at<'a>(root: Json<'a>, path: &'a str) -> Option<Json<'a>> {
    target(root, path).ok()?.found
}

/// Sets the value at a path. A missing member is added to its object.
pub fn set(root: Json<'_>, path: &str, value: String) -> Result<JsonSplice<'static>> {
    let target = target(root, path)?;
    match (target.found, target.place) {
        (Some(found), _) => Ok(JsonSplice::of(found, value)),
        (None, PathStep::Member(name)) => Ok(put_sorted(target.parent, name, value)),
        (None, PathStep::Item(_)) => Err(no_such_path(path)),
    }
}

/// Inserts a value: before the item with that number, or as a new member.
pub fn insert(root: Json<'_>, path: &str, value: String) -> Result<JsonSplice<'static>> {
    let target = target(root, path)?;
    match target.place {
        PathStep::Member(_) if target.found.is_some() => {
            Err(Refusal::invalid(format!("The bundle has a `{path}` already.")))
        }
        PathStep::Member(name) => Ok(put_sorted(target.parent, name, value)),
        PathStep::Item(index) if index > target.parent.items().count() => Err(no_such_path(path)),
        PathStep::Item(index) => Ok(insert_child(target.parent, index, &value)),
    }
}

/// Removes the value at a path. A repeated key is removed everywhere, or an earlier value would count.
pub fn remove(root: Json<'_>, path: &str) -> Result<Vec<JsonSplice<'static>>> {
    let target = target(root, path)?;
    if target.found.is_none() {
        return Err(no_such_path(path));
    }
    Ok(match target.place {
        PathStep::Member(name) => {
            without(target.parent, |_, key, _| key.is_some_and(|key| key.is_text(name)))
        }
        PathStep::Item(index) => without(target.parent, |at, _, _| at == index),
    })
}
