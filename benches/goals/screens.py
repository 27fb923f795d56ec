"""The screens: the first frame, keys, memory, the cursor, and an agent that writes at the same time."""

import os
import re
import shutil
import statistics
import time

import stores
from bench import MB, NOW, mb, ms, p99
from process import Terminal


def first_frame(bench, goal, what, paths, most, runs=None):
    """1, 14: the time until the newest memory is drawn, against a program that draws a line."""
    own, trivial = [], []
    os.sync()  # so that the new store is not still being written
    for _ in range(runs or bench.runs):
        env = bench.env()
        trivial.append(bench.first([bench.trivial], b"there", env))
        own.append(bench.first([bench.palimp, *paths, *NOW], stores.NEWEST.encode(), env))
    bench.times(goal, what, own, trivial, "trivial program", most)


def pager(bench, made):
    """1: less, for comparison."""
    less = shutil.which("less")
    if not less:
        return bench.skipped("1", "first screen of less", "less")
    env = bench.env()
    pairs = [
        (bench.first([less, made.log], b"entry", env), bench.first([bench.trivial], b"there", env))
        for _ in range(bench.runs)
    ]
    own, trivial = (statistics.median(side) for side in zip(*pairs))
    bench.row(
        "1",
        "first screen of less, for comparison",
        ms(own),
        f"trivial program {ms(trivial)}",
        own / trivial,
        "",
        None,
    )


def settled(terminal):
    """Waits until nothing is drawn and no thread works."""
    while True:
        terminal.quiet(0.3)
        before = terminal.cpu()
        if terminal.read(0.3) is None and terminal.cpu() - before < 0.002:
            return


def hits(terminal):
    """Returns the number of memories in the list's title."""
    found = re.search(r"4 Memories[^│\n]* ([\d,]+) of ([\d,]+)", terminal.text())
    return found[2].replace(",", "") if found else None


def typed(bench, made, rounds, before=""):
    """Types a word of which each letter finds fewer memories. Returns, for each letter, the seconds until it
    was drawn and until the list had its results; and the memory used at the end."""
    frames, results = [], []
    with Terminal([bench.palimp, made.root, *NOW], bench.env()) as terminal:
        terminal.until(lambda seen, _: hits(seen) == str(made.entries))
        settled(terminal)
        terminal.send("/" + before)
        settled(terminal)
        for _ in range(rounds):
            word = stores.TOKENS[-1]
            for at, letter in enumerate(word):
                line, old = "/" + before + word[: at + 1], hits(terminal)
                sent = terminal.send(letter)
                frames.append(terminal.until(lambda seen, _: line in seen.line(1)) - sent)
                found = sent + frames[-1]
                if hits(terminal) == old:
                    found = terminal.until(lambda seen, _: hits(seen) not in (old, None))
                results.append(found - sent)
                terminal.quiet(0.1)
            for at in range(len(word), 0, -1):
                terminal.send("\x7f")
                terminal.until(
                    lambda seen, _: "/" + before + word[: at - 1] == seen.line(1).split("  ")[0].strip()
                )
            terminal.until(lambda seen, _: hits(seen) == str(made.entries))
            settled(terminal)
        memory = terminal.private()
    return frames, results, memory


def keys(bench, made, size, rounds):
    """7, 11, 13: from a letter of a search until it and its results are drawn; memory afterwards."""
    frames, results, memory = typed(bench, made, rounds)
    most = {10: (5, 50), 100: (8, 100)}.get(size, (16, 250))
    bench.row(
        "7",
        "key to frame, 99th percentile",
        ms(p99(frames)),
        f"median {ms(statistics.median(frames))}",
        None,
        f"{most[0]} ms",
        p99(frames) * 1e3 <= most[0],
    )
    bench.row(
        "13",
        "key to results, 99th percentile",
        ms(p99(results)),
        f"median {ms(statistics.median(results))}",
        None,
        f"{most[1]} ms",
        p99(results) * 1e3 <= most[1],
    )
    private(bench, made, "private memory after a search", memory)


def private(bench, made, what, memory):
    data = made.bytes()
    most = 40 * MB + 2 * data
    bench.row("11", what, mb(memory), f"data {mb(data)}", memory / data, mb(most), memory <= most)


def cursor(bench, made):
    """11, 12: memory of the screens, and CPU per move of the cursor."""
    env = bench.env()
    with Terminal([bench.palimp, made.root, *NOW], env) as terminal:
        terminal.until(lambda seen, _: hits(seen) == str(made.entries))
        settled(terminal)
        private(bench, made, "private memory, all read", terminal.private())
        took = []
        for _ in range(100):
            before = terminal.cpu()
            terminal.send("j")
            terminal.until(lambda *_: True)
            terminal.quiet(0.03)
            took.append(terminal.cpu() - before)
    bench.row(
        "12",
        "a move of the cursor, CPU, 99th percentile",
        ms(p99(took)),
        f"median {ms(statistics.median(took))}",
        None,
        "1.5 ms",
        p99(took) <= 0.0015,
    )
    cache = sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(env["HOME"])
        for name in names
    )
    bench.row(
        "11",
        "index and other own files after that",
        mb(cache),
        f"data {mb(made.bytes())}",
        cache / made.bytes(),
        "0.30x",
        cache <= 0.3 * made.bytes(),
    )


def fuzzy(bench, made, rounds):
    """9: letters of a fuzzy word over many titles."""
    frames, results, _ = typed(bench, made, rounds, "~")
    middle = statistics.median(results)
    bench.row(
        "9",
        f"fuzzy, {made.entries:,} titles, key to results, median",
        ms(middle),
        f"key to frame, 99th percentile {ms(p99(frames))}",
        None,
        "16 ms",
        middle <= 0.016,
    )


def agent(bench, made, seconds):
    """An agent appends ten lines a second while the screens are open: CPU and memory over time."""
    own = made.copy(bench.folder)
    with Terminal([bench.palimp, own.root, *NOW], bench.env()) as terminal, open(own.log, "a") as log:
        terminal.until(lambda seen, _: hits(seen) == str(made.entries))
        settled(terminal)
        begun, cpu, memory = time.perf_counter(), terminal.cpu(), [terminal.private()]
        number, share, last = 0, [], (time.perf_counter(), cpu)
        while (now := time.perf_counter()) - begun < seconds:
            while number < (now - begun) * 10:
                log.write(stores.entry("session-log", made.entries + number, -1))
                log.flush()
                number += 1
            terminal.read(0.02)
            if now - last[0] >= seconds / 6:
                share.append((terminal.cpu() - last[1]) / (now - last[0]))
                memory.append(terminal.private())
                last = now, terminal.cpu()
        spent = (terminal.cpu() - cpu) / (time.perf_counter() - begun)
    parts = " ".join(f"{part * 100:.0f}" for part in share)
    bench.row(
        "",
        f"an agent adds 10 lines a second for {seconds} s, CPU of a core",
        f"{spent * 100:.0f} %",
        f"over time {parts} %",
        None,
        "",
        None,
    )
    bench.row(
        "",
        "… private memory at the end",
        mb(memory[-1]),
        "over time " + " ".join(f"{part / MB:.0f}" for part in memory) + " MB",
        None,
        "",
        None,
    )
