"""Kripke: building it, its command lines, what it says."""

import dataclasses
import json
import pathlib

from . import process

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The whole work: nothing reduced, all errors counted, no files written.
RAW = ["--raw", "--all-errors", "--no-claim", "--no-trail", "--format", "json", "--overflow", "wrap"]


@dataclasses.dataclass(frozen=True)
class Counts:
    states: int
    transitions: int
    errors: int

    def shown_by_spin(self):
        """As SPIN prints them: eight digits of what is large; the step into the initial state is counted, too."""
        return f"{self.states:.8g}", f"{self.transitions + 1:.8g}", self.errors


def build():
    """The program of this checkout, built."""
    process.must(["cargo", "build", "--release", "--quiet", "--package", "kripke-cli"], ROOT)
    metadata = process.must(["cargo", "metadata", "--no-deps", "--format-version", "1", "--quiet"], ROOT)
    return pathlib.Path(json.loads(metadata.output)["target_directory"]) / "release" / "kripke"


def check(program, model, *options):
    """One search: the run, and its counts. Something that is no complete search ends the script."""
    done = process.run([str(program), "check", str(model), *RAW, *options])
    # Remarks of the program may come before its result.
    start = done.output.find("{")
    try:
        report = json.loads(done.output[start:])
        complete = report["complete"]
    except (ValueError, KeyError):
        complete = False
    if not complete:
        raise SystemExit(f"{model} {' '.join(options)}: no complete search\n{done.output}")
    if done.memory <= process.floor():
        done.memory = report["memory"]["peak_rss"] or done.memory
    return done, Counts(report["states"], report["transitions"], sum(report["errors"].values()))


def default(program, model, *options):
    """One search for assertions and end states on one thread, reduced as it is by default: the run, and its report."""
    always = ["--property", "safety", "-j1", "--no-trail", "--format", "json"]
    done = process.run([str(program), "check", str(model), *always, *options])
    try:
        return done, json.loads(done.output[done.output.find("{") :])
    except ValueError:
        raise SystemExit(f"{model} {' '.join(options)}: no result\n{done.output}") from None
