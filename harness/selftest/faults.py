"""Every fault that is tried, in one table: how it is done, and how the run may end then.

A function does it to a trial, and returns what it did in a few words; "" when its moment was missed
because the run was over by then.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from harness.engine.catalogue.workspace import bundled
from harness.errors import plural
from harness.selftest.inside import faked_clock, no_clock, no_namespaces
from harness.selftest.trial import POLL_S, SCENARIO, Run, Trial
from harness.services.artifacts import locked
from harness.services.java import find_java
from harness.services.repository import cache_directory

RIGHT = frozenset({0})
OR_SAID = frozenset({0, 3})  # it went on, or said what the environment lacks
PROCESSES: Mapping[str, str] = {
    "broker": "kafka.Kafka",
    "registry": "apicurio",
    "guardian": "guardian.py",
}
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
KEEPER = "harness.services.keeper"
DATABASE, RECORDING = "mariadbd", 0.1  # and what share of a run's time a recording takes
DISK = (200_000, 40_000_000)  # bytes: from less than a broker's files to almost enough
OPEN_FILES = (8, 300)
HOUR_S = 3600
STEPS: Mapping[str, int] = {"forward": 50 * HOUR_S, "back": -50 * HOUR_S}  # seconds
PATHS: Mapping[str, str] = {
    "blanks": "two  words and a 'quote'",
    "letters": "ü é 漢 % $HOME",
    "long": "/".join(["d" * 100] * 3),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its name, what it is in a few words, how it is done, and how the run may end.

    `lacks` returns what this machine lacks for it, "" for nothing; `once` is one that takes too
    long to be done twice.
    """

    name: str
    title: str
    act: Callable[[Trial], str]
    ends: frozenset[int] = OR_SAID
    lacks: Callable[[], str] = str
    once: bool = False


def _strike(role: str, number: signal.Signals, trial: Trial) -> str:
    """Signal a process of the run at a drawn moment of its life."""
    run = trial.certify()
    return _signalled(trial, run, trial.appears(run, PROCESSES[role]), number)


def _signalled(
    trial: Trial,
    run: Run,
    found: Sequence[psutil.Process],
    number: signal.Signals,
    share: float = 0.5,
) -> str:
    if not found:
        return ""
    process = trial.chance.choice(found)
    began = time.monotonic()
    trial.moment(run, share)
    try:
        process.send_signal(number)
    except psutil.Error:
        return ""
    return f"{number.name} {time.monotonic() - began:.1f} s after its start"


def _end(number: signal.Signals, trial: Trial) -> str:
    """Signal the harness itself at a drawn moment."""
    run = trial.certify()
    began = time.monotonic()
    if not trial.moment(run, 1):
        return ""
    trial.ended_by = number
    with suppress(ProcessLookupError):
        os.kill(run.child.pid, number)
    return f"{number.name} after {time.monotonic() - began:.1f} s"


def _keeper(number: signal.Signals, trial: Trial) -> str:
    """Signal the keeper of a warm set that a run uses, then take the set down."""
    up = trial.start("up", ["services", "up", "--only", "kafka,registry"])
    trial.ended(up)
    run = trial.certify()
    said = _signalled(trial, run, up.find(KEEPER), number)
    trial.ended(run)
    trial.ended(trial.start("down", ["services", "down"]))
    return said


def _database(number: signal.Signals, trial: Trial) -> str:
    """Signal the database of a recording; what was locked before has to be whole."""
    part = Path(*SCENARIO.split("."))
    golden = trial.directory / "golden" / part
    shutil.copytree(bundled() / "golden" / part, golden)
    before = _files(golden)
    run = trial.start("record", ["record", SCENARIO, "--golden", str(golden.parents[1])])
    said = _signalled(trial, run, trial.appears(run, DATABASE), number, RECORDING)
    trial.ended(run)
    return said if _files(golden) == before else f"{said}: the golden files changed"


def _files(directory: Path) -> Mapping[Path, bytes]:
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def _disk(trial: Trial) -> str:
    size = trial.chance.randint(*DISK)
    kept = trial.directory / "kept"
    kept.mkdir()
    trial.ended(trial.certify(inside={"disk": size, "kept": str(kept)}))
    return f"a disk of {size / 1e6:.1f} MB"


def _open_files(trial: Trial) -> str:
    limit = trial.chance.randint(*OPEN_FILES)
    trial.certify(inside={"open-files": limit})
    return f"{limit} open files at most"


def _read_only(trial: Trial) -> str:
    home = trial.directory / "home"
    home.mkdir()
    cache = str(cache_directory(trial.environment))
    inside = {"read-only": [str(home), cache]}
    environment = {"HOME": str(home), "HARNESS_CACHE_DIR": cache}
    trial.certify(inside=inside, environment=environment)
    return "nothing can be written there"


def _no_network(trial: Trial) -> str:
    trial.certify(inside={"no-network": True})
    return "only the loopback interface is there"


def _clock(way: str, trial: Trial) -> str:
    """Set the clock that broker and registry see, at a drawn moment of the run."""
    shown, home = trial.directory / "clock", trial.directory / "java"
    shown.write_text("+0\n", encoding="ascii")
    run = trial.certify(environment=faked_clock(find_java().home, home, shown))
    began = time.monotonic()
    if not trial.moment(run, 0.6):
        return ""
    shown.write_text(f"{STEPS[way]:+d}\n", encoding="ascii")
    return f"by {plural(abs(STEPS[way]) // HOUR_S, 'hour')} after {time.monotonic() - began:.1f} s"


def _port(trial: Trial) -> str:
    """Take the broker's port between the harness's choice and the broker's bind."""
    run = trial.certify()
    while trial.rest(run, POLL_S / 10):
        for file in trial.directory.glob(".harness/runs/*/services/kafka/server.properties"):
            lines = file.read_text(encoding="ascii").splitlines()
            places = [line for line in lines if line.startswith("advertised.listeners=")]
            if not places:
                continue
            port = int(places[0].rpartition(":")[2])
            with socket.socket() as thief:
                thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    thief.bind(("127.0.0.1", port))
                except OSError:
                    return ""
                thief.listen()
                trial.ended(run)
            return f"port {port} was taken first"
    return ""


def _path(name: str, trial: Trial) -> str:
    directory = trial.directory / PATHS[name]
    directory.mkdir(parents=True)
    trial.certify(directory=directory)
    return f"in {PATHS[name]!r}" if name != "long" else f"in a path of {len(str(directory))} bytes"


def _locale(trial: Trial) -> str:
    directory = trial.directory / PATHS["letters"]
    directory.mkdir()
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    trial.certify(directory=directory, environment=plain)
    return "in a directory that it cannot spell"


def _jar(trial: Trial) -> str:
    """Change one byte of a jar in a cache of the trial's own, whose other files are links."""
    cache, own = cache_directory(trial.environment), trial.directory / "cache"
    jars = [one for one in (*locked("kafka"), *locked("registry")) if one.ending == ".jar"]
    victim = trial.chance.choice(jars)
    for file in (cache / "maven").rglob("*"):
        if file.suffix in {".jar", ".zip"}:
            link = own / file.relative_to(cache)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file)
    spoilt = own / "maven" / victim.path
    content = bytearray(spoilt.read_bytes())
    content[trial.chance.randrange(len(content))] ^= 1
    spoilt.unlink()
    spoilt.write_bytes(content)
    trial.certify(environment={"HARNESS_CACHE_DIR": str(own)})
    return f"one bit of {victim.file}"


def _beside(count: int, trial: Trial) -> str:
    for number in range(count):
        trial.certify(f"report{number}")
    for run in trial.runs:
        trial.ended(run, trial.bound_s * count)
    return f"{count} at once in one directory"


def _signals() -> tuple[Fault, ...]:
    spoken = {signal.SIGKILL: "killed", signal.SIGSTOP: "halted"}
    found = [
        Fault(f"{role}-{word}", f"the {role} is {word}", partial(_strike, role, number))
        for role in PROCESSES
        for number, word in spoken.items()
    ]
    for number, word in spoken.items():
        keeper, database = partial(_keeper, number), partial(_database, number)
        found.append(Fault(f"keeper-{word}", f"the keeper of a warm set is {word}", keeper))
        found.append(Fault(f"database-{word}", f"the recording's database is {word}", database))
    return tuple(found)


FAULTS: tuple[Fault, ...] = (
    *_signals(),
    *(
        Fault(f"run-{one.name.lower()}", f"the run gets {one.name}", partial(_end, one), RIGHT)
        for one in ENDINGS
    ),
    Fault("disk-full", "the disk fills up", _disk, lacks=no_namespaces),
    Fault("open-files", "there are few file handles", _open_files),
    Fault("read-only", "home and cache are read-only", _read_only, lacks=no_namespaces),
    Fault("no-network", "there is no network", _no_network, RIGHT, no_namespaces),
    *(
        Fault(
            f"clock-{one}",
            f"the services' clock is set {one}",
            partial(_clock, one),
            RIGHT,
            no_clock,
        )
        for one in STEPS
    ),
    Fault("port-taken", "the broker's port is taken", _port, RIGHT),
    *(Fault(f"path-{one}", f"a path with {one}", partial(_path, one), RIGHT) for one in PATHS),
    Fault("locale-c", "the locale is C", _locale, RIGHT),
    Fault("jar-changed", "a jar in the cache is not what it was", _jar),
    Fault("two-runs", "two runs side by side", partial(_beside, 2), RIGHT),
    Fault("ten-runs", "ten runs side by side", partial(_beside, 10), RIGHT, once=True),
)
