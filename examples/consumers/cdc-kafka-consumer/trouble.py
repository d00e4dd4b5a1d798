"""What the consumer's log says of an end that nobody else sees.

When its sink gives up, it says so in its log and goes on for ever without writing
(cmd/kafka-consumer/writer.go:208 and 541). Before that it tries a statement 8 or 20 times, with
pauses that add up to minutes.
"""

from __future__ import annotations

import re
from pathlib import Path

PANICS = (re.compile(r"\[(?:PANIC|FATAL)\].*"), re.compile("panic: .*"))  # its own, Go's
# cmd/kafka-consumer/writer.go:344, 355, 380 and 411
UNREAD = re.compile(
    r"(?:decoder|decode message \w+) failed\"\] \[partition=(\d+)\] \[offset=(\d+)\]"
)
ENDED = re.compile(r"\[ERROR\].*(?:can not retry|error on running consumer).*")
AGAIN = re.compile(r"\[WARN\].*with error, retry later.*")
TRIES = 3
SHOWN = 600


def given_up(log: Path) -> str:
    """Return why the sink writes no more, "" while it does; the third try counts as the last."""
    text = _text(log)
    ended = ENDED.search(text)
    tries = [match[0] for match in AGAIN.finditer(text)]
    if ended is None and len(tries) < TRIES:
        return ""
    return _error(ended[0] if ended else tries[-1])


def cause(*files: Path) -> str:
    """Return the first panic that the files show, or their first lines."""
    texts = [_text(one) for one in files]
    found = next((m[0] for panic in PANICS for text in texts if (m := panic.search(text))), None)
    return _error(found) if found else " ".join(" ".join(texts).splitlines()[:3])[:SHOWN]


def unread(error: str) -> list[dict[str, int]]:
    """Return the partition and offset of the message that a panic says it cannot read."""
    found = UNREAD.search(error)
    return [{"partition": int(found[1]), "offset": int(found[2])}] if found else []


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


def _error(line: str) -> str:
    """Return a line of the log, a warning from what it says on, and no stack."""
    start = 0 if any(panic.match(line) for panic in PANICS) else line.find('["')
    return line[start:].partition("[errorVerbose=")[0][:SHOWN]
