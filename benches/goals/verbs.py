"""The verbs: their CPU, what they write, their peak memory, and how they grow with what they change."""

import json
import os
import shutil
import sqlite3
import statistics
import time

import stores
from bench import MB, mb, ms
from process import Ended

BLOCK = b"x" * (1 << 20)


def peers(bench, made):
    """The CPU of common tools for one pass over the log, as a scale for the rest."""
    env = bench.env()
    tools = [
        ("wc", ["wc", "-l", made.log]),
        ("rg", ["rg", "-ci", "pooled", made.log]),
        ("jq", ["jq", "-c", 'select(.tags | index("database.pooling")) | .id', made.log]),
    ]
    own = bench.verb(env, "search", "pooled", "--limit", "20", "--store", made.root)
    for name, words in tools:
        if shutil.which(name):
            cpu = sorted(Ended(words, env).cpu for _ in range(3))[1]
            bench.row(
                "scale",
                f"`palimp search`, CPU, against {name}",
                ms(own.cpu),
                f"{name} {ms(cpu)}",
                own.cpu / cpu,
                "",
                None,
            )
        else:
            bench.skipped("scale", f"`palimp search` against {name}", name)


def reading(bench, made):
    """3: CPU to read every record, and to check it, against counting lines."""
    runs = max(3, bench.runs // 3)
    cold, warm, check, wc = [], [], [], []
    for _ in range(runs):
        wc.append(Ended(["wc", "-l", made.log], bench.env()).cpu)
        cold.append(bench.verb(bench.env(), "stores", "--json", "--store", made.root).cpu)
        warm.append(bench.verb(bench.env(fresh=False), "stores", "--json", "--store", made.root).cpu)
        check.append(bench.verb(bench.env(), "check", "--json", "--store", made.root).cpu)
    bench.times("3", "`stores`, CPU, nothing kept", cold, wc, "wc -l", 6)
    bench.times("3", "`stores` once more, CPU", warm, wc, "wc -l", 0.3)
    bench.times("3", "`check`, CPU", check, wc, "wc -l", 8)


def bare(folder, files):
    """Times the system calls that a change needs: appends, and new files beside the old ones."""
    begun = time.perf_counter()
    for number, (change, size) in enumerate(files):
        path = os.path.join(folder, f"bare-{number}")
        temp = path + ".new" if change == "rewrite" else path
        flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if change == "append" else os.O_TRUNC)
        file = os.open(temp, flags, 0o600)
        for at in range(0, size, 1 << 20):
            os.write(file, BLOCK[: min(1 << 20, size - at)])
        os.fsync(file)
        os.close(file)
        if change == "rewrite":
            os.rename(temp, path)
            handle = os.open(folder, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
    return time.perf_counter() - begun


def amounts(files):
    return [
        (
            ("append", one["bytes_after"] - one["bytes_before"])
            if one["change"] == "append"
            else ("rewrite", one["bytes_after"])
        )
        for one in files
    ]


def writing(bench, made):
    """10, 15: an `add` and a rewrite as whole processes, against bare calls, dd and SQLite."""
    env, own = bench.env(), made.copy(bench.folder)
    add = ["add", "--store", own.root, "--session", "s", "--type", "decision", "--text", stores.FILLER[:900]]
    files = amounts(bench.plan(env, *add))
    derived = sum(size for change, size in files if change == "rewrite")
    runs = max(3, bench.runs // 3)
    whole, peer, cpu, dd, written, sql = [], [], [], [], [], []
    piece = os.path.join(bench.folder, "piece")
    with open(piece, "wb") as file:
        file.write(BLOCK[: stores.ENTRY])
    tool = shutil.which("sqlite3")
    base = os.path.join(bench.folder, "peer.db")
    with sqlite3.connect(base) as made_base:
        made_base.execute("PRAGMA journal_mode=WAL")
        made_base.execute("CREATE TABLE IF NOT EXISTS entries(line TEXT)")
    made_base.close()
    for _ in range(runs):
        ended = bench.verb(env, *add, "--yes")
        if ended.status:
            raise RuntimeError(f"add ends with {ended.status}")
        whole.append(ended.seconds)
        cpu.append(ended.cpu)
        written.append(ended.written)
        peer.append(bare(bench.folder, files))
        dd.append(
            Ended(["dd", f"if={piece}", f"of={piece}.log", "oflag=append", "conv=notrunc,fsync"], env).cpu
        )
        if tool:
            row = stores.FILLER[:1000]
            sql.append(
                Ended(
                    [tool, base, f"PRAGMA synchronous=FULL; INSERT INTO entries VALUES('{row}')"], env
                ).seconds
            )
    bench.times("10", "`add`, whole process", whole, peer, "the bare calls", 3)
    if tool:
        ratio = statistics.median(whole) / statistics.median(sql)
        bench.row(
            "10",
            "`add`, whole process",
            ms(statistics.median(whole)),
            f"sqlite3, WAL, FULL {ms(statistics.median(sql))}",
            ratio,
            "",
            None,
        )
    else:
        bench.skipped("10", "`add` against SQLite", "sqlite3")
    bench.times("15", "`add`, CPU", cpu, dd, "dd, append and fsync", 3)
    if written[0] is not None:
        most = 4 * stores.ENTRY + derived
        bytes_written = statistics.median(written)
        bench.row(
            "15",
            "`add`, bytes written",
            f"{bytes_written / 1e3:,.1f} kB",
            f"record 1.1 kB, derived {derived / 1e3:,.1f} kB",
            bytes_written / most,
            f"{most / 1e3:,.1f} kB",
            bytes_written <= most,
        )
    rewrite(bench, env, own, runs)


def rewrite(bench, env, own, runs):
    whole, peer = [], []
    for number in range(runs):
        tag = ["tag", f"mem_{number:07}", "+rewritten", "--store", own.root]
        files = amounts(bench.plan(env, *tag))
        whole.append(bench.verb(env, *tag, "--yes").seconds)
        peer.append(bare(bench.folder, files))
    bench.times("10", "`tag` of one record, whole process", whole, peer, "bare rewrite of its files", 1.3)


def peaks(bench, made):
    """16: peak memory of the verbs that read."""
    data, env = made.bytes(), bench.env()
    verbs = [
        ["stores"],
        ["list"],
        ["search", "pooled"],
        ["check"],
        ["stats"],
        ["export", "--format", "jsonl"],
        ["show", "mem_0000007"],
    ]
    took = [(bench.verb(env, *verb, "--store", made.root).peak, verb[0]) for verb in verbs]
    print("    " + ", ".join(f"{verb} {mb(peak)}" for peak, verb in took))
    peak, verb = max(took)
    most = 40 * MB + 2 * data
    bench.row(
        "16",
        f"peak of the verbs that read: `{verb}` the most",
        mb(peak),
        f"data {mb(data)}",
        peak / data,
        mb(most),
        peak <= most,
    )
    changing_peaks(bench, made.copy(bench.folder), data, env)


def changing_peaks(bench, own, data, env):
    """16: peak memory of the verbs that change, each with something to do."""
    one, index = "mem_0000007", os.path.join(os.path.dirname(own.log), "index.json")
    worst = None
    for verb in (
        ["add", "--session", "s", "--type", "decision", "--text", "x"],
        ["tag", one, "+x"],
        ["tag", "--query", "tag:bulk", "+x"],
        ["delete", one],
        ["delete", "--query", "tag:bulk"],
        ["undo"],
        ["redo"],
        ["compact"],
        ["undo"],
        ["backup", "create"],
        ["reindex"],
        ["repair", "--all-safe"],
    ):
        if verb[0] == "reindex":
            os.truncate(index, os.path.getsize(index) // 2)
        if verb[0] == "repair":
            with open(own.log, "a") as log:
                log.write('{"id": "torn')
        out = os.path.join(bench.folder, "told.json")
        ended = bench.verb(env, *verb, "--store", own.root, "--yes", "--json", out=out)
        with open(out) as file:
            told = file.readline()
        files = json.loads(told).get("plan", {}).get("files", []) if told else []
        rewritten = sum(
            max(one["bytes_before"] or 0, one["bytes_after"] or 0)
            for one in files
            if one["change"] != "append"
        )
        most = 40 * MB + 4 * data
        print(
            f"    {' '.join(verb[:2])} {mb(ended.peak)} of {mb(most)}, rewrites {mb(rewritten)}, status {ended.status}"
        )
        if not worst or ended.peak / most > worst[0] / worst[1]:
            worst = ended.peak, most, verb[0], rewritten
    peak, most, verb, rewritten = worst
    bench.row(
        "16",
        f"peak of the verbs that change: `{verb}` the most",
        mb(peak),
        f"rewrites {mb(rewritten)}",
        None,
        mb(most),
        peak <= most,
    )


def erasing(bench, made, count):
    """17: the time to erase records after ordinary use, against reading everything three times."""
    env, own = bench.env(), made.copy(bench.folder)
    for verb in (["tag", "mem_0000001", "+used"], ["delete", "mem_0000002"], ["undo"]):
        bench.verb(env, *verb, "--store", own.root, "--yes")
    kept = own.files() + [
        os.path.join(folder, name) for folder, _, names in os.walk(env["HOME"]) for name in names
    ]
    read = statistics.median(Ended(["wc", "-l", *kept], env).seconds for _ in range(3))
    ids = [f"mem_{number:07}" for number in range(0, count * 7, 7)]
    ended = bench.verb(env, "erase", *ids, "--store", own.root, "--yes")
    most = 0.001 * count + 3 * read
    bench.row(
        "17",
        f"`erase` of {count} records (status {ended.status})",
        ms(ended.seconds),
        f"wc -l of all {ms(read)}",
        ended.seconds / most,
        ms(most),
        ended.seconds <= most,
    )


def many_at_once(bench, made, count):
    """18: many ids against the query that finds them; a change that a limit refuses against one plan."""
    ids = [f"mem_{number:07}" for number in range(count)]
    by_id, by_query, refused, plan = [], [], [], []
    for _ in range(2):
        for times, words in ((by_id, ids), (by_query, ["--query", "tag:bulk"])):
            env, own = bench.env(), made.copy(bench.folder)
            ended = bench.verb(env, "delete", *words, "--store", own.root, "--yes")
            if ended.status:
                raise RuntimeError(f"delete ends with {ended.status}")
            times.append(ended.seconds)
    bench.times("18", f"`delete` of {count:,} ids", by_id, by_query, "the same by query", 1.2)
    env, own = bench.env(), made.copy(bench.folder)
    change = ["tag", "--query", "tag:bulk", "+" + "t" * 60, "+" + "u" * 60, "--store", own.root]
    config = os.path.join(own.root, "config.json")
    for _ in range(2):
        plan.append(bench.verb(env, *change, "--dry-run").seconds)
    with open(config) as file:
        said = json.load(file)
    said["storage"]["max_session_size_mb"] = os.path.getsize(own.log) / (1 << 20) + 0.1
    with open(config, "w") as file:
        json.dump(said, file)
    for _ in range(2):
        ended = bench.verb(env, *change, "--yes")
        refused.append(ended.seconds)
    bench.times("18", f"a change that a limit refuses (status {ended.status})", refused, plan, "its plan", 2)
