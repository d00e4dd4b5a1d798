"""What the harness itself costs a case: processor time beyond that of the consumer.

A Python command that takes one changefeed a start, which is what `exec:` gets unless a manifest
says more, over every Avro case of level materialise. The consumer says at its end what it has used
itself, its interpreter's start included; all the rest of what the command and its children used is
the harness's own: planning, schemas, topics, records, processes, judging. Services run already, and
their time is theirs.
"""

from __future__ import annotations

import resource
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson

import harness as package
from harness.bench.command import harness, watched
from harness.bench.figure import Figure
from harness.services import start

AVRO = "avro"
GOAL = "< 50 ms"
# The reference consumer, and a line about its own processor time when it has ended.
CONSUMER = """\
import os, resource, sys
sys.path.insert(0, {root!r})
from harness.reference_consumer.__main__ import main
code = main()
used = resource.getrusage(resource.RUSAGE_SELF)
with open(os.path.join(sys.argv[1], str(os.getpid())), "w") as file:
    file.write(str(used.ru_utime + used.ru_stime))
sys.exit(code)
"""


def measure(words: str = AVRO) -> Iterator[Figure]:
    """Yield what a case costs in all and beside its consumer, and each phase of the run."""
    with tempfile.TemporaryDirectory() as directory:
        here = Path(directory)
        used = here / "used"
        used.mkdir()
        script = here / "consumer.py"
        script.write_text(CONSUMER.format(root=str(Path(package.__file__).parents[1])))
        target = f"exec:{shlex.join([sys.executable, str(script), str(used)])}"
        with start(["kafka", "registry"], run_dir=here / "services", on_event=lambda _: None) as up:
            before = _children_s()
            ran = watched(
                harness(
                    *("certify", target, "--level", "materialise", "-k", words, "--json"),
                    *(
                        "--kafka",
                        f"bootstrap.servers={up.kafka.bootstrap}",
                        "--registry",
                        up.registry.url,
                    ),
                    *("--ndjson", str(here / "events.ndjson")),
                ),
                {},
            )
            total = _children_s() - before
        cases = len(orjson.loads(ran.stdout)["cases"])
        own = sum(float(path.read_text()) for path in used.iterdir())
        ms = 1000 / cases
        yield Figure("certify.case-cpu", total * ms, "ms", own * ms)
        yield Figure("certify.case-cpu-beyond", (total - own) * ms, "ms", None, GOAL)
        yield from _phases(here / "events.ndjson", cases)


def _phases(events: Path, cases: int) -> Iterator[Figure]:
    """Yield the wall time of each phase a case; `consume` holds the consumer's own."""
    for line in events.read_bytes().splitlines():
        found = orjson.loads(line)
        if found["event"] == "phase-finished":
            yield Figure(f"certify.{found['phase']}", found["seconds"] * 1000 / cases, "ms")


def _children_s() -> float:
    """Return the processor time of all children that have ended, and of theirs, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
