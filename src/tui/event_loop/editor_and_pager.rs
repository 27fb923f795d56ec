//! Gives the terminal away and takes it again: to an editor, a pager, the shell. Opens the demo.

use std::io;
use std::sync::Arc;

use signal_hook::consts::SIGTSTP;

use crate::format;
use crate::model::{EntryRef, Moment, Snapshot};
use crate::tui::event_loop::EventLoop;
use crate::tui::event_loop::first_frame::first_entries;
use crate::tui::linear::LinearOutput;
use crate::tui::message::{FormPart, Msg};
use crate::tui::state::app::{ChangeTarget, DEMO_NOTICE};
use crate::tui::terminal::{leave, redraw, retake, with_editor, with_pager};
use crate::tui::update::editor::edit_json_field::text_for;
use crate::usecase::keep_draft;
use crate::work::PagerInput;

impl EventLoop<'_> {
    pub(super) fn edit(&mut self, aim: ChangeTarget, now: Moment) -> io::Result<()> {
        let Some(at) = aim.one() else { return Ok(()) };
        let (store, entry) = aim.snapshot.get(at);
        let before = format::text_of(store, entry).text.into_raw();
        let after = self.in_editor(Some((Arc::clone(&aim.snapshot), at)), &before, now)?;
        self.update(Msg::TextEdited(Box::new(aim), before, after), now);
        self.take_size(now)
    }

    pub(super) fn page(&mut self, input: PagerInput, now: Moment) -> io::Result<()> {
        let (read, entered) = with_pager(&self.keyboard, self.screen, input);
        entered?;
        if let Err(why) = read {
            self.app.say(why);
        }
        self.take_size(now)
    }

    pub(super) fn lend(&mut self, what: FormPart, now: Moment) -> io::Result<()> {
        let Some(before) = text_for(self.app, what) else { return Ok(()) };
        let of = self.app.editor.as_ref().map(|editor| (Arc::clone(&editor.snapshot), editor.at));
        let after = self.in_editor(of, &before, now)?;
        self.update(Msg::FormPartEdited(what, before, after), now);
        self.take_size(now)
    }

    /// Returns a text of a memory from the user's editor, or why there is none. Text that palimp
    /// can't use is kept as a draft.
    fn in_editor(
        &mut self,
        of: Option<(Arc<Snapshot>, EntryRef)>,
        before: &str,
        now: Moment,
    ) -> io::Result<Result<String, String>> {
        let (left, entered) = with_editor(&self.keyboard, self.screen, before);
        let keep = |text: &[u8]| match (&self.app.data, &of) {
            (Some(data), Some((snapshot, at))) => keep_draft(data, snapshot.get(*at), text, now),
            _ => String::new(),
        };
        if let Err(error) = entered {
            let kept = match &left {
                Ok(after) if *after != before => keep(after.as_bytes()),
                Err((_, Some(left))) => keep(left),
                _ => String::new(),
            };
            return Err(io::Error::new(error.kind(), format!("{error}. {kept}")));
        }
        Ok(left.map_err(|(why, left)| match left {
            None => why,
            Some(left) => format!("{why} {}", keep(&left)),
        }))
    }

    pub(super) fn open_demo(&mut self, now: Moment) {
        let demo = match (self.options.demo)(now) {
            Ok(demo) => demo,
            Err(why) => return self.app.say(why),
        };
        self.app.places = demo.places;
        self.app.data = Some(demo.data);
        self.app.demo = Some(demo.folder);
        self.app.say(DEMO_NOTICE);
        self.app.visits = demo.visits;
        first_entries(self.app);
        self.watch();
    }

    /// Returns to the shell, until it continues palimp.
    pub(super) fn suspend(&mut self, now: Moment) -> io::Result<()> {
        // If palimp stopped in the middle of a change, it would block agents with its lock.
        let no_change = self.workers.hold_changes();
        leave();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        retake(self.screen)?;
        drop(no_change);
        self.take_size(now)
    }

    pub(super) fn redraw(&mut self) -> io::Result<()> {
        match &mut self.linear {
            Some(output) => *output = LinearOutput::default(),
            None => redraw(self.screen)?,
        }
        Ok(())
    }
}
