"""Run TiCDC's own consumer over each changefeed until it has committed the last resolved events.

CDC_KAFKA_CONSUMER is the path of the binary, HARNESS_DATABASE_URL the server that it writes into,
which is the harness's sink too: mysql://user:password@host:port/ of an account that may do all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import mysql.connector
from adapter import Json, job, say
from configuration import changefeed_file, command, group, lacks
from downstream import Downstream, TakenError, account
from progress import Look, is_complete, last_resolved

BINARY = Path(os.environ["CDC_KAFKA_CONSUMER"])
POLL_S = 0.1
PANIC = re.compile(r"\[(?:PANIC|FATAL)\].*")


def main() -> None:
    """Answer for every changefeed of the job."""
    order = job()
    admin = account(os.environ["HARNESS_DATABASE_URL"])
    for feed in order["changefeeds"]:
        need = lacks(feed)
        if need:
            say(order, feed, status="not-applicable", needs=need)
        elif not BINARY.is_file():
            what = f"there is no cdc_kafka_consumer at {BINARY}"
            say(order, feed, status="error", error=f"{what}; set CDC_KAFKA_CONSUMER to its path")
        else:
            answer(order, feed, admin)


def answer(order: Json, feed: Json, admin: Json) -> None:
    """Let the consumer read one changefeed; say how it ended."""
    work = Path(order["work_dir"], feed["dir"])
    again = work.exists()  # a start before this one was killed: go on where it was
    connection = mysql.connector.connect(**admin, autocommit=True)
    downstream = Downstream(connection.cursor(), feed["databases"])
    try:
        downstream.open(again=again)
    except TakenError as error:
        todo = "use a server without it, because the consumer writes into that name"
        say(order, feed, status="error", error=f"{error}; {todo}")
        return
    work.mkdir(exist_ok=True)
    (work / "changefeed.toml").write_text(changefeed_file(feed), encoding="utf-8")
    look = Look(order, feed, group(order, feed))
    try:
        error = consumed(command(str(BINARY), order, feed, admin, work), look, feed, work)
    finally:
        look.close()
        downstream.close()
        connection.close()
    if error:
        say(order, feed, status="error", error=error)
    else:
        say(order, feed, status="done")


def consumed(line: list[str], look: Look, feed: Json, work: Path) -> str:
    """Run the command until all is committed; return why it gave up, "" when it did not."""
    last = last_resolved(feed["protocol"], look.messages())
    look.begin()
    printed = work / "printed.txt"
    with printed.open("wb") as file:
        child = subprocess.Popen(line, stdout=file, stderr=file)
    try:
        while child.poll() is None and not is_complete(last, look.committed()):
            time.sleep(POLL_S)
        code = child.poll()
    finally:
        child.kill()  # it waits for its next message, and SIGTERM does not end that
        child.wait()
    if code is None or is_complete(last, look.committed()):
        return ""
    return f"it ended with {code}: {cause(printed, work / 'consumer.log')}"


def cause(*files: Path) -> str:
    """Return the first panic that the files show, or their first lines."""
    texts = [one.read_text(encoding="utf-8", errors="replace") for one in files if one.exists()]
    found = next((match[0] for text in texts if (match := PANIC.search(text))), None)
    return (found or " ".join(" ".join(texts).splitlines()[:3]))[:600]


if __name__ == "__main__":
    main()
