"""Plots as SVG, written out by hand: bars on a logarithmic scale, and lines."""

import html
import math

INK, GRID, FAINT = "#222222", "#dddddd", "#777777"
COLOURS = ["#2f6f9f", "#d9822b", "#3f8f4f", "#a04a6f", "#6a5acd", "#7a6a4a"]


class Canvas:
    """A page to draw on; (0, 0) is at the top left."""

    def __init__(self, width, height):
        self.size = width, height
        self.parts = []

    def line(self, x1, y1, x2, y2, colour=GRID, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dash}/>')

    def text(self, x, y, words, anchor="start", colour=INK, size=12):
        shown = html.escape(words)
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">{shown}</text>'
        )

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')

    def path(self, points, colour):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def save(self, file):
        width, height = self.size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif">'
        )
        body = "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *self.parts, "</svg>"])
        file.write_text(body + "\n")


class Scale:
    """From values to places on the page."""

    def __init__(self, low, high, start, end, logarithmic):
        self.map = math.log10 if logarithmic else float
        self.low, self.start = self.map(low), start
        self.factor = (end - start) / (self.map(high) - self.map(low))

    def __call__(self, value):
        return self.start + (self.map(value) - self.low) * self.factor


def ticks(low, high, logarithmic):
    """Round values from low to high."""
    if logarithmic:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        dense = math.log10(high / low) < 3
        marks = [m * 10.0**d for d in decades for m in ((1, 2, 5) if dense else (1,))]
    else:
        step = 10 ** math.floor(math.log10((high - low) / 2))
        step = next(s for s in (step, 2 * step, 5 * step, 10 * step) if (high - low) / s <= 8)
        marks = [step * i for i in range(math.floor(low / step), math.ceil(high / step) + 1)]
    return [mark for mark in marks if low * 0.999 <= mark <= high * 1.001]


def short(value):
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def bars(file, title, values, mark, remark):
    """A horizontal bar for each (name, value), and a dashed line at `mark`."""
    row, left, right, top = 22, 190, 60, 62
    width, height = 760, top + row * len(values) + 40
    low = min([1.0, *(value for _, value in values)]) * 0.9
    high = max([mark, 2.0, *(value for _, value in values)]) * 1.1
    place = Scale(low, high, left, width - right, True)
    page = Canvas(width, height)
    page.text(16, 24, title, size=15)
    bottom = top + row * len(values)
    for tick in ticks(low, high, True):
        page.line(place(tick), top - 6, place(tick), bottom)
        page.text(place(tick), bottom + 18, f"{short(tick)}×", "middle", FAINT, 11)
    page.line(place(1), top - 6, place(1), bottom, INK)
    for number, (name, value) in enumerate(values):
        y = top + number * row
        page.text(left - 8, y + 14, name, "end")
        start, end = sorted((place(1), place(value)))
        page.box(start, y + 3, max(end - start, 1), row - 7, COLOURS[0] if value >= 1 else COLOURS[1])
        page.text(width - right + 10, y + 14, f"{value:.1f}")
    page.line(place(mark), top - 6, place(mark), bottom, INK, dashed=True)
    page.text(place(mark), top - 12, remark, "middle", INK, 11)
    page.save(file)


def lines(file, title, axes, series, logarithmic=(True, False)):
    """A line for each named list of points; `axes` are the words for x and y."""
    left, right, top, bottom, width, height = 70, 220, 56, 56, 800, 420
    everything = [point for points in series.values() for point in points]
    xs, ys = [x for x, _ in everything], [y for _, y in everything]
    low = min(ys) * 0.8 if logarithmic[1] else 0.0
    x = Scale(min(xs), max(max(xs), min(xs) * 1.001), left, width - right, logarithmic[0])
    y = Scale(low, max(ys) * 1.1, height - bottom, top, logarithmic[1])
    page = Canvas(width, height)
    page.text(16, 24, title, size=15)
    for tick in ticks(low, max(ys) * 1.1, logarithmic[1]):
        page.line(left, y(tick), width - right, y(tick))
        page.text(left - 8, y(tick) + 4, short(tick), "end", FAINT, 11)
    for tick in sorted(set(xs)) if len(set(xs)) <= 9 else ticks(min(xs), max(xs), logarithmic[0]):
        page.line(x(tick), top, x(tick), height - bottom)
        page.text(x(tick), height - bottom + 18, short(float(f"{tick:.2g}")), "middle", FAINT, 11)
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        page.path([(x(a), y(b)) for a, b in points], colour)
        for a, b in points:
            page.dot(x(a), y(b), colour)
        page.box(width - right + 16, top + 20 * number, 12, 12, colour)
        page.text(width - right + 34, top + 20 * number + 11, name)
    page.text((left + width - right) / 2, height - 14, axes[0], "middle")
    page.text(16, top - 12, axes[1])
    page.save(file)
