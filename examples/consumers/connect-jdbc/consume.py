"""One Kafka Connect worker, one JDBC sink connector a topic, until all of it is in the database.

CONNECT_VARIANT is `naive` (the connector's page, copied: it creates its tables, types as they come)
or `hardened` (tables exist, and no logical type reaches the sink that it cannot write).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter import HOME, Json, job, say
from configuration import connectors, lacks
from worker import RefusedError, Worker

NAME = "connect-jdbc"
HARDENED = os.environ["CONNECT_VARIANT"] == "hardened"
QUIET_S = 8.0  # what the sink drops at the end is never committed: then quiet is the end
POLL_S = 0.5


def main() -> None:
    """Answer for every changefeed of the job."""
    order = job()
    waiting: dict[str, Json] = {}
    for feed in order["changefeeds"]:
        need = lacks(order, feed, hardened=HARDENED)
        if need:
            say(order, feed, status="not-applicable", needs=need)
    feeds = [f for f in order["changefeeds"] if not lacks(order, f, hardened=HARDENED)]
    if not feeds:
        return
    with Worker(order, HOME / NAME) as worker:
        for feed in feeds:
            try:
                own = connectors(order, feed, hardened=HARDENED)
                for name, one in own.items():
                    worker.create(name, one["config"])
                waiting |= {name: one | {"feed": feed} for name, one in own.items()}
            except RefusedError as error:
                say(order, feed, status="error", error=str(error))
                waiting = {n: one for n, one in waiting.items() if one["feed"] is not feed}
            else:
                if not own:
                    say(order, feed, status="done")
        watch(order, worker, waiting)


def watch(order: Json, worker: Worker, waiting: dict[str, Json]) -> None:
    """Say a changefeed's status when a task of it failed, or all of it is committed."""
    still, seen = time.monotonic(), None
    while waiting:
        time.sleep(POLL_S)
        for name, cause in worker.failures().items():
            if name in waiting:
                feed = waiting[name]["feed"]
                say(order, feed, status="error", error=f"the sink's task failed: {cause}")
                waiting = {n: one for n, one in waiting.items() if one["feed"] is not feed}
        committed = {name: worker.committed(name) for name in waiting}
        if committed != seen:
            still, seen = time.monotonic(), committed
        for name, done in committed.items():
            behind = any(done.get(place, 0) < end for place, end in waiting[name]["ends"].items())
            if behind and time.monotonic() - still < QUIET_S:
                continue
            feed = waiting.pop(name)["feed"]
            if not any(one["feed"] is feed for one in waiting.values()):
                say(order, feed, status="done")


if __name__ == "__main__":
    main()
