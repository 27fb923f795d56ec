//! Finds a folder's format. Each format reports what it sees as data, and `store::find` weighs it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::model::Role;
use crate::text::json::Json;
use crate::text::json_lines;
use crate::text::lines::BOM;

/// The meaning of a path within a store for its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// A folder to look into.
    Enter,
    File(Role),
    /// Any other path.
    Unexpected,
}

/// The disk as detection sees it.
pub trait FolderProbe {
    /// Returns the sorted names of the folders in a folder, at most some thousands.
    fn folders(&self, folder: &Path) -> Vec<OsString>;

    /// Returns the sorted names of the regular files in a folder, at most some thousands.
    fn files(&self, folder: &Path) -> Vec<OsString>;

    /// Returns the first 16 KiB of a regular file; `None` if it is not one or can't be read.
    fn head(&self, file: &Path) -> Option<Vec<u8>> {
        self.part(file, PROBE_BYTES, false)
    }

    /// Returns the start or the end of a regular file; `None` if it is not one or can't be read.
    fn part(&self, file: &Path, most: usize, is_end: bool) -> Option<Vec<u8>>;

    /// Returns a regular file of 1 MiB at most; `None` if it is not one or can't be read.
    fn whole(&self, file: &Path) -> Option<Vec<u8>>;

    /// True if nothing is at a path. What can't be looked at may be there.
    fn is_gone(&self, path: &Path) -> bool;

    /// True if a folder contains a folder of this name.
    fn has_folder(&self, folder: &Path, name: &str) -> bool {
        self.folders(folder).iter().any(|own| own == name)
    }

    /// True if a folder contains a regular file of this name.
    fn has_file(&self, folder: &Path, name: &str) -> bool {
        self.files(folder).iter().any(|own| own == name)
    }
}

/// The number of bytes of a file that detection reads.
pub const PROBE_BYTES: usize = 16 * 1024;
/// The number of files with records after which detection stops.
pub const ENOUGH_RECORD_FILES: usize = 8;
/// The number of folders and files that detection reads at most.
pub const MAX_PROBED: usize = 4_096;

/// What a format sees in a folder.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The number of files with a record or a document of the format.
    pub records: usize,
    /// True if the config has settings that only this format has.
    pub config: bool,
    /// The number of files without readable content whose names only this format uses.
    pub names: usize,
    /// The number of files that other formats have, too. They only count at the format's default place.
    pub likely: usize,
    /// A sentence that says what speaks against the format.
    pub against: Option<String>,
    /// A sentence that says what is missing if nothing points to the format.
    pub lacks: String,
}

/// How well a folder fits a format, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FormatFit {
    /// Only by its default place, or because the user names the format.
    Likely(usize),
    /// By names that no other format uses. The value is their number.
    Named(usize),
    Config,
    /// By this number of files with records.
    Records(usize),
}

impl FormatFit {
    /// Returns how certain the fit is, without its count.
    pub fn tier(self) -> u8 {
        match self {
            FormatFit::Likely(_) => 0,
            FormatFit::Named(_) => 1,
            FormatFit::Config => 2,
            FormatFit::Records(_) => 3,
        }
    }
}

impl Evidence {
    /// Returns evidence without any findings. `lacks` is the message if none are added.
    pub fn lacking(lacks: impl Into<String>) -> Evidence {
        Evidence { lacks: lacks.into(), ..Evidence::default() }
    }

    /// Counts one more file. `other` is the message if the file has the content of another format.
    pub fn see(&mut self, likeness: Likeness, is_own_name: bool, other: &str) {
        match likeness {
            Likeness::Yes => self.records += 1,
            Likeness::Silent if is_own_name => self.names += 1,
            Likeness::Silent => self.likely += 1,
            Likeness::No => self.against = Some(other.to_owned()),
        }
    }

    /// True if detection can stop.
    pub fn is_enough(&self) -> bool {
        self.records >= ENOUGH_RECORD_FILES
    }

    /// Returns how well the folder fits, or a sentence that says why not. `expected`: it is at the
    /// format's default place, or the user named the format.
    pub fn fit(&self, expected: bool) -> Result<FormatFit, String> {
        match self {
            Evidence { records: 1.., .. } => Ok(FormatFit::Records(self.records)),
            Evidence { config: true, .. } => Ok(FormatFit::Config),
            Evidence { against: Some(why), .. } => Err(why.clone()),
            Evidence { names: 1.., .. } => Ok(FormatFit::Named(self.names)),
            Evidence { likely: 1.., .. } if expected => Ok(FormatFit::Likely(self.likely)),
            _ => Err(self.lacks.clone()),
        }
    }
}

/// What the first records of a file say about its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// It contains a record of the format.
    Yes,
    /// It contains complete objects, and none is a record of the format.
    No,
    /// It contains no complete object: it is empty, torn or broken.
    Silent,
}

/// Judges the head of a JSON Lines file. `is_record` judges one object.
pub fn likeness(head: &[u8], is_record: impl Fn(Json<'_>) -> bool) -> Likeness {
    let mut likeness = Likeness::Silent;
    json_lines::split(head, &mut |piece| {
        if let Some(object) = piece.object {
            if is_record(object) {
                likeness = Likeness::Yes;
            } else if likeness == Likeness::Silent {
                likeness = Likeness::No;
            }
        }
    });
    likeness
}

/// Judges the head of a JSON document by the member names in it.
pub fn likeness_of_document(head: &[u8], is_document: impl Fn(&JsonHead) -> bool) -> Likeness {
    if is_document(&JsonHead::of(head)) { Likeness::Yes } else { likeness(head, |_| false) }
}

/// True for the name of a file or folder that starts with a dot.
pub fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// The names of the members of an object and of the objects in it. The bytes may end or be broken anywhere.
#[derive(Debug, Default)]
pub struct JsonHead {
    /// The path of each member (one or two names) and the first byte of its value.
    members: Vec<(Vec<String>, u8)>,
}

impl JsonHead {
    /// Reads the start of a JSON document.
    pub fn of(head: &[u8]) -> JsonHead {
        let head = head.strip_prefix(BOM).unwrap_or(head);
        let start = head.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0);
        let mut outline = JsonHead::default();
        let Some(start) = start.filter(|start| head[*start] == b'{') else { return outline };
        // The open objects and lists: the name of each object, `None` for a list.
        let mut open: Vec<Option<String>> = Vec::new();
        let mut name: Option<String> = None;
        let mut at = start;
        while let Some(&byte) = head.get(at) {
            at += 1;
            match byte {
                b'{' => open.push(Some(name.take().unwrap_or_default())),
                b'[' => {
                    name = None;
                    open.push(None);
                }
                b'}' | b']' => {
                    open.pop();
                    if open.is_empty() {
                        break;
                    }
                }
                b'"' => {
                    let end = string_end(head, at);
                    name = member(head, at, end);
                    if let Some(own) = &name {
                        outline.keep(&open, own, value_after(head, end));
                    }
                    at = end.saturating_add(1);
                }
                b',' => name = None,
                _ => {}
            }
        }
        outline
    }

    fn keep(&mut self, open: &[Option<String>], name: &str, value: u8) {
        let path = match open {
            [Some(_)] => vec![name.to_owned()],
            [Some(_), Some(outer)] => vec![outer.clone(), name.to_owned()],
            _ => return,
        };
        self.members.push((path, value));
    }

    /// True if the member exists. The path has one name, or two for a nested member.
    pub fn has(&self, path: &[&str]) -> bool {
        self.members.iter().any(|(own, _)| own == path)
    }

    /// True if the outermost object has only these plain values and these objects.
    pub fn has_only(&self, values: &[&str], objects: &[&str]) -> bool {
        let is_known = |(path, value): &(Vec<String>, u8)| match path.as_slice() {
            [name] => if *value == b'{' { objects } else { values }.contains(&name.as_str()),
            _ => true,
        };
        self.members.iter().all(is_known)
    }

    /// True if the outermost object has a list of this name.
    pub fn has_list(&self, name: &str) -> bool {
        self.members.iter().any(|(own, value)| own == &[name] && *value == b'[')
    }
}

/// Returns the place of the closing quote of the string that starts at `from`, or the end.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the string at this place if it is the name of a member.
fn member(bytes: &[u8], from: usize, end: usize) -> Option<String> {
    let rest = bytes.get(end + 1..)?;
    let colon = rest.iter().find(|byte| !byte.is_ascii_whitespace())?;
    (*colon == b':').then(|| String::from_utf8_lossy(&bytes[from..end]).into_owned())
}

/// Returns the first byte of the value after the name that ends at `end`; 0 if the bytes end before it.
fn value_after(bytes: &[u8], end: usize) -> u8 {
    let rest = bytes.get(end + 1..).unwrap_or_default();
    let mut rest = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    rest.nth(1).copied().unwrap_or_default()
}

/// Returns the start of a file of a session by its name; `None` if the file is missing.
pub type HeadOf<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// Looks at the folders in `sessions/`, if there are any. `document` is the file that describes a session. `logs` judges
/// a session by the heads of its logs, and by what its document says. `none` says what no session has.
pub fn sessions(
    root: &Path,
    glance: &dyn FolderProbe,
    seen: &mut Evidence,
    (document, none): (&str, &str),
    logs: &dyn Fn(HeadOf<'_>, Option<Likeness>) -> Option<Likeness>,
) -> bool {
    let folder = root.join("sessions");
    let sessions: Vec<PathBuf> =
        glance.folders(&folder).into_iter().take(MAX_PROBED).map(|name| folder.join(name)).collect();
    for session in &sessions {
        let head = |name: &str| {
            glance.has_file(session, name).then(|| glance.head(&session.join(name)).unwrap_or_default())
        };
        let is_own = |outline: &JsonHead| outline.has(&["session_id"]);
        let described = head(document).map(|head| likeness_of_document(&head, is_own));
        let told = described.filter(|likeness| *likeness == Likeness::Yes).or_else(|| logs(&head, described));
        if let Some(likeness) = told {
            seen.see(likeness, true, "the files below `sessions/` are of another kind");
        }
        if seen.is_enough() {
            break;
        }
    }
    // Others keep files directly below it, or other files in the sessions.
    let has_files = |folder: &Path| glance.files(folder).iter().any(|name| !is_hidden(name));
    if has_files(&folder) {
        seen.against.get_or_insert_with(|| "files are directly below its `sessions/`".into());
    } else if seen.records + seen.names == 0 && sessions.iter().any(|own| has_files(own)) {
        seen.against.get_or_insert_with(|| none.to_owned());
    }
    !sessions.is_empty()
}

/// True if the visible contents are only empty folders of a format with sessions, and files of the
/// format. A store looks like this before its first session and after its last.
pub fn is_bare(root: &Path, glance: &dyn FolderProbe, place: fn(&Path, bool) -> Placement) -> bool {
    let visible = |names: Vec<OsString>| names.into_iter().filter(|name| !is_hidden(name));
    let is_empty = |folder: &Path| {
        visible(glance.files(folder)).next().is_none() && visible(glance.folders(folder)).next().is_none()
    };
    let is_room = |name: OsString| {
        let room = root.join(&name);
        let mut inner = visible(glance.folders(&room)).take(MAX_PROBED);
        place(Path::new(&name), true) == Placement::Enter
            && visible(glance.files(&room)).next().is_none()
            && inner.all(|own| {
                place(&Path::new(&name).join(&own), true) == Placement::Enter && is_empty(&room.join(own))
            })
    };
    let is_own = |name: OsString| matches!(place(Path::new(&name), false), Placement::File(_));
    visible(glance.files(root)).all(is_own) && visible(glance.folders(root)).all(is_room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_document_are_told_from_those_deep_in_it_wherever_its_bytes_end() {
        let text = b"\xef\xbb\xbf {\"a\\\"\": \"b\", \"tasks\": [{\"deep\": 1}], \"memory_config\": {\"storage\": {\"x\": 1}}, \"z\": 2}{\"y\":1}";
        let whole = JsonHead::of(text);
        assert!(whole.has(&["tasks"]) && whole.has_list("tasks") && whole.has(&["z"]));
        assert!(whole.has(&["memory_config", "storage"]) && !whole.has_list("memory_config"));
        assert!(
            !whole.has(&["storage"]) && !whole.has(&["deep"]) && !whole.has(&["x"]) && !whole.has(&["y"])
        );
        for end in 0..text.len() {
            let part = JsonHead::of(&text[..end]);
            assert!(!part.has(&["storage"]) && !part.has(&["deep"]), "{end}");
        }
    }

    #[test]
    fn records_outweigh_a_config_and_a_config_outweighs_names() {
        let fit = |evidence: Evidence| evidence.fit(false);
        let against = || Evidence { against: Some("other".into()), ..Evidence::lacking("nothing") };
        assert_eq!(fit(Evidence { records: 2, ..against() }), Ok(FormatFit::Records(2)));
        assert_eq!(fit(Evidence { config: true, names: 9, ..against() }), Ok(FormatFit::Config));
        assert_eq!(fit(Evidence { names: 1, ..against() }), Err("other".into()));
        assert_eq!(fit(Evidence { likely: 1, ..Evidence::lacking("nothing") }), Err("nothing".into()));
        assert_eq!(Evidence { likely: 1, ..Evidence::default() }.fit(true), Ok(FormatFit::Likely(1)));
        assert!(
            FormatFit::Records(1) > FormatFit::Config
                && FormatFit::Config > FormatFit::Named(9)
                && FormatFit::Named(1) > FormatFit::Likely(9)
        );
    }
}
