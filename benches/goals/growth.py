"""How the times of `add`, `tag`, `list` and `show` grow with the store, beside their peers."""

import os
import shutil
import sqlite3
import statistics
import time

import plot
import stores
from bench import ms, size_name
from process import Ended

SIZES = "0.01,0.1,1,10,100"
# Verb, its peer, and the colour of both, which is legible on white and on black.
PAIRS = [
    ("add", "sqlite3", "#2f7fd6"),
    ("tag", "bare rewrite", "#c2650f"),
    ("list -n 20", "wc -l", "#1f8a4d"),
    ("show", "wc -l", "#a45bd0"),
]
# `wc -l` is the peer of two verbs.
SHARED = {"wc -l": "#777777"}
TEXT = stores.FILLER[:160]
# The most seconds until a changed session has its index: a large session is read for it.
LATEST = 300
# After the index, the other derived files are written within this time, in seconds.
SETTLES = 0.3


class Peers:
    """The peers of the verbs: a table with as many rows, and a copy of the session's log."""

    def __init__(self, bench, made):
        self.tool, self.env, self.log = shutil.which("sqlite3"), bench.env(fresh=False), made.log
        self.base = os.path.join(bench.folder, "growth.db")
        self.copy = os.path.join(bench.folder, "growth.jsonl")
        self.remove()
        shutil.copyfile(made.log, self.copy)
        if self.tool:
            self.fill(made)

    def fill(self, made):
        base = sqlite3.connect(self.base)
        base.execute("CREATE TABLE entries(line TEXT)")
        for session in stores.SESSIONS:
            with open(os.path.join(made.root, "sessions", session, "memory.jsonl")) as log:
                base.executemany("INSERT INTO entries VALUES(?)", ((line.rstrip("\n"),) for line in log))
        base.commit()
        base.execute("PRAGMA journal_mode=WAL")
        base.close()

    def remove(self):
        for path in (self.base, f"{self.base}-wal", f"{self.base}-shm", self.copy):
            if os.path.exists(path):
                os.remove(path)

    def insert(self, line):
        words = f"PRAGMA synchronous=FULL; INSERT INTO entries VALUES('{line}')"
        return seconds(Ended([self.tool, self.base, words], self.env), "sqlite3")

    def rewrite(self, name, tag):
        """Makes the system calls that a tag in a log needs, in this process."""
        begun = time.perf_counter()
        with open(self.copy, "rb") as file:
            old = file.read()
        start = b'"tags":['
        at = old.index(start, old.index(f'"{name}"'.encode())) + len(start)
        with open(f"{self.copy}.new", "wb") as file:
            for piece in (old[:at], f'"{tag}",'.encode(), old[at:]):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.rename(f"{self.copy}.new", self.copy)
        folder = os.open(os.path.dirname(self.copy), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        return time.perf_counter() - begun

    def count(self):
        return seconds(Ended(["wc", "-l", self.log], self.env), "wc")


def seconds(ended, name):
    if ended.status:
        raise RuntimeError(f"{name} ends with {ended.status}")
    return ended.seconds


def version(path):
    """Returns a value that differs after each write of a file."""
    seen = os.stat(path)
    return seen.st_ino, seen.st_mtime_ns


def change(bench, made, *words):
    """Returns the seconds of a change. Then waits until the background process has written the index."""
    index = os.path.join(os.path.dirname(made.log), "index.json")
    before, env = version(index), bench.env(fresh=False)
    took = seconds(bench.verb(env, *words, "--store", made.root, "--yes"), words[0])
    end = time.monotonic() + LATEST
    while version(index) == before:
        if time.monotonic() > end:
            raise TimeoutError(f"no index was written after {words[0]}")
        time.sleep(0.05)
    time.sleep(SETTLES)
    return took


def read(bench, made, *words):
    return seconds(bench.verb(bench.env(fresh=False), *words, "--store", made.root), words[0])


def last_line(path):
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4 * stores.SHORT))
        return file.read().decode().splitlines()[-1]


def in_turn(bench, made, peers):
    """Runs each verb and each peer in turn, `bench.runs` times. Returns the medians in seconds."""
    took = {name: [] for verb, peer, _ in PAIRS for name in (verb, peer)}
    # A memory in the middle of the session: a verb can't know where it is.
    middle = f"mem_{made.entries * 11 // 20:07}"
    name = f"{made.session}/{middle}"
    add = ["add", "--session", made.session, "--type", "finding", "--text", TEXT, "--tag", "database.pooling"]
    listed = ["list", "--session", made.session, "-n", "20"]
    for run in range(bench.runs):
        took["add"].append(change(bench, made, *add))
        if peers.tool:
            took["sqlite3"].append(peers.insert(last_line(made.log)))
        took["tag"].append(change(bench, made, "tag", name, f"+t{run}"))
        took["bare rewrite"].append(peers.rewrite(middle, f"t{run}"))
        took["list -n 20"].append(read(bench, made, *listed))
        took["wc -l"].append(peers.count())
        took["show"].append(read(bench, made, "show", name))
    return {name: statistics.median(times) for name, times in took.items() if times}


def of_one_size(bench, at, count):
    """Returns the medians for a store with `count` entries, by verb and peer."""
    made = stores.ten_sessions(bench.palimp, bench.env(), bench.folder, count)
    peers = Peers(bench, made)
    os.sync()  # so that the new store is not still being written
    try:
        medians = in_turn(bench, made, peers)
    finally:
        peers.remove()
        shutil.rmtree(made.root, ignore_errors=True)
    for verb, peer, _ in PAIRS:
        own, other = medians[verb], medians.get(peer)
        if other:
            bench.row("growth", f"`{verb}`, {at}", ms(own), f"{peer} {ms(other)}", own / other, "", None)
        else:
            bench.skipped("growth", f"`{verb}` beside {peer}", peer)
    return medians


def table(measured):
    """Returns a row per verb and a column per size, as in benches/README.md."""
    sizes = list(measured)
    lines = [f"| what | beside | {' | '.join(map(size_name, sizes))} |", "|---" * (2 + len(sizes)) + "|"]
    for verb, peer, _ in PAIRS:
        cells = []
        for size in sizes:
            own, other = measured[size][verb], measured[size].get(peer)
            cells.append(ms(own) + (f", {own / other:.1f}x" if other else ""))
        lines.append(f"| `{verb}` | {peer} | {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(measured):
    """Returns the plot: a line for each verb, and a dashed one for each peer."""

    def line(name, colour, is_dashed):
        points = [(size, medians[name] * 1e3) for size, medians in measured.items() if name in medians]
        return plot.Line(name, colour, is_dashed, points)

    peers = {peer: SHARED.get(peer, colour) for _, peer, colour in PAIRS}
    lines = [line(verb, colour, False) for verb, _, colour in PAIRS]
    lines += [line(peer, colour, True) for peer, colour in peers.items()]
    return plot.draw([own for own in lines if own.points], size_name)
