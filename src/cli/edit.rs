//! `palimp edit`: fields of one record.

use super::change::{make, scene};
use super::chosen::the_one;
use super::failure::{Exit, Failure, say};
use super::{Context, open};
use crate::disk;
use crate::format;
use crate::ops::{self, Setting};

/// Sets fields, or opens the main text in `$EDITOR`.
pub fn run(context: &mut Context, id: &str, set: &[String], editor: bool) -> Result<Exit, Failure> {
    if set.is_empty() && !editor {
        return Err(Failure::new(Exit::Usage, "name a field with --set FIELD=VALUE, or say --editor."));
    }
    let mut settings = Vec::new();
    for one in set {
        let Some((name, value)) = one.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::new(Exit::Usage, format!("{one:?} is no FIELD=VALUE.")));
        };
        settings.push(Setting { name, value });
    }
    let snapshot = open::to_change(context)?;
    let at = the_one(&snapshot, id)?;
    let (store, entry) = snapshot.get(at);
    let written;
    if editor {
        let before = format::text_of(store, entry).text;
        written = disk::edit_text(&before)
            .map_err(|error| Failure::new(Exit::Refused, format!("{error} Nothing was changed.")))?;
        if written == before {
            say("nothing was written otherwise; nothing was changed");
            return Ok(Exit::Done);
        }
        settings.push(Setting { name: "text", value: &written });
    }
    let plan = ops::edit::edit(&scene(context, store), entry, &settings)?;
    make(context, &[(store, plan)])
}
