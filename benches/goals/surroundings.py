"""What lies beside the stores: the search for values against `grep -c -F`."""

import json
import multiprocessing
import os
import random

import stores
from bench import mb, ms
from process import Ended

FILE = 6 << 20
LARGE = 200 << 20
LINES = 40_000


def values():
    """Returns eight values of the kinds that people erase."""
    kinds = ["key-{:x}", "person.{:x}@example.org", "CH93 00{}", "correct horse {:x}", "+41 79 {}"]
    kinds += ["Station Road {}, Berne", "passport X{}", "token_{:x}"]
    return [kind.format(7_919 * (number + 10_007)) for number, kind in enumerate(kinds)]


def transcript_lines():
    """Returns random lines of transcripts, as agents write them."""
    chance = random.Random(7)
    words = ["".join(chance.choices("etaoinshrdlucmfwypvbgk", k=chance.randint(2, 9))) for _ in range(20_000)]
    for _ in range(LINES):
        text = " ".join(chance.choices(words, k=chance.randint(20, 300)))
        part = {"type": "text", "text": text}
        line = {"type": "assistant", "uuid": f"{chance.getrandbits(128):032x}", "message": {"content": [part]}}
        yield json.dumps(line) + "\n"


def transcripts(folder, size):
    """Writes transcripts of `size` bytes in all: two large ones, the others of 6 MB."""
    chance, block = random.Random(8), "".join(transcript_lines()).encode()
    os.makedirs(folder)
    large = min(LARGE, size // 4)
    lengths = [large, large] + [FILE] * max(1, (size - 2 * large) // FILE)
    paths = [os.path.join(folder, f"{number:04}.jsonl") for number in range(len(lengths))]
    for path, length in zip(paths, lengths):
        with open(path, "wb") as file:
            while file.tell() < length:
                start = block.index(b"\n", chance.randrange(len(block) // 2)) + 1
                end = block.rindex(b"\n", start, start + FILE // 8) + 1
                file.write(block[start:end])
            file.write(json.dumps({"text": chance.choice(values())}).encode() + b"\n")


def searching(bench, size):
    """19: the search beside the stores for one value and for eight, against grep, and its peak memory."""
    env = bench.env()
    made = stores.make(bench.palimp, env, bench.folder, "session-log", 300)
    folder = os.path.join(env["HOME"], ".claude", "projects", "x")
    # What this process has in memory would count as the peak of those that it starts.
    writer = multiprocessing.get_context("fork").Process(target=transcripts, args=(folder, size))
    writer.start()
    writer.join()
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    whole = sum(os.path.getsize(path) for path in paths)
    given, listed = (os.path.join(bench.folder, name) for name in ("values", "values.txt"))
    env = env | {"GIVEN": given, "LC_ALL": "C"}
    own = [bench.palimp, "verify-erased", "--values-from", "-", "--store", made.root]
    for count in (1, 8):
        texts = values()[:count]
        for path, between in ((given, "\0"), (listed, "\n")):
            with open(path, "w") as file:
                file.write(between.join(texts) + ("\n" if between == "\n" else ""))
        search = ["grep", "-c", "-F"] + (["-f", listed] if count > 1 else [texts[0]])
        found, peer = [], []
        for _ in range(3):
            peer.append(Ended([*search, *paths], env).seconds)
            found.append(Ended(["sh", "-c", 'exec "$@" < "$GIVEN"', "sh", *own], env))
        noun = "a value" if count == 1 else f"{count} values"
        what = f"{mb(whole)} of transcripts searched for {noun}"
        bench.times("19", what, [ended.seconds for ended in found], peer, "grep -c -F", 3)
        peak = max(ended.peak for ended in found)
        bench.row("19", f"peak memory, {noun}", mb(peak), ms(found[-1].cpu) + " CPU", None, "100 MB", peak <= 100e6)
