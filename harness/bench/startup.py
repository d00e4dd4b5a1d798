"""How quickly the commands answer that need no service, beside a bare Python with click."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from harness.bench.command import harness, timed
from harness.bench.figure import Figure

COMMANDS = (("--help",), ("check",), ("list",), ("preview", "-k", "dml"))


def measure() -> Iterator[Figure]:
    """Yield a figure for each command."""
    floor = timed([sys.executable, "-c", "import click"])
    for arguments in COMMANDS:
        name = "startup." + arguments[0].lstrip("-")
        yield Figure(name, timed(harness(*arguments)), "s", floor, "< 0.5 s")
