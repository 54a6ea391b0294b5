"""LTSmin, where it is installed: its multi-core checker, with one thread, on what `spins` compiled."""

import re
import shutil

from . import process


def installed():
    return all(shutil.which(program) for program in ("spins", "prom2lts-mc"))


def check(model, folder):
    """The fastest of a search in either order, and its number of states; none if it can't do this model.

    LTSmin has its own idea of what a step is, so its counts are shown, not compared.
    """
    compiled = process.run(["spins", "-o3", str(model)], folder)
    made = sorted(folder.glob("*.spins"))
    if compiled.status != 0 or not made:
        return None
    runs = []
    for order in ("bfs", "dfs"):
        done = process.run(["prom2lts-mc", "--threads=1", f"--strategy={order}", made[0].name], folder)
        states = re.search(r"(\d+) states", done.output)
        if done.status in (0, 1) and states:
            runs.append((done, int(states.group(1))))
    return min(runs, key=lambda pair: pair[0].cpu, default=None)
