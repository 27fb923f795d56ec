//! An index is read as Markdown: tables, names, code and comments.

use super::codes;
use crate::support::{Desk, Files, check, rows};

const INDEX: &str = "\
# Memory

Write lines as `- [Title](title.md)`. Say [gone](never.md) nowhere.

<!-- - [Old](old.md) — hidden
- [Older](older.md) -->

| file | what |
|---|---|
| `tabs.md` | in a row |
| [Deploy](deploy.md#how) | in a row |

- See bare.md, [a](<two words.md>), [b](caf%C3%A9.md), [c](brackets_(1).md) and \\[no](no.md).
- [Gone](gone.md)

~~~
- [Fenced](fenced.md)
~~~
";

fn store(index: &str) -> Files {
    let names = ["tabs", "deploy", "bare", "two words", "café", "brackets_(1)", "lost"];
    let topic = |files: Files, name: &&str| {
        files.with(&format!("{name}.md"), format!("---\nname: {name}\ndescription: {name}\n---\n\n{name}\n"))
    };
    names.iter().fold(Files::default().with("MEMORY.md", index), topic)
}

fn found(files: &Files) -> Vec<String> {
    let found = codes(files, ".claude/memory").into_iter();
    found.map(|(code, file, line)| format!("{code} {file}:{}", line.unwrap_or_default())).collect()
}

#[test]
fn links_and_names_lead_to_files_and_code_and_comments_do_not() {
    let expected =
        ["dangling-reference MEMORY.md:3", "dangling-reference MEMORY.md:14", "orphan-note lost.md:1"];
    assert_eq!(found(&store(INDEX)), expected);
    assert_eq!(found(&store(&INDEX.replace('\n', "\r\n"))), expected);
}

#[test]
fn no_memory_is_made_of_code_or_comments_and_code_below_a_sentence_stays_with_it() {
    let texts = |index: &str| -> Vec<(String, String)> {
        let all = rows(&store(index).build(".claude/memory"), "list", "");
        let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap().to_owned();
        let all = all.iter().map(|row| (text(row, "id"), text(row, "raw")));
        all.filter(|(id, _)| id.starts_with("MEMORY#")).collect()
    };
    assert_eq!(texts(INDEX), []);
    let index =
        "- [a](tabs.md)\n\nAlways:\n```\nmake\n```\n\n<!-- x -->\n\n## Example\n~~~\n- [b](b.md)\n~~~\n";
    assert_eq!(texts(index), [("MEMORY#note".into(), "Always:\n```\nmake\n```\n".into())]);
}

fn repaired(index: &str) -> String {
    let desk = Desk::of(&store(index), ".claude/memory");
    desk.change(&["repair", "--code", "dangling-reference"]);
    desk.text("MEMORY.md")
}

#[test]
fn a_line_that_leads_nowhere_goes_and_a_sentence_keeps_its_text() {
    let expected = INDEX.replace("Say [gone](never.md) nowhere", "Say gone nowhere");
    assert_eq!(repaired(INDEX), expected.replace("- [Gone](gone.md)\n", ""));
    let index = "- [a](tabs.md)\n| x | [b](b.md) |\n1. [c](c.md) — c\n    ```\n    - [d](d.md)\n    ```\n";
    let expected = "- [a](tabs.md)\n    ```\n    - [d](d.md)\n    ```\n";
    assert_eq!(repaired(index), expected);
}

#[test]
fn a_file_takes_its_lines_along_and_a_renamed_one_its_names() {
    let desk = Desk::of(&store(INDEX), ".claude/memory");
    desk.change(&["edit", "bare", "--set", "id=plain"]);
    desk.change(&["edit", "tabs", "--set", "id=blanks"]);
    let expected = INDEX.replace("bare.md", "plain.md").replace("`tabs.md", "`blanks.md");
    assert_eq!(desk.text("MEMORY.md"), expected);
    let value = ["kingfisher", "1708"].join("-");
    let fenced = format!("- [Deploy](deploy.md)\n```\n- [D](deploy.md) {value}\n```\n");
    let desk = Desk::of(&store(&fenced), ".claude/memory");
    desk.change(&["delete", "deploy"]);
    assert_eq!(desk.text("MEMORY.md"), format!("```\n- [D](deploy.md) {value}\n```\n"));
    desk.change(&["undo"]);
    assert_eq!(desk.text("MEMORY.md"), fenced);
    desk.fed(&value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    assert!(!desk.has(&value) && desk.text("MEMORY.md").starts_with("- [Deploy](deploy.md)\n```\n- [D]"));
}

#[test]
fn wiki_links_names_behind_chinese_and_names_in_a_listed_file_lead_to_files() {
    let index = "- [[two_words]]\n- [[nowhere]] [[a.png]]\n- 详见café.md。„bare.md“\n- [t](tabs.md) [d](deploy.md) \
                 [b](brackets_(1).md)\n\nAs:\n\n    - [x](x.md)\n";
    let topic = "---\nname: tabs\ndescription: x\n---\n\nSee `lost.md`.\n";
    let files = store(index).with("two words.md", topic.replace("tabs", "two-words")).with("tabs.md", topic);
    assert_eq!(found(&files), ["dangling-reference MEMORY.md:2"]);
}

#[test]
fn a_link_that_leads_nowhere_is_reported_where_it_is() {
    let files = store("- [a](tabs.md)\n").with(
        "tabs.md",
        "---\nname: tabs\ndescription: gone\n---\n\nIt is gone.\n\n[x](./sub/lost.md)\n[[gone]]\n",
    );
    let lines: Vec<_> = found(&files).into_iter().filter(|problem| problem.starts_with("dangling")).collect();
    assert_eq!(lines, ["dangling-reference tabs.md:8", "dangling-reference tabs.md:9"]);
}

#[test]
fn many_links_that_lead_nowhere_are_found_in_time() {
    let links: String = (0..40_000).map(|number| format!("[a](x{number}.md) [[y{number}]] ")).collect();
    let files = store("- [a](tabs.md)\n").with("tabs.md", format!("---\nname: tabs\n---\n\n{links}\n"));
    assert_eq!(rows(&files.build(".claude/memory"), "list", "id:tabs").len(), 1);
}

#[test]
fn links_to_skills_sub_agents_and_commands_and_what_is_no_link_do_not_dangle() {
    let says =
        "[[page-check]] [[reviewer]] [[Ship_it]] [[here]] [[elsewhere]] [[name]]\nif [[ $a == b ]] [[bin]]";
    let files = store("- [a](tabs.md)\n")
        .with("tabs.md", format!("---\nname: tabs\ndescription: x\n---\n\n{says}\n"))
        .with("../skills/page-check/SKILL.md", "x")
        .with("../agents/reviewer.md", "x")
        .with("../commands/ship-it.md", "x");
    let names = |files: &Files, root: &str| -> Vec<String> {
        let rows = check(&files.build(root)).json_lines();
        let rows = rows.iter().filter(|row| row["code"] == "dangling-reference");
        rows.map(|row| row["message"].as_str().unwrap().split('"').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(names(&files, ".claude/memory"), ["here", "elsewhere"]);
    let serena = Files::default()
        .with("../project.yml", "project_name: shop\n")
        .with("../../.claude/skills/here/SKILL.md", "x")
        .with("a.md", says);
    assert_eq!(names(&serena, ".serena/memories"), ["page-check", "reviewer", "Ship_it", "elsewhere"]);
}
