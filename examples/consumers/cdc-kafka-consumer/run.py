"""Run TiCDC's own consumer until the sink has been quiet for a while, or it gives up.

CDC_KAFKA_CONSUMER is the path of the binary: a release of TiCDC has it, or `make kafka_consumer`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter import Json, job, out_dir, say

BINARY = Path(os.environ["CDC_KAFKA_CONSUMER"])
QUIET_S = 10.0  # it never ends by itself: its log goes on while it applies
POLL_S = 0.5


def lacks(feed: Json) -> str | None:
    """Return what a changefeed needs that this wrapper does not give it, or None."""
    if feed["protocol"] != "open":
        return f"protocol:{feed['protocol']}"
    if len(feed["topics"]) != 1:
        return "topics:one"
    if len(feed.get("databases") or {}) != 1:
        return "databases:one"  # it writes into databases of the upstream's names
    schema, database = next(iter(feed["databases"].items()))
    return None if schema == database else "sink:upstream-names"


def command(order: Json, feed: Json, work: Path) -> list[str]:
    """Return the consumer's command line."""
    topic, sink = feed["topics"][0], order["sink"]
    uri = f"kafka://{order['kafka']['java']['bootstrap.servers']}/{quote(topic['name'])}"
    up = f"{uri}?protocol=open-protocol&partition-num={topic['partitions']}"
    account = f"{quote(sink['user'])}:{quote(sink['password'])}"
    down = f"mysql://{account}@{sink['host']}:{sink['port']}/?safe-mode=true&time-zone="
    changefeed = work / "changefeed.toml"
    dispatchers = feed["settings"].get("sink.dispatchers", [])
    rows = [
        "{" + ", ".join(f"{name} = {json.dumps(value)}" for name, value in one.items()) + "}"
        for one in dispatchers
    ]
    changefeed.write_text(f"[sink]\ndispatchers = [{', '.join(rows)}]\n", encoding="utf-8")
    limits = "&max-batch-size=16&max-message-bytes=1048576"
    log = ["-log-file", str(work / "consumer.log"), "-config", str(changefeed)]
    group = ["-consumer-group-id", f"{order['kafka']['group_id']}-{feed['dir']}"]
    return [str(BINARY), "-upstream-uri", up + limits, "-downstream-uri", down, *log, *group]


def answer(order: Json, feed: Json) -> None:
    """Run it over one changefeed; kill it when it is quiet, for it does not mind SIGTERM."""
    work = out_dir(order, feed) / "consumer"
    work.mkdir(exist_ok=True)
    printed, log = work / "printed.txt", work / "consumer.log"
    with printed.open("wb") as file:
        child = subprocess.Popen(command(order, feed, work), stdout=file, stderr=file)
    length, still = -1, time.monotonic()
    while child.poll() is None and time.monotonic() - still < QUIET_S:
        time.sleep(POLL_S)
        now = sum(one.stat().st_size for one in (printed, log) if one.exists())
        if now != length:
            length, still = now, time.monotonic()
    code = child.poll()
    child.kill()
    child.wait()
    if code is None:
        say(order, feed, status="done")
        return
    last = " ".join(printed.read_text(encoding="utf-8", errors="replace").splitlines()[:3])
    say(order, feed, status="error", error=f"it ended with {code}: {last[:600]}")


def main() -> None:
    """Answer for every changefeed of the job."""
    order = job()
    for feed in order["changefeeds"]:
        need = lacks(feed)
        if need:
            say(order, feed, status="not-applicable", needs=need)
        elif not BINARY.is_file():
            what = f"there is no cdc_kafka_consumer at {BINARY}"
            say(order, feed, status="error", error=f"{what}; set CDC_KAFKA_CONSUMER to its path")
        else:
            answer(order, feed)


if __name__ == "__main__":
    main()
