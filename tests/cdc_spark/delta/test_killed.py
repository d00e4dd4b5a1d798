"""The promise of the production sink about its processes: killed at any time, nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import settings
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException, StreamingQueryException

import cdc_spark
from cdc_spark import Changefeed
from cdc_spark.delta.crash_points import POINTS
from tests.cdc_spark.delta.files_lab import ROOT, FilesLab
from tests.cdc_spark.delta.test_no_loss import FIRST, POISON, SOCKETS, later
from tests.cdc_spark.messages import column, ddl, key, loose, message, resolved, row

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

KILLED, DEADLINE_S = -9, 900.0
ALTER = "ALTER TABLE `test`.`t` "
NUMBER = {"t": 3, "f": 65}
# Which time a point is passed that is worth to die at: the claim is passed once.
TIMES = {point: 1 if point in {"claim", "letters"} else 2 for point in POINTS}
# At each push one dies amid its second batch (the certified consumer dies at two more points, in
# `conformance/test_delta.py`). Under the profile `nightly` one dies at each point there is.
EACH = [(f"{point}:{TIMES[point]}",) for point in POINTS]
DYING = EACH if settings().max_examples >= 1000 else [("alter:1",)]
# To each idle worker comes the turn, of however many that were killed.
TURNS = 64
ROWS = [(1, "x", None), (3, "b", None), (7, "h", 5), (8, "i", 6)]


def filled(place: Path) -> FilesLab:
    """Return a lab with two batches: rows with a key and without, columns that move, poison."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}, poison="dead_letter"))
    lab.send(FIRST, message(loose(3, 7), loose(3, 7)), later(3, "b"))
    moved = row(6, {"u": {"id": key(1), "w": column("x"), "n": column(None, NUMBER)}})
    lab.send(
        message(ddl(4, f"{ALTER}ADD COLUMN `n` INT", 5)),
        message(ddl(5, f"{ALTER}RENAME COLUMN `v` TO `w`", 5)),
        POISON,
        message(moved, resolved(6)),
        message(new(7, "h", 5), new(8, "i", 6), loose(8, 7), resolved(8)),
    )
    return lab


def new(ts: int, text: str, number: int) -> tuple[str, str]:
    """Return a row in the table's last shape."""
    return row(ts, {"u": {"id": key(ts), "w": column(text), "n": column(number, NUMBER)}})


@pytest.mark.parametrize("points", DYING, ids=" ".join)
def test_killed_drivers_lose_nothing(place: Path, spark: Any, points: Sequence[str]) -> None:
    """Killed with what is done by these points, the last start ends with all rows, each once."""
    lab = filled(place)
    command = [sys.executable, "-m", "tests.cdc_spark.delta.files_lab"]
    for point in points:
        died = subprocess.run(
            [*command, str(place), point],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert died.returncode == KILLED, died.stderr[-2000:]
    lab.run(spark)
    assert lab.rows(spark) == ROWS
    assert lab.rows(spark, "loose") == [("7",)] * 3
    assert cdc_spark.read_dead_letters(spark, lab.root.as_uri()).count() == 1


def test_killed_workers_lose_nothing(place: Path, spark: Any) -> None:
    """What runs on executors dies amid its tasks: the query fails, and is started until it ends."""
    lab = filled(place)
    with dying_workers(spark) as died, pytest.raises(PySparkException):
        lab.run(spark)
    assert died
    supervised(lambda: lab.run(spark), starts=len(died) + 1)
    many = spark.range(0, TURNS, 1, TURNS).mapInArrow(lambda some: some, "id bigint")
    supervised(many.collect, starts=len(died) + 1)  # none of those killed is left to other tests
    assert lab.rows(spark) == ROWS
    assert lab.rows(spark, "loose") == [("7",)] * 3


def supervised(work: Callable[[], object], *, starts: int) -> None:
    """Do work until it ends, as a supervisor does, in so many starts; our own errors stop it.

    Spark keeps idle workers, and takes a killed one for alive until its parent has seen it die. A
    task that gets such a worker fails, and with it the query, as a local session tries each task
    once; but the worker is not handed out again. So each start takes one off those that were
    killed, and the last one finds none.
    """
    for _ in range(starts - 1):
        with suppress(StreamingQueryException, Py4JJavaError):
            work()
            return
    work()


@contextmanager
def dying_workers(spark: Any) -> Generator[list[int]]:
    """Kill every Python worker of a session as soon as it is there; yield those that were."""
    java = psutil.Process(spark.sparkContext._gateway.proc.pid)
    enough, died = threading.Event(), list[int]()

    def kill() -> None:
        while not enough.wait(0.005):
            for process in java.children(recursive=True):
                with suppress(psutil.Error):
                    # Java forks itself to start any process, and has paths of PySpark in its words.
                    if "pyspark.daemon" in process.cmdline():
                        process.kill()
                        died.append(process.pid)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield died
    finally:
        enough.set()
        killer.join()
