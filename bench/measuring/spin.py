"""SPIN: generating its verifier, compiling it in several ways, running it."""

import dataclasses
import pathlib
import re

from . import process
from .kripke import Counts

BUILDS = {
    "pan -O2": ["-O2"],
    "pan -O3": ["-O3", "-march=native"],
    "pan collapse": ["-O3", "-march=native", "-DCOLLAPSE"],
}


@dataclasses.dataclass
class Verifiers:
    """The verifiers of one model, built, and the CPU seconds that took."""

    folder: pathlib.Path
    generation: float
    compilation: dict

    def preparation(self, build):
        """What a user waits for before this build can start."""
        return self.generation + self.compilation[build]

    def check(self, build, slots, depth):
        """One search, with a table of 2^slots and a stack of `depth`: the run, and its counts."""
        done = process.run([f"./{program(build)}", "-c0", "-n", f"-w{slots}", f"-m{depth}"], self.folder)
        found = [
            re.search(pattern, done.output)
            for pattern in (r"([\d.e+]+) states, stored", r"([\d.e+]+) transitions \(", r"errors: (\d+)")
        ]
        if "max search depth too small" in done.output or not all(found):
            raise SystemExit(f"{build} -w{slots} -m{depth}: no complete search\n{done.output}")
        states, transitions, errors = (int(float(match.group(1))) for match in found)
        # SPIN counts the step into the initial state, too. What is large it rounds.
        return done, Counts(states, transitions - 1, errors)


def program(build):
    return build.replace(" ", "")


def build(model, folder, defines=()):
    """Builds all verifiers of a model in a folder."""
    generated = process.must(["spin", "-a", "-o1", "-o2", "-o3", *defines, str(model)], folder)
    temporal = re.search(r"\bnever\b|\bltl\b", model.read_text(errors="replace"))
    options = ["-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000", *(["-DNOCLAIM"] if temporal else [])]
    compilation = {}
    for name, flags in BUILDS.items():
        done = process.must(["gcc", "-w", *flags, *options, "-o", program(name), "pan.c"], folder)
        compilation[name] = done.cpu
    return Verifiers(folder, generated.cpu, compilation)
