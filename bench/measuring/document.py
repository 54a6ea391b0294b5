"""Tables: for the screen, for programs, and for bench/RESULTS.md."""

import csv
import datetime
import re

from . import process
from .kripke import ROOT

RESULTS = ROOT / "bench" / "RESULTS.md"
TITLE = "# Measured\n\nEach section is written by the command it names.\n"
ORDER = ["compare", "outside", "curve", "scale", "large", "cache", "cycles", "cores", "cluster", "cluster_mpi", "gpu", "bitstate", "reduction", "partial_order", "default", "page"]


def aligned(header, rows):
    """Columns of a common width: the first to the left, the others to the right."""
    table = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
        for row in table
    )


def markdown(header, rows):
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows])


def write_csv(file, header, rows):
    with open(file, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([header, *rows])


def setting(*versions):
    """When and on what."""
    return ". ".join([f"{datetime.date.today()}, {process.machine()}", *versions]) + "."


def record(section, text):
    """Puts a section into bench/RESULTS.md, in the place of the one that is there."""
    old = RESULTS.read_text() if RESULTS.exists() else ""
    found = dict(re.findall(r"<!-- (\w+) -->\n(.*?)<!-- end -->\n", old, re.DOTALL))
    found[section] = text.rstrip() + "\n"
    sections = [f"<!-- {name} -->\n{found[name]}<!-- end -->\n" for name in ORDER if name in found]
    RESULTS.write_text("\n".join([TITLE, *sections]))
