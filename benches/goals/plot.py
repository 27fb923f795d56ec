"""A plot of times by sizes, both on logarithmic axes, as SVG: legible on a white and on a dark background."""

import math
from typing import NamedTuple

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 610, 40, 386
# As far from white as from black, because the page sets the background.
INK = "#777777"
# The smallest distance between labels of lines.
APART = 17


class Line(NamedTuple):
    """A line with its label at its end; points are megabytes and milliseconds."""

    name: str
    colour: str
    is_dashed: bool
    points: list


class Axis:
    """A logarithmic axis: maps a value to a place between two ends."""

    def __init__(self, low, high, begin, end):
        self.low, self.begin = math.log(low), begin
        self.scale = (end - begin) / ((math.log(high) - self.low) or 1)

    def at(self, value):
        return round(self.begin + (math.log(value) - self.low) * self.scale, 1)


def steps(low, high):
    """Returns 1, 2 and 5 of each power of ten, from the last below `low` to the first above `high`."""
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    known = [one * 10.0**power for power in range(first, last + 2) for one in (1, 2, 5)]
    begin = max(at for at, step in enumerate(known) if step <= low)
    end = min(at for at, step in enumerate(known) if step >= high)
    return known[begin : max(end, begin + 1) + 1]


def apart(wanted):
    """Returns heights of labels near `wanted`, in the same order, without overlap."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    placed = []
    for at in order:
        placed.append(max(wanted[at], placed[-1] + APART if placed else TOP))
    low = BOTTOM
    for at in reversed(range(len(placed))):
        placed[at] = low = min(placed[at], low)
        low -= APART
    return [height for _, height in sorted(zip(order, placed))]


def text(x, y, said, anchor="start", colour=INK):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{said}</text>'


def grid(sizes, times, across, up, name):
    """Draws the axes: a faint line with a label for each step."""
    for time in times:
        y = up.at(time)
        yield f'<path d="M{LEFT} {y}H{RIGHT}" stroke="{INK}" stroke-opacity=".3"/>'
        yield text(LEFT - 8, y + 4, f"{time:,g} ms", "end")
    for size in sizes:
        x = across.at(size)
        yield f'<path d="M{x} {TOP}V{BOTTOM}" stroke="{INK}" stroke-opacity=".3"/>'
        yield text(x, BOTTOM + 20, name(size), "middle")
    yield text(LEFT, TOP - 18, "time of the whole process, median; dashed: what it is measured beside")
    yield text((LEFT + RIGHT) / 2, BOTTOM + 42, "size of the store, in ten sessions", "middle")


def curve(line, across, up, height):
    """Draws a line, its points, and its label at `height`."""
    points = [(across.at(size), up.at(time)) for size, time in line.points]
    dash = ' stroke-dasharray="6 4"' if line.is_dashed else ""
    path = " ".join(f"{x},{y}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="2"{dash}/>'
    for x, y in points:
        yield f'<circle cx="{x}" cy="{y}" r="3" fill="{line.colour}"/>'
    x, y = points[-1]
    yield f'<path d="M{x + 5} {y}L{RIGHT + 18} {height}" stroke="{line.colour}" stroke-opacity=".6"/>'
    yield text(RIGHT + 22, round(height + 4, 1), line.name, colour=line.colour)


def draw(lines, name):
    """Returns the picture of the lines; `name` returns the label of a size."""
    sizes = sorted({size for line in lines for size, _ in line.points})
    measured = [time for line in lines for _, time in line.points]
    times = steps(min(measured), max(measured))
    across, up = Axis(sizes[0], sizes[-1], LEFT, RIGHT), Axis(times[0], times[-1], BOTTOM, TOP)
    heights = apart([up.at(line.points[-1][1]) for line in lines])
    drawn = list(grid(sizes, times, across, up, name))
    for line, height in zip(lines, heights):
        drawn += curve(line, across, up, height)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="13">'
    )
    title = "<title>Times by the size of the store</title>"
    return "\n".join([head, title, *drawn, "</svg>\n"])
