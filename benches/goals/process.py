"""Processes: runs them to their end and measures them, or drives them in a pseudo-terminal."""

import fcntl
import os
import re
import select
import signal
import struct
import termios
import time

ROWS, COLUMNS = 36, 120
DISCARD = [
    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
    (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
]


class Ended:
    """The costs of a process: seconds, CPU seconds, peak memory and written bytes."""

    def __init__(self, args, env, out=None):
        actions = list(DISCARD)
        if out:
            actions[1] = (os.POSIX_SPAWN_OPEN, 1, out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        begun = time.perf_counter()
        pid = os.posix_spawnp(args[0], args, env, file_actions=actions)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        self.seconds = time.perf_counter() - begun
        self.written = written(pid)
        _, status, usage = os.wait4(pid, 0)
        self.status = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024


def written(pid):
    try:
        with open(f"/proc/{pid}/io") as file:
            return int(re.search(r"wchar: (\d+)", file.read())[1])
    except (OSError, TypeError):
        return None


class Terminal:
    """A program in a pseudo-terminal, and the characters of its screen."""

    def __init__(self, args, env):
        self.master, slave = os.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        name = os.ttyname(slave)
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.rest = b""
        # The first terminal that a session leader opens is its controlling terminal.
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]
        self.begun = time.perf_counter()
        self.pid = os.posix_spawn(args[0], args, env, file_actions=actions, setsid=True)
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)

    def read(self, seconds):
        """Returns the next bytes drawn and when they came; None if none come in time."""
        if not select.select([self.master], [], [], max(0, seconds))[0]:
            return None
        try:
            drawn = os.read(self.master, 1 << 16)
        except OSError:
            raise RuntimeError("the program ended") from None
        when = time.perf_counter()
        self.draw(drawn)
        return drawn, when

    def send(self, keys):
        """Sends keys. Returns when."""
        when = time.perf_counter()
        os.write(self.master, keys.encode())
        return when

    def until(self, seen, seconds=120):
        """Reads until `seen` accepts the screen or the bytes drawn last. Returns when that was."""
        end = time.perf_counter() + seconds
        while True:
            read = self.read(end - time.perf_counter())
            if read is None:
                raise TimeoutError(self.text())
            if seen(self, read[0]):
                return read[1]

    def quiet(self, seconds, most=120):
        """Reads until nothing is drawn for `seconds`. Returns the time of the last drawing."""
        last, end = time.perf_counter(), time.perf_counter() + most
        while time.perf_counter() < end:
            read = self.read(seconds)
            if read is None:
                break
            last = read[1]
        return last

    def text(self):
        return "\n".join("".join(row) for row in self.cells)

    def line(self, row):
        return "".join(self.cells[row])

    def draw(self, drawn):
        drawn = self.rest + drawn
        text = drawn.decode("utf-8", "ignore")
        cut = text.rfind("\x1b")
        # An incomplete sequence or character waits for its end.
        if cut >= 0 and not re.match(r"\x1b(\[[0-9;?>]*[a-zA-Z]|[^\[])", text[cut:]):
            self.rest = text[cut:].encode()
            text = text[:cut]
        else:
            self.rest = drawn[len(text.encode()) :] if len(drawn) - len(text.encode()) < 4 else b""
        for found in re.finditer(r"\x1b\[([0-9;?>]*)([a-zA-Z])|\x1b.|[^\x1b]+", text, re.S):
            what = found[2]
            if what == "H":
                numbers = [int(number or 1) for number in (found[1] or "1;1").split(";")]
                self.row, self.column = numbers[0] - 1, (numbers + [1])[1] - 1
            elif what == "J":
                self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
            elif found[0][0] != "\x1b":
                for letter in found[0]:
                    if self.row < ROWS and self.column < COLUMNS:
                        self.cells[self.row][self.column] = letter
                    self.column += 1

    def cpu(self):
        """Returns the CPU seconds of all threads so far."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{task}/schedstat") as file:
                    total += int(file.read().split()[0])
            except OSError:
                pass
        return total / 1e9

    def private(self):
        """Returns private memory in bytes: no other process can share it, and the kernel can't drop it."""
        with open(f"/proc/{self.pid}/smaps_rollup") as file:
            found = dict(re.findall(r"(\w+):\s+(\d+) kB", file.read()))
        return int(found["Private_Dirty"]) * 1024
