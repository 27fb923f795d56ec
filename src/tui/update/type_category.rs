//! The actions `type` and `category`.

use crate::ops::set_field::may_set;
use crate::tui::value_prompt::{ValuePrompt, now};
use crate::usecase::ChangeCommand;

pub const TYPE: ValuePrompt = ValuePrompt {
    title: "Type of",
    form: "",
    words: |facets, _, _| first(&facets.types),
    may: |store, entry| may_set(store, entry, "type"),
    now: |store, entry| now(store, entry, |view| view.kind().to_owned()),
    command: |text| Ok(set("type", text)),
};

pub const CATEGORY: ValuePrompt = ValuePrompt {
    title: "Category of",
    form: "",
    words: |facets, _, _| {
        let own = facets.fields.iter().find(|(name, _)| *name == "category");
        own.map(|(_, values)| first(values)).unwrap_or_default()
    },
    may: |store, entry| may_set(store, entry, "category"),
    now: |store, entry| {
        now(store, entry, |view| {
            let own = view.facets().find(|(name, _)| *name == "category");
            own.map_or("none".to_owned(), |(_, value)| value.to_owned())
        })
    },
    command: |text| Ok(set("category", text)),
};

fn first(counted: &[(String, usize)]) -> Vec<String> {
    counted.iter().map(|(word, _)| word.clone()).collect()
}

fn set(field: &'static str, text: &str) -> ChangeCommand {
    ChangeCommand::SetWord { field, value: text.trim().to_owned() }
}
