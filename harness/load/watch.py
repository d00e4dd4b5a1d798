"""The peak memory of the processes that a job on this machine has: ours, Java's, Python's workers.

On a cluster the executors are elsewhere, and Spark's own metrics cover them.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

import psutil

LOOK_S = 2.0  # looking costs milliseconds of a core, and what grows, grows for longer
MEGABYTE = 1 << 20
DRIVER, JAVA, WORKERS = "driver", "java", "python workers"


@contextmanager
def watched() -> Generator[dict[str, float]]:
    """Yield the peaks in megabytes of resident memory, which grow while the block runs.

    `driver` is this process, `java` the driver's and executors' JVM, `python workers` the sum of
    all workers at one time.
    """
    peak = {DRIVER: 0.0, JAVA: 0.0, WORKERS: 0.0}
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK_S):
            for role, megabytes in _now().items():
                peak[role] = max(peak[role], megabytes)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def _now() -> dict[str, float]:
    own = psutil.Process()
    now = {DRIVER: own.memory_info().rss / MEGABYTE, JAVA: 0.0, WORKERS: 0.0}
    javas = [one for one in own.children() if _is_spark(one)]
    for java in javas:
        try:
            now[JAVA] += java.memory_info().rss / MEGABYTE
            for worker in java.children(recursive=True):
                # What a fork shares with its parent counts once.
                now[WORKERS] += worker.memory_full_info().uss / MEGABYTE
        except psutil.Error:
            continue  # it ended while we looked
    return now


def _is_spark(process: psutil.Process) -> bool:
    try:
        return "org.apache.spark.deploy.SparkSubmit" in process.cmdline()
    except psutil.Error:
        return False
