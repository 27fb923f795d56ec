//! The default places of each family, as data: where programs keep their memories. What each row was seen in is beside it.

use crate::format::StorePlace;

const CLAUDE_CODE: &str = "Claude Code";
const SUBAGENT: &str = "a sub-agent of Claude Code";
const QWEN: &str = "Qwen Code";
const HERMES_AGENT: &str = "Hermes";
const OPEN_CLAW: &str = "OpenClaw";
pub const BY_INSTRUCTION: &str = "agents that are instructed to";

/// Replaces `~/.claude` (documentation of Claude Code, page "settings", 2026).
pub const CLAUDE_FOLDER: &str = "CLAUDE_CONFIG_DIR";
/// The first replaces `~/.qwen`, the others for what Qwen Code writes (`storage.ts` at 013e660f, `paths.ts`, 2026).
const QWEN_FOLDERS: &[(&str, usize)] =
    &[("QWEN_HOME", 1), ("QWEN_RUNTIME_DIR", 1), ("QWEN_CODE_MEMORY_BASE_DIR", 1)];
/// `hermes_constants.py` at 00067189, 2026.
const HERMES_FOLDER: &[(&str, usize)] = &[("HERMES_HOME", 1)];
/// docs.openclaw.ai, "workspace", 2026.
const OPENCLAW_FOLDER: &[(&str, usize)] = &[("OPENCLAW_STATE_DIR", 1)];

/// Claude Code: its documentation, pages "memory" and "sub-agents", 2026-09. Qwen Code: `packages/core/src/memory/paths.ts`
/// of QwenLM/qwen-code at 09c1f14b, 2026.
pub const CLAUDE: &[StorePlace] = &[
    StorePlace::home(".claude/projects/*/memory", CLAUDE_CODE).moved_by(&[(CLAUDE_FOLDER, 1)]),
    StorePlace::project(".claude/agent-memory/*", SUBAGENT).moved_by(&[(CLAUDE_FOLDER, 1)]),
    StorePlace::project(".claude/agent-memory-local/*", SUBAGENT),
    StorePlace::project(".claude/memory", BY_INSTRUCTION),
    StorePlace::project(".agents/memory", BY_INSTRUCTION),
    StorePlace::home(".qwen/projects/*/memory", QWEN).moved_by(QWEN_FOLDERS),
    StorePlace::home(".qwen/memories", QWEN).moved_by(QWEN_FOLDERS),
    StorePlace::project(".qwen/team-memory", QWEN),
    StorePlace::project(".qwen/memory", QWEN),
];

pub const SERENA: &[StorePlace] = &[StorePlace::project(".serena/memories", "Serena")];

/// Kilo Code: kilo.ai/docs/customize/context/memory, 2026. `.github` and `.kilo` are where people keep them.
pub const MEMORY_BANK: &[StorePlace] = &[
    StorePlace::project("memory-bank", BY_INSTRUCTION),
    StorePlace::project("memory_bank", BY_INSTRUCTION),
    StorePlace::project(".memory-bank", BY_INSTRUCTION),
    StorePlace::project(".kilocode/rules/memory-bank", "Kilo Code"),
    StorePlace::project(".kilo/rules/memory-bank", "Kilo Code"),
    StorePlace::project(".github/memory-bank", BY_INSTRUCTION),
];

/// `hermes_constants.py` at 00067189, 2026.
pub const HERMES: &[StorePlace] = &[
    StorePlace::home(".hermes/memories", HERMES_AGENT).moved_by(HERMES_FOLDER),
    StorePlace::home(".hermes/profiles/*/memories", HERMES_AGENT).moved_by(HERMES_FOLDER),
];

/// docs.openclaw.ai, "config-agents" and "workspace", 2026; `agent-scope-config.ts` at 08a43c8a.
pub const OPENCLAW: &[StorePlace] = &[
    StorePlace::home(".openclaw/workspace", OPEN_CLAW)
        .moved_by(&[("OPENCLAW_STATE_DIR", 1), ("OPENCLAW_WORKSPACE_DIR", 2)]),
    StorePlace::home(".openclaw/workspace-*", OPEN_CLAW).moved_by(OPENCLAW_FOLDER),
    StorePlace::home(".openclaw/workspace/*", OPEN_CLAW).moved_by(OPENCLAW_FOLDER),
    StorePlace::home(".openclaw-*/workspace", OPEN_CLAW),
    StorePlace::home("clawd", OPEN_CLAW),
];

pub const CODEX: &[StorePlace] =
    &[StorePlace::home(".codex/memories", "Codex").moved_by(&[("CODEX_HOME", 1)])];

pub const BASIC_MEMORY: &[StorePlace] = &[StorePlace::home("basic-memory", "basic-memory")];

pub const BULLETS: &[StorePlace] = &[StorePlace::home(".gemini", "Gemini CLI")];

const XDG_CONFIG: &[(&str, usize)] = &[("XDG_CONFIG_HOME", 1)];

/// Copilot: `memoryTool.tsx` of microsoft/vscode-copilot-chat at 31acd00a, 2026-03-29 (0.42.0), below the folder of user
/// data of each editor; microsoft/vscode#334917, 2026-09. Kilo: kilo.ai/docs/customize/context/memory, 2026.
pub const PLAIN: &[StorePlace] = &[
    copilot(".config/*/User/globalStorage/github.copilot-chat/memory-tool/memories").moved_by(XDG_CONFIG),
    copilot(".config/*/User/workspaceStorage/*/GitHub.copilot-chat/memory-tool/memories")
        .moved_by(XDG_CONFIG),
    copilot("Library/Application Support/*/User/globalStorage/github.copilot-chat/memory-tool/memories"),
    copilot("Library/Application Support/*/User/workspaceStorage/*/GitHub.copilot-chat/memory-tool/memories"),
    copilot(".vscode-server*/data/User/globalStorage/github.copilot-chat/memory-tool/memories"),
    copilot(".vscode-server*/data/User/workspaceStorage/*/GitHub.copilot-chat/memory-tool/memories"),
    StorePlace::home(".local/share/kilo/memory/*", "Kilo Code").moved_by(&[("XDG_DATA_HOME", 2)]),
];

const fn copilot(path: &'static str) -> StorePlace {
    StorePlace::home(path, "Copilot in VS Code")
}
