//! The action `replace file`: a whole file becomes as it was in a backup.

use crate::model::BackupCheck;
use crate::model::PathText;
use crate::model::plan::count_with_noun;
use crate::tui::list_view::backups::chosen;
use crate::tui::state::app::App;
use crate::tui::update::list_view::change_request::restore_backup;

/// Plans to replace the whole file by the backup. Memories that were written later are lost.
pub fn replace(app: &mut App) {
    let Some(opened) = &app.list_view.backups.opened else { return app.say("Open a backup first: Enter.") };
    if opened.compared.is_alike {
        return app.say("The file is as the backup has it.");
    }
    if !opened.verified.is_whole {
        return app.say(format!("Nothing is changed: {}.", damaged(&opened.verified)));
    }
    let lost = opened.compared.items.iter().filter(|item| item.kind.is_only_here()).count();
    let what = if opened.compared.deletes { "deletion" } else { "memory" };
    let lost = match lost {
        0 => String::new(),
        _ => format!(" (drops {} that the backup lacks)", count_with_noun(lost as u64, what)),
    };
    let name = format!("{}{lost}", opened.copy.file.to_text());
    let marked = chosen(&app.list_view.details);
    restore_backup(app, name, (marked, true))
}

/// Returns why a damaged backup does not replace a whole file.
pub fn damaged(verified: &BackupCheck) -> String {
    format!("the backup is damaged, so it does not replace the file ({})", verified.found)
}
