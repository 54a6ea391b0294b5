"""SPIN's verifiers and Kripke on one model, alternately; the best of each is kept."""

import dataclasses
import pathlib
import tempfile

from . import kripke, ltsmin, spin

COLLAPSE = "pan collapse"
# How much larger than the table's start value pan's own table may be, as powers of two.
AROUND = [-1, 0, 1, 2]


@dataclasses.dataclass
class Best:
    """The best figures of one program's runs: CPU time, wall-clock time and memory, each by itself."""

    options: str
    cpu: float
    wall: float
    memory: int

    def better(self, other):
        return Best(
            (self if self.cpu <= other.cpu else other).options,
            min(self.cpu, other.cpu),
            min(self.wall, other.wall),
            min(self.memory, other.memory),
        )


@dataclasses.dataclass
class Contest:
    """What came of one model."""

    model: str
    counts: kripke.Counts
    best: dict
    """By program: the builds of pan, `exact`, `dfs`, `tree`, `threads`; `ltsmin` where there is one."""
    preparation: dict
    """CPU seconds to generate and compile, by build of pan."""
    ltsmin_states: int | None

    def pan(self):
        """The CPU seconds of SPIN's best run."""
        return min(self.best[build].cpu for build in spin.BUILDS)

    def pan_prepared(self):
        """The same, counting what comes before: the build for which the sum is least."""
        return min(self.best[build].cpu + self.preparation[build] for build in spin.BUILDS)

    def pan_memory(self):
        """The least memory of any run of SPIN's with its default store."""
        return min(self.best[build].memory for build in spin.BUILDS if build != COLLAPSE)

    def faster(self, program):
        """How many times faster than SPIN's best run, in CPU time of the whole process."""
        return self.pan() / self.best[program].cpu

    def faster_prepared(self):
        return self.pan_prepared() / self.best["exact"].cpu

    def smaller(self, program):
        """The memory in proportion to SPIN's."""
        return self.best[program].memory / self.pan_memory()

    def speedup(self):
        """By all threads, in wall-clock time."""
        return self.best["exact"].wall / self.best["threads"].wall


class Ring:
    """Where one model's contest is held."""

    def __init__(self, model, folder):
        self.model = model
        self.verifiers = spin.build(model.file, folder)
        self.counts, self.best = {}, {}

    def note(self, name, options, found):
        run, counts = found
        now = Best(options, run.cpu, run.wall, run.memory)
        self.best[name] = self.best[name].better(now) if name in self.best else now
        self.counts[f"{name} {options}"] = counts
        own = {found for program, found in self.counts.items() if not program.startswith("pan")}
        if len(own) > 1 or len({found.shown_by_spin() for found in self.counts.values()}) > 1:
            raise SystemExit(f"{self.model.name}: counts differ: {self.counts}")

    def pan(self, build, slots):
        self.note(build, f"-w{slots}", self.verifiers.check(build, slots, self.model.depth))

    def slots(self):
        """The size of table the fastest build does best with; tries several the first time."""
        if "pan -O3" not in self.best:
            for more in AROUND:
                self.pan("pan -O3", self.model.slots + more)
        return int(self.best["pan -O3"].options.removeprefix("-w"))


def variants(threads):
    """Kripke's options, by the name they have in tables."""
    return {
        "exact": ["-j1"],
        "dfs": ["--search", "dfs", "-j1"],
        "tree": ["--store", "tree", "-j1"],
        "threads": [f"-j{threads}"],
    }


def hold(program, model, rounds, threads):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ring = Ring(model, folder)
        for number in range(rounds):
            builds = [build for build in spin.BUILDS if number > 0 or build != "pan -O3"]
            slots = ring.slots()
            for build in builds:
                ring.pan(build, slots)
            for variant, options in variants(threads).items():
                ring.note(variant, " ".join(options), kripke.check(program, model.file, *options))
        other = ltsmin.check(model.file, folder) if ltsmin.installed() else None
    best = ring.best
    if other:
        best["ltsmin"] = Best("", other[0].cpu, other[0].wall, other[0].memory)
    counts = ring.counts["exact -j1"]
    preparation = {build: ring.verifiers.preparation(build) for build in spin.BUILDS}
    return Contest(model.name, counts, best, preparation, other and other[1])
