"""The bars: what Kripke is to reach, and what it reached."""

import dataclasses
import math

LARGE = 1_000_000
VERY_LARGE = 5_000_000


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


@dataclasses.dataclass
class Bar:
    what: str
    reached: float
    wanted: float
    most: bool = False
    """Whether `wanted` is the most it may be, instead of the least."""

    def met(self):
        return self.reached <= self.wanted if self.most else self.reached >= self.wanted

    def row(self):
        sign = "at most" if self.most else "at least"
        return [self.what, f"{sign} {self.wanted:g}", f"{self.reached:.2f}", "met" if self.met() else "missed"]


HEADER = ["bar", "wanted", "reached", ""]


def bars(contests, threads):
    """All bars there are models for."""
    faster = [contest.faster("exact") for contest in contests]
    depth_first = [contest.faster("dfs") for contest in contests]
    prepared = [contest.faster_prepared() for contest in contests]
    found = [
        Bar("one thread, times faster than the best pan: geometric mean", geometric_mean(faster), 8),
        Bar("one thread, times faster than the best pan: least of all models", min(faster), 3),
        Bar("the same, counting generation and compilation: geometric mean", geometric_mean(prepared), 20),
        Bar("depth-first, times faster than the best pan: geometric mean", geometric_mean(depth_first), 3.5),
    ]
    large = [contest for contest in contests if contest.counts.states >= LARGE]
    for program, worst, mean in (("exact", 1 / 2, 1 / 4), ("tree", 1 / 4, 1 / 8)):
        shares = [contest.smaller(program) for contest in large]
        if shares:
            what = f"memory of the {'default' if program == 'exact' else program} store in proportion to pan's, 1 million states or more"
            found.append(Bar(f"{what}: worst", max(shares), worst, most=True))
            found.append(Bar(f"{what}: geometric mean", geometric_mean(shares), mean, most=True))
    speedups = [contest.speedup() for contest in contests if contest.counts.states >= VERY_LARGE]
    if speedups and threads == 2:
        what = "two threads, times faster in wall-clock time, 5 million states or more"
        found.append(Bar(f"{what}: least", min(speedups), 1.9))
        found.append(Bar(f"{what}: geometric mean", geometric_mean(speedups), 1.9))
    return found


def scaling(found):
    """Of sixteen threads: speedups, and what as many independent processes reach. Nothing with fewer than four models."""
    if len(found) < 4:
        return []
    speedups, shares = [speedup for speedup, _ in found], [speedup / most for speedup, most in found]
    return [
        Bar("16 threads, times faster than one in wall-clock time: on at least four models", sorted(speedups)[-4], 14),
        Bar("the same in proportion to 16 independent processes: geometric mean", geometric_mean(shares), 0.9),
    ]
