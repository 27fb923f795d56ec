//! Files of instructions beside memories: listed as context, and never opened outside the project and the home folder.

use std::path::Path;

use serde_json::Value;

use crate::support::{Verb, folder, write};

/// Makes a project with memories of Serena below a home folder.
fn project(home: &Path) -> std::path::PathBuf {
    let root = home.join("shop");
    write(&root.join(".serena/project.yml"), "project_name: shop\n");
    write(&root.join(".serena/memories/plan.md"), "A plan.\n");
    root
}

fn budget(home: &Path, root: &Path) -> (Vec<(String, String, u64, String)>, String) {
    let run = |words: &[&str]| Verb::new(words.iter().copied()).in_folder(root).home(home).run();
    let rows: Vec<Value> = run(&["budget", "--json"]).json_lines();
    let context = rows.iter().filter(|row| row["loaded"] == "context");
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let own = context.map(|row| {
        (word(row, "reader"), word(row, "file"), row["depth"].as_u64().unwrap(), word(row, "content"))
    });
    (own.collect(), run(&["budget"]).stdout)
}

#[test]
fn instructions_of_the_project_and_of_home_are_listed_with_what_they_import() {
    let home = folder::new();
    let root = project(home.path());
    write(&home.path().join(".claude/CLAUDE.md"), "Be brief.\n");
    write(
        &root.join("CLAUDE.md"),
        "# Shop\nSee @docs/style.md and ask @anna. `@code.md`\n```\n@code.md\n```\n@gone.md\n",
    );
    write(&root.join("code.md"), "no\n");
    write(&root.join("docs/style.md"), "Tabs. @../AGENTS.md @style.md @~/notes.md\n");
    write(&home.path().join("notes.md"), "Mine.\n");
    write(&root.join("AGENTS.md"), "Agents.\n");
    write(&root.join(".claude/rules/db/sql.md"), "Rules.\n");
    write(&root.join(".cursor/rules/one.mdc"), "Rule.\n");
    write(&root.join(".github/copilot-instructions.md"), "Short.\n");
    let (rows, told) = budget(home.path(), &root);
    let own: Vec<(&str, &str, u64)> = rows.iter().map(|row| (&*row.0, &*row.1, row.2)).collect();
    let claude = "Claude Code";
    assert_eq!(
        own,
        [
            (claude, "~/.claude/CLAUDE.md", 0),
            (claude, "CLAUDE.md", 0),
            (claude, "docs/style.md", 1),
            (claude, "AGENTS.md", 2),
            (claude, "~/notes.md", 2),
            (claude, "gone.md", 1),
            (claude, ".claude/rules/db/sql.md", 0),
            ("Codex", "AGENTS.md", 0),
            ("Cursor", ".cursor/rules/one.mdc", 0),
            ("GitHub Copilot", ".github/copilot-instructions.md", 0),
        ]
    );
    assert!(told.contains("as context. palimp never changes them."), "{told}");
    assert!(told.contains("      docs/style.md: 1 line, 42 B, about 11 tokens"), "{told}");
    assert!(told.contains("gone.md: imported, and not there"), "{told}");
}

#[test]
fn imports_end_after_five_steps_and_circles_end() {
    let home = folder::new();
    let root = project(home.path());
    write(&root.join("CLAUDE.md"), "@1.md @CLAUDE.md");
    for number in 1..9 {
        write(&root.join(format!("{number}.md")), format!("@{}.md", number + 1));
    }
    let (rows, _) = budget(home.path(), &root);
    assert_eq!(rows.last().map(|row| (row.1.as_str(), row.2)), Some(("5.md", 5)), "{rows:?}");
    assert_eq!(rows.len(), 6);
}

#[test]
fn nothing_is_opened_through_a_link_that_leads_out_and_long_files_are_not_read() {
    let (home, other) = (folder::new(), folder::new());
    let root = project(home.path());
    write(&other.path().join("secret.md"), "@inner.md\n");
    write(&other.path().join("rules/a.md"), "no\n");
    std::os::unix::fs::symlink(other.path().join("secret.md"), root.join("CLAUDE.md")).unwrap();
    std::fs::create_dir(root.join(".claude")).unwrap();
    std::os::unix::fs::symlink(other.path().join("rules"), root.join(".claude/rules")).unwrap();
    write(&root.join("GEMINI.md"), "x".repeat((1 << 20) + 1));
    let outside = other.path().join("secret.md");
    write(&root.join("CLAUDE.local.md"), format!("@{}\n", outside.to_str().unwrap()));
    let (rows, told) = budget(home.path(), &root);
    let own: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.1, &*row.3)).collect();
    assert_eq!(own, [("CLAUDE.md", "outside"), ("CLAUDE.local.md", "read"), ("GEMINI.md", "long")]);
    assert!(told.contains("not opened: it is outside") && told.contains("not read: it is over 1"), "{told}");
}
