"""Makes stores of 1.1 kB entries, the same each time, in the five formats; for growth with ten sessions."""

import datetime
import json
import os
import shutil

from process import Ended

ENTRY = 1_100
# The size of entries in stores of ten sessions.
SHORT = 400
SESSIONS = "abcdefghij"
NEWEST = "newestentry"
FILLER = "Connections are pooled, retried and measured before anything else is said of them. " * 14
# Each prefix of the last word finds other memories, and no other text has its letters: the count
# of a search changes with each letter.
TOKENS = ["q", "qj", "qjx", "qjxz"]
BEGAN = datetime.datetime(2026, 1, 1)

LOGS = {
    "session-log": (
        "sessions/s/memory.jsonl",
        lambda number, when, text: {
            "id": f"mem_{number:07}",
            "session_id": "s",
            "type": "conversation",
            "timestamp": when,
            "content": {"role": "user", "message": text},
            "importance": 0.5,
            "decay_factor": 1.0,
            "tags": ["database.pooling"] + ["bulk"] * (number < 4_000),
            "references": [],
        },
    ),
    "memory-server": (
        "learnings.jsonl",
        lambda number, when, text: {
            "id": f"00000000-0000-4000-8000-{number:012x}",
            "type": "learning",
            "content": text,
            "category": "c",
            "created_at": when,
            "updated_at": when,
            "accessed_at": when,
            "access_count": 0,
            "tags": ["database.pooling"],
            "importance": "low",
            "archived": False,
        },
    ),
    "bmad": (
        "sessions/{session}/conversation.jsonl",
        lambda number, when, text: {
            "id": f"msg-{number:07}",
            "timestamp": when,
            "agent_id": "a",
            "role": "user",
            "content": text,
        },
    ),
    "a-mem": (
        "events/2026-01/events.jsonl",
        lambda number, when, text: {
            "timestamp": when,
            "trace_id": f"t{number}",
            "status": "success",
            "schema_version": "1.0",
            "event_type": "a.b",
            "source": "s",
            "metadata": {"note": text},
        },
    ),
    "agent-memory": (
        "history/events.jsonl",
        lambda number, when, text: {
            "id": f"evt-{number:07}",
            "kind": "tool_run",
            "sourceId": "s",
            "externalItemId": None,
            "createdAt": when,
            "contentHash": "0",
            "summary": text,
            "sourceRef": "x",
            "signals": {
                "decisions": [],
                "gotchas": [],
                "nextStepHints": [],
                "keyPaths": [],
                "validationObservations": [],
            },
        },
    ),
}


class Made:
    """A store: its folder, its log and its number of entries."""

    def __init__(self, name, root, log, entries, session=None):
        self.name, self.root, self.log, self.entries, self.session = name, root, log, entries, session

    def files(self):
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.root) for name in names]

    def bytes(self):
        return sum(os.path.getsize(path) for path in self.files())

    def copy(self, place):
        """Copies the store."""
        root = os.path.join(place, "copy", self.name)
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.root, root)
        return Made(
            self.name,
            root,
            os.path.join(root, os.path.relpath(self.log, self.root)),
            self.entries,
            self.session,
        )


def entry(form, number, last, size=ENTRY, **own):
    """Returns a line of the format; the fields in `own` replace those of the format."""
    when = (BEGAN + datetime.timedelta(seconds=number * 2)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    words = (
        NEWEST
        if number == last
        else next((TOKENS[at] for at in range(4) if number % (2 << at) == (1 << at) - 1), "plain")
    )
    text = f"{words} entry {number}. "

    def line(text):
        return json.dumps({**LOGS[form][1](number, when, text), **own}, separators=(",", ":")) + "\n"

    return line(text + FILLER[: max(0, size - len(line(text)))])


def make(palimp, env, folder, form, count, size=ENTRY):
    """Makes a store with `count` entries, and the indexes of its format."""
    name = f"{form}-{count}-{size}"
    root = os.path.join(folder, name)
    session = None
    if form != "agent-memory":
        run(palimp, env, "init", form, root)
    if form in ("session-log", "bmad"):
        run(palimp, env, "session", "new", "s", "--store", root)
        session = os.listdir(os.path.join(root, "sessions"))[0]
    log = os.path.join(root, LOGS[form][0].format(session=session))
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "w") as file:
        for number in range(count):
            file.write(entry(form, number, count - 1, size))
    if form == "session-log":
        never_full(root)
    if form != "agent-memory":
        run(palimp, env, "reindex", "--store", root)
    return Made(name, root, log, count, session)


def never_full(root):
    """Removes the size limit of sessions from a session-log store."""
    with open(os.path.join(root, "config.json"), "r+") as file:
        config = json.load(file)
        config.setdefault("storage", {})["max_session_size_mb"] = 100_000
        file.seek(0)
        json.dump(config, file)
        file.truncate()


def ten_sessions(palimp, env, folder, count, size=SHORT):
    """Makes a session-log store with `count` entries in ten sessions; its log is that of a middle one."""
    name = f"ten-sessions-{count}"
    root, each = os.path.join(folder, name), max(1, count // len(SESSIONS))
    run(palimp, env, "init", "session-log", root)
    for at, session in enumerate(SESSIONS):
        run(palimp, env, "session", "new", session, "--store", root)
        with open(os.path.join(root, "sessions", session, "memory.jsonl"), "w") as file:
            for number in range(each):
                # Ids count through the store, times through the session: none is later than the verbs' clock.
                own = {"id": f"mem_{at * each + number:07}", "session_id": session}
                file.write(entry("session-log", number, each - 1, size, **own))
    never_full(root)
    run(palimp, env, "reindex", "--store", root)
    session = SESSIONS[len(SESSIONS) // 2]
    log = os.path.join(root, "sessions", session, "memory.jsonl")
    return Made(name, root, log, each * len(SESSIONS), session)


def notes(palimp, env, folder, count, size=ENTRY):
    """Makes A-MEM notes, one per file."""
    root = os.path.join(folder, f"notes-{count}")
    run(palimp, env, "init", "a-mem", root)
    for number in range(count):
        when = (BEGAN + datetime.timedelta(seconds=number * 2)).strftime("%Y-%m-%dT%H:%M:%SZ")
        title = NEWEST if number == count - 1 else f"entry {number}"
        head = f"---\nid: note-{number:06}\ncreated: {when}\nupdated: {when}\ntags: [pooling]\nstatus: validated\n---\n\n# {title}\n\n"
        with open(os.path.join(root, "knowledge/notes", f"note-{number:06}.md"), "w") as file:
            file.write(head + FILLER[: max(0, size - len(head))] + "\n")
    return Made(f"notes-{count}", root, root, count)


def many(palimp, env, folder, count):
    """Makes `count` stores of ten entries each."""
    one = make(palimp, env, folder, "memory-server", 10)
    root = os.path.join(folder, f"stores-{count}")
    for number in range(count):
        shutil.copytree(one.root, os.path.join(root, f"{number // 100:02}", f"{number:04}"))
    return Made(f"stores-{count}", root, root, count * 10)


def run(palimp, env, *args):
    ended = Ended([palimp, *args] + ["--yes"], env)
    if ended.status not in (0, 1):
        raise RuntimeError(f"palimp {' '.join(args)}: status {ended.status}")
