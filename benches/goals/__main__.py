#!/usr/bin/env python3
"""Measures palimp's goals of speed, memory and writing, beside their peers: `python3 benches/goals --help`.

benches/README.md says what is measured. Needs Linux, Python 3.10 and a release build:
`cargo build --release --example trivial_screen` and `cargo build --release`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import growth
import screens
import stores
import surroundings
import verbs
from bench import Bench, size_name

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ALL = "1 3 7 9 10 11 12 13 14 15 16 17 18 19 agent".split()


def arguments():
    words = argparse.ArgumentParser(
        prog="python3 benches/goals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    words.add_argument(
        "goal",
        nargs="*",
        help=f"only these: {' '.join(ALL)}; growth, if named, shows how times grow with the store",
    )
    words.add_argument(
        "--sizes",
        help=f"MB of data, with commas; 1000 is reported, not judged (default 10,100; growth: {growth.SIZES})",
    )
    words.add_argument("--plot", metavar="FILE", help="where growth draws its plot (default docs/growth.svg)")
    words.add_argument(
        "--entries",
        type=int,
        metavar="N",
        help="every goal once on stores of N entries, 300 or more, to see that all can be measured; nothing is judged",
    )
    words.add_argument("--palimp", default=f"{REPO}/target/release/palimp")
    words.add_argument("--trivial", default=f"{REPO}/target/release/examples/trivial_screen")
    words.add_argument(
        "--runs",
        type=int,
        default=15,
        help="of growth and what is quick, a third of what is not (default 15)",
    )
    words.add_argument(
        "--files", type=int, metavar="N", help="goal 14 also with so many notes, a file each: 100000"
    )
    words.add_argument("--stores", type=int, metavar="N", help="goal 14 also with so many stores: 1000")
    words.add_argument(
        "--agent",
        type=int,
        metavar="SECONDS",
        default=30,
        help="how long an agent writes while the screens are open (30; 600 shows growth)",
    )
    words.add_argument("--folder", default=None, help="where the stores are made (a temporary folder)")
    words.add_argument(
        "--install",
        action="store_true",
        help="install ripgrep by the platform's package manager, if it is missing",
    )
    return words.parse_args()


def install():
    """Installs ripgrep with a known package manager, if it is missing."""
    for tool, words in (
        ("apt-get", ["install", "-y"]),
        ("dnf", ["install", "-y"]),
        ("brew", ["install"]),
        ("pacman", ["-S", "--noconfirm"]),
    ):
        if shutil.which(tool) and not shutil.which("rg"):
            subprocess.run([tool, *words, "ripgrep"], check=False)


def entries_of(size):
    """Returns the number of entries in `size` megabytes."""
    return {10: 9_355, 100: 93_355}.get(size, int(size * 1_000_000 * 9_355 // 10_290_500))


def sizes_of(given, default):
    """Returns the requested sizes in megabytes."""
    return [float(size) for size in (given.sizes or default).split(",")]


def of_one_size(bench, size, entries, wanted):
    """Measures the wanted goals on stores of one size."""
    folder, rounds = bench.folder, {10: 12, 100: 6}.get(size, 1)
    made = stores.make(bench.palimp, bench.env(), folder, "session-log", entries)
    verbs.peers(bench, made)
    if "1" in wanted:
        screens.first_frame(bench, "1", "first frame, session-log", [made.root], 1.3)
        screens.pager(bench, made)
    if wanted & {"1", "14"}:
        others = [
            stores.make(bench.palimp, bench.env(), folder, form, entries)
            for form in stores.LOGS
            if form != "session-log"
        ]
        for other in others if "1" in wanted else []:
            screens.first_frame(bench, "1", f"first frame, {other.name.rsplit('-', 2)[0]}", [other.root], 1.3)
        if "14" in wanted:
            screens.first_frame(
                bench, "14", "first frame, five stores", [made.root] + [other.root for other in others], 1.6
            )
            notes = stores.notes(bench.palimp, bench.env(), folder, entries)
            screens.first_frame(bench, "14", f"first frame, {entries:,} notes", [notes.root], 1.6, 5)
        for other in others:
            shutil.rmtree(other.root)
    steps = [
        ("3", lambda: verbs.reading(bench, made)),
        ("11 12", lambda: screens.cursor(bench, made)),
        ("7 11 13", lambda: screens.keys(bench, made, size, rounds)),
        ("10 15", lambda: verbs.writing(bench, made)),
        ("16", lambda: verbs.peaks(bench, made)),
        ("17", lambda: verbs.erasing(bench, made, min(100, entries // 7))),
        ("18", lambda: verbs.many_at_once(bench, made, min(4_000, entries))),
    ]
    for names, step in steps:
        if wanted & set(names.split()):
            measured(bench, names, step)
    return made


def measured(bench, names, step):
    """Measures a goal. A failure is reported in its row and does not stop the others."""
    try:
        step()
    except (RuntimeError, TimeoutError) as problem:
        bench.failed.append(names)
        bench.row(names, "could not be measured", str(problem).strip()[:100], "", None, "", None)


def print_table(tables):
    print("\n| goal | at | what | figure | peer | ratio | limit | |\n|---|---|---|---|---|---|---|---|")
    for size, rows in tables:
        for goal, *rest in rows:
            print("| " + " | ".join([goal, size, *rest]) + " |")


def goals(given, wanted, folder):
    """Measures the wanted goals at each size. Returns the rows by size, and the goals that failed."""
    tables, failed = [], []
    sizes = [(size, entries_of(size)) for size in sizes_of(given, "10,100")]
    if given.entries:
        sizes = [(1, given.entries)]
    for size, entries in sizes:
        judged = size <= 100 and not given.entries
        bench = Bench(given.palimp, given.trivial, folder, given.runs, judged)
        at = f"{entries} entries" if given.entries else f"{size:g} MB"
        print(at, flush=True)
        made = of_one_size(bench, size, entries, wanted)
        if (size == 100 or given.entries) and "agent" in wanted:
            measured(bench, "agent", lambda: screens.agent(bench, made, given.agent))
        shutil.rmtree(made.root, ignore_errors=True)
        tables.append((at, bench.rows))
        failed += bench.failed
    bench = Bench(given.palimp, given.trivial, folder, given.runs, judged=not given.entries)
    of_all_sizes(bench, given, wanted)
    tables.append(("", bench.rows))
    return tables, failed + bench.failed


def of_all_sizes(bench, given, wanted):
    """Measures the goals that have their own stores."""
    if "9" in wanted:
        count = given.entries or 100_000
        made = stores.make(given.palimp, bench.env(), bench.folder, "session-log", count, 320)
        measured(bench, "9", lambda: screens.fuzzy(bench, made, 2))
    if "19" in wanted:
        size = 10_000_000 if given.entries else 1_000_000_000
        measured(bench, "19", lambda: surroundings.searching(bench, size))
    for what, count, make in (("notes", given.files, stores.notes), ("stores", given.stores, stores.many)):
        if count:
            root = make(given.palimp, bench.env(), bench.folder, count).root
            screens.first_frame(bench, "14", f"first frame, {count:,} {what}", [root], 1.6, 3)


def show_growth(given, folder):
    """Prints the table of growth and draws its plot. Returns the goals that failed."""
    bench, medians = Bench(given.palimp, None, folder, given.runs, judged=False), {}
    counts = {size: round(size * 1e6) // stores.SHORT for size in sizes_of(given, growth.SIZES)}
    if given.entries:
        counts = {given.entries * stores.SHORT / 1e6: given.entries}
    for size, count in counts.items():
        at = size_name(size)
        print(at, flush=True)
        measured(bench, "growth", lambda: medians.update({size: growth.of_one_size(bench, at, count)}))
    place = given.plot or (None if given.entries else f"{REPO}/docs/growth.svg")
    if medians:
        print(f"\n{growth.table(medians)}")
    if medians and place:
        with open(place, "w") as file:
            file.write(growth.picture(medians))
        print(f"\n{place}")
    return bench.failed


def main():
    given = arguments()
    wanted = set(given.goal or ALL)
    known = [*ALL, "growth"]
    if wanted - set(known):
        sys.exit(f"no such goal: {' '.join(wanted - set(known))}; there are {' '.join(known)}")
    needed = [(given.palimp, "cargo build --release")]
    if wanted & set(ALL):
        needed.append((given.trivial, "cargo build --release --example trivial_screen"))
    for path, how in needed:
        if not os.access(path, os.X_OK):
            sys.exit(f"{path} is not there: {how}")
    if given.install:
        install()
    if given.entries:
        given.runs, given.agent = 1, 1
    begun, failed = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="palimp-goals-", dir=given.folder) as folder:
        if wanted & set(ALL):
            tables, failed = goals(given, wanted, folder)
            print_table(tables)
        if "growth" in wanted:
            failed = failed + show_growth(given, folder)
    print(f"\n{time.monotonic() - begun:.0f} s")
    if failed:
        sys.exit(f"could not be measured: {', '.join(failed)}")


if __name__ == "__main__":
    main()
