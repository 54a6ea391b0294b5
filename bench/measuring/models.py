"""The models to measure, from the tables beside the scripts."""

import dataclasses
import os
import pathlib
import sys

from .kripke import ROOT, Counts

CORPUS = pathlib.Path(os.environ.get("KRIPKE_CORPUS", ROOT.parent / "shared" / "corpus")) / "promela"
OWN = ROOT / "bench" / "models"


@dataclasses.dataclass
class Model:
    name: str
    file: pathlib.Path
    """For pan: a fitting size of its table, as a power of two, and of its stack."""
    slots: int
    depth: int


@dataclasses.dataclass
class Sized:
    """A model of ours at a certain size, and what SPIN counts there."""

    file: pathlib.Path
    defines: list
    expected: Counts

    def name(self):
        return " ".join([self.file.stem, *self.defines])


def rows(table):
    """The lines of a table with a header, as dictionaries; lines with `#` are remarks."""
    lines = [line for line in table.read_text().splitlines() if line and not line.startswith("#")]
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]


def chosen(words, full, outside=False):
    """What bench/models.tsv lists: the quick set, all but those outside, or those; or what has one of these words in its path."""
    sets = ["outside"] if outside else ["quick", "full"] if full else ["quick"]
    for row in rows(ROOT / "bench" / "models.tsv"):
        path = row["path"]
        if words and not any(word in path for word in words):
            continue
        if not words and row["set"] not in sets:
            continue
        file = (CORPUS if row["in"] == "corpus" else ROOT) / path
        if file.exists():
            yield Model(path, file, int(row["w"]), int(row["m"]))
        else:
            print(f"{path}: not here, left out", file=sys.stderr)


def sized(least=0):
    """Our own models, in those sizes that have at least so many states."""
    for row in rows(OWN / "expected.tsv"):
        counts = Counts(int(row["states"]), int(row["transitions"]), int(row["errors"]))
        if counts.states >= least:
            yield Sized(OWN / row["model"], row["defines"].split(), counts)
