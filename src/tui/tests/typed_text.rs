//! Text that the user types into prompts and fields.

use super::*;

#[test]
fn a_bare_word_is_a_tag_to_add_and_its_sign_may_be_there() {
    let mut desk = Desk::new(100, 30);
    desk.enter("tfresh +signed -payments");
    let (store, entry) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
    let tags: Vec<&str> = store.memory(entry).unwrap().tags().collect();
    assert!(tags.contains(&"fresh") && tags.contains(&"signed") && !tags.contains(&"payments"), "{tags:?}");
    desk.enter("t+");
    assert!(desk.app.notice.as_deref().is_some_and(|own| own.starts_with("Name tags as new")));
}

#[test]
fn the_cursor_of_a_field_begins_at_its_end() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("e");
    let texts = &desk.app.editor.as_ref().unwrap().texts;
    assert!(texts.iter().all(|text| text.cursor() == text.as_str().len()));
    desk.type_keys("!");
    let editor = desk.app.editor.as_ref().unwrap();
    let (now, before) = (editor.texts[editor.field].as_str(), &editor.form.fields[editor.field].value);
    assert_eq!(now, format!("{before}!"));
}
