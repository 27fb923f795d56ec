//! The action `demo`: writes a demo into a temporary folder, and opens it.

use super::EventLoop;
use super::first_frame::first_entries;
use crate::model::{Moment, PathText};
use crate::tui::state::app::DEMO_NOTICE;
use crate::tui::update::reload::load_now;

impl EventLoop<'_> {
    pub(super) fn open_demo(&mut self, now: Moment) {
        let demo = match (self.options.demo)(now) {
            Ok(demo) => demo,
            Err(why) => return self.app.say(why),
        };
        self.app.say(format!("The demo is in {}.", demo.folder.to_text()));
        self.app.places = demo.places;
        self.app.data = Some(demo.data);
        self.app.demo = Some(demo.folder);
        self.app.say(DEMO_NOTICE);
        self.app.visits = demo.visits;
        first_entries(self.app);
        self.watch();
        self.pending.push(load_now(self.app));
    }
}
