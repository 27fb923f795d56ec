"""What every goal needs: the programs, a folder to work in, and the table."""

import json
import os
import shutil
import statistics

from process import Ended, Terminal

NOW = ["--now", "2026-02-01T12:00:00Z"]
MB = 1e6


def p99(values):
    values = sorted(values)
    return values[min(len(values) - 1, round((len(values) - 1) * 0.99))]


def ms(seconds):
    return f"{seconds * 1e3:,.1f} ms"


def mb(size):
    return f"{size / MB:,.1f} MB"


def size_name(megabytes):
    """Formats megabytes for readers: 10 kB, 1 GB."""
    if megabytes >= 1000:
        return f"{megabytes / 1000:g} GB"
    return f"{megabytes:g} MB" if megabytes >= 1 else f"{megabytes * 1000:g} kB"


class Bench:
    """The programs, a folder to work in, and the table."""

    def __init__(self, palimp, trivial, folder, runs, judged=True):
        self.palimp, self.trivial, self.folder, self.runs = palimp, trivial, folder, runs
        self.judged = judged
        self.rows, self.failed = [], []

    def env(self, fresh=True):
        home = os.path.join(self.folder, "home")
        if fresh:
            shutil.rmtree(home, ignore_errors=True)
            os.makedirs(home)
        return {"HOME": home, "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8"}

    def row(self, goal, what, figure, peer, ratio, limit, met):
        """Adds a row. If `met` is None or the size is not judged, it is only reported."""
        met = "reported" if met is None or not self.judged else "met" if met else "missed"
        ratio = "" if ratio is None else f"{ratio:,.2f}"
        self.rows.append((goal, what, figure, peer, ratio, limit, met))
        print(f"  {goal}: {what}: {figure}, {peer}, ratio {ratio}, {limit}: {met}", flush=True)

    def times(self, goal, what, own, peer, name, most, show=ms):
        """Adds a figure against its peer's, as medians of times measured in turn."""
        own, peer = statistics.median(own), statistics.median(peer)
        ratio = own / peer
        self.row(goal, what, show(own), f"{name} {show(peer)}", ratio, f"{most}x", ratio <= most)

    def skipped(self, goal, what, tool):
        self.row(goal, what, "", f"skipped: {tool} is not installed", None, "", None)

    def verb(self, env, *args, out=None):
        return Ended([self.palimp, *args, *NOW], env, out)

    def plan(self, env, *args):
        """Returns what a change would write, from its plan: the files with their sizes before and after."""
        out = os.path.join(self.folder, "plan.json")
        self.verb(env, *args, "--dry-run", "--json", out=out)
        with open(out) as file:
            return json.loads(file.readline())["plan"]["files"]

    def first(self, program, text, env):
        with Terminal(program, env) as terminal:
            return terminal.until(lambda _, drawn: text in drawn) - terminal.begun
