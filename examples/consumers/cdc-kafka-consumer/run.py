"""Run TiCDC's own consumer over each changefeed until it has committed the last resolved events.

CDC_KAFKA_CONSUMER is the path of the binary, HARNESS_DATABASE_URL the server that it writes into,
which is the harness's sink too: mysql://user:password@host:port/ of an account that may do all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import mysql.connector
from adapter import Json, job, say
from configuration import changefeed_file, command, group, lacks
from downstream import Downstream, TakenError, account
from progress import Look, has_vectors, is_complete, last_resolved
from trouble import cause, given_up, unread

BINARY = Path(os.environ["CDC_KAFKA_CONSUMER"])
POLL_S = 0.1
STILL_S = 120.0  # so long may nothing be committed; a message takes it milliseconds


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
        messages = look.messages()
        vectors = has_vectors(messages)
        line = [str(BINARY), *command(order, feed, admin, work, vectors=vectors)]
        error = consumed(line, look, last_resolved(feed["protocol"], messages), work)
    finally:
        look.close()
        downstream.close()
        connection.close()
    if error:
        topic = feed["topics"][0]["name"]
        named = [{"topic": topic} | place for place in unread(error)]
        say(order, feed, status="error", error=error, **({"messages": named} if named else {}))
    else:
        say(order, feed, status="done")


def consumed(line: list[str], look: Look, last: dict[int, int], work: Path) -> str:
    """Run the command until all is committed; return why it gave up, "" when it did not."""
    look.begin()
    printed, log = work / "printed.txt", work / "consumer.log"
    with printed.open("wb") as file:
        child = subprocess.Popen(line, stdout=file, stderr=file)
    why, before, moved = "", look.committed(), time.monotonic()
    try:
        while child.poll() is None and not is_complete(last, now := look.committed()) and not why:
            if now != before:
                before, moved = now, time.monotonic()
            still = time.monotonic() - moved > STILL_S
            why = given_up(log) or (f"nothing is committed for {STILL_S:g} s" if still else "")
            time.sleep(POLL_S)
        code = child.poll()
    finally:
        child.kill()  # it waits for its next message, and SIGTERM does not end that
        child.wait()
    if is_complete(last, look.committed()):
        return ""
    return why or f"it ended with {code}: {cause(printed, log)}"


if __name__ == "__main__":
    main()
