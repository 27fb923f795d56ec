//! The files of instructions that agents read beside memories.
//!
//! Claude Code imports a file where a word begins with `@`, but not in code. A word that names no file is none.

use crate::format::InstructionBase::{self, Home, Project, Store};
use crate::format::{ImportRule, InstructionPlace};
use crate::text::markdown_blocks::each_shown;

/// How deep Claude Code follows imports.
const DEPTH: usize = 5;

const CLAUDE: &str = "Claude Code";
const CODEX: &str = "Codex";
const CURSOR: &str = "Cursor";
const OPENCLAW: &str = "OpenClaw";
const COPILOT: &str = "GitHub Copilot";
const QWEN: &str = "Qwen Code";

/// What agents read in a project and in the home folder, by their documentation (read on 2026-11-29).
pub const OF_PROJECTS: &[InstructionPlace] = &[
    with_imports(Home, ".claude/CLAUDE.md"),
    with_imports(Home, ".claude/rules/*.md"),
    with_imports(Project, "CLAUDE.md"),
    with_imports(Project, ".claude/CLAUDE.md"),
    with_imports(Project, ".claude/rules/*.md"),
    with_imports(Project, "CLAUDE.local.md"),
    place(CODEX, Home, ".codex/AGENTS.md"),
    place(CODEX, Project, "AGENTS.md"),
    place("Gemini CLI", Home, ".gemini/GEMINI.md"),
    place("Gemini CLI", Project, "GEMINI.md"),
    place(QWEN, Home, ".qwen/QWEN.md"),
    place(QWEN, Project, "QWEN.md"),
    place(CURSOR, Project, ".cursor/rules/*.mdc"),
    place(CURSOR, Project, ".cursor/rules/*.md"),
    place(CURSOR, Project, ".cursorrules"),
    place(COPILOT, Home, ".copilot/copilot-instructions.md"),
    place(COPILOT, Project, ".github/copilot-instructions.md"),
    place(COPILOT, Project, ".github/instructions/*.instructions.md"),
    place("Windsurf", Project, ".windsurf/rules/*.md"),
    place("Windsurf", Project, ".windsurfrules"),
    place("Cline", Project, ".clinerules"),
    place("Cline", Project, ".clinerules/*.md"),
    place("Roo Code", Project, ".roo/rules/*.md"),
    place("Roo Code", Project, ".roorules"),
    place("goose", Home, ".config/goose/.goosehints"),
    place("goose", Project, ".goosehints"),
    place("opencode", Home, ".config/opencode/AGENTS.md"),
    place("Junie", Project, ".junie/guidelines.md"),
];

pub const OF_WORKSPACES: &[InstructionPlace] = &[
    place(OPENCLAW, Store, "AGENTS.md"),
    place(OPENCLAW, Store, "SOUL.md"),
    place(OPENCLAW, Store, "TOOLS.md"),
    place(OPENCLAW, Store, "IDENTITY.md"),
    place(OPENCLAW, Store, "USER.md"),
    place(OPENCLAW, Store, "HEARTBEAT.md"),
    place(OPENCLAW, Store, "BOOTSTRAP.md"),
];

const fn place(reader: &'static str, base: InstructionBase, path: &'static str) -> InstructionPlace {
    InstructionPlace { reader, base, path, imports: None }
}

const fn with_imports(base: InstructionBase, path: &'static str) -> InstructionPlace {
    InstructionPlace {
        imports: Some(ImportRule { paths: imports, depth: DEPTH }),
        ..place(CLAUDE, base, path)
    }
}

fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_shown("@", text, &mut |_, _, shown| {
        // Every second part is code.
        for (number, part) in shown.split('`').enumerate().step_by(2) {
            found.extend(imports_of(part, number == 0));
        }
    });
    found
}

/// Returns the paths that a part of a line without code imports. A path has no spaces but those after `\`.
fn imports_of(part: &str, is_start: bool) -> impl Iterator<Item = String> {
    part.match_indices('@').filter_map(move |(at, _)| {
        let before = part[..at].chars().next_back();
        if !before.map_or(is_start, char::is_whitespace) {
            return None;
        }
        let mut path = String::new();
        let mut rest = part[at + 1..].chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => path.extend(rest.next()),
                c if c.is_whitespace() || c == '#' => break,
                c => path.push(c),
            }
        }
        let is_path = path.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
            || path.starts_with("~/")
            || path.len() > 1 && path.starts_with('/');
        is_path.then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_after_an_at_sign_is_an_import_but_not_in_code() {
        let text = "@a.md and @docs/b.md#part, mail@c.md `@d.md` @~/e\\ f.md\n```\n@g.md\n```\n`x`@h.md @/i.md @ @(j) @../k.md";
        assert_eq!(imports(text), ["a.md", "docs/b.md", "~/e f.md", "/i.md", "../k.md"]);
    }
}
