"""The mode `streaming`: continuous micro-batches, until SIGTERM says that it is enough.

Law: nothing depends on where the stream is cut. A micro-batch that SIGTERM meets is not finished;
the next start does it again, from the checkpoint.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from cdc_spark.untyped import Query

INTERVAL = "1 second"  # between the starts of micro-batches, where there is something to read
LOOK_S = 0.2
GROWTH_S = 10.0  # between looks at whether partitions were added


@contextmanager
def told() -> Generator[threading.Event]:
    """Give what is set by SIGTERM, which is nobody's end meanwhile."""
    enough = threading.Event()

    def heard(_number: int, _frame: object) -> None:
        enough.set()

    before = signal.signal(signal.SIGTERM, heard)
    try:
        yield enough
    finally:
        signal.signal(signal.SIGTERM, before)


def wait(query: Query, enough: threading.Event, until: float) -> None:
    """Wait for SIGTERM or the monotonic time `until`; raises what the query fails with."""
    while not enough.wait(LOOK_S) and time.monotonic() < until:
        if query.awaitTermination(0.001):
            return
