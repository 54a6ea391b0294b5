"""What all the commands understand."""

import argparse
import pathlib

from . import kripke


def parser(text, section, rounds):
    """A command that is described by `text` and writes this section of the results."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("-n", type=positive, default=rounds, metavar="ROUNDS", help="best of so many rounds")
    made.add_argument("--kripke", metavar="PATH", help="measure this program instead of building one")
    made.add_argument("--csv", metavar="FILE", help="also write a table for programs")
    made.add_argument("--svg", metavar="FILE", help="also write a plot")
    made.add_argument("--results", action="store_true", help=f"also write bench/RESULTS.md and bench/{section}.svg")
    return made


def program(options):
    """The program to measure, as a path that is good in every folder."""
    return pathlib.Path(options.kripke).resolve() if options.kripke else kripke.build()


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def count(text):
    """A number like 5000, 10k or 20M."""
    units = {"k": 10**3, "M": 10**6, "G": 10**9}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    return int(float(number) * unit)


def threads(text):
    """Numbers of threads, with commas between."""
    return [positive(number) for number in text.split(",")]
