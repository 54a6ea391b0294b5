"""Running a program and seeing what it took."""

import dataclasses
import os
import resource
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Run:
    """One process, from start to end."""

    output: str
    status: int
    cpu: float
    """User and system seconds, of all threads and children."""
    wall: float
    memory: int
    """The most it had resident, in bytes."""


def run(command, folder=None):
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    return Run(text, child.returncode, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)


def floor():
    """The least peak a child is ever reported to have: until it executes its program, it is a copy of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def must(command, folder=None):
    """The same, for what can only fail if something is wrong with the machine or the script."""
    done = run(command, folder)
    if done.status != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.status}\n{done.output}")
    return done


def cores():
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def machine():
    """The processor, in words."""
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{cores()} cores, {names[0] if names else 'unknown processor'}"


def version(command):
    """The first line of what a program says about itself."""
    return (run(command).output.splitlines() or ["unknown version"])[0]
