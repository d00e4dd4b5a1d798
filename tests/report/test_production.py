"""What was sent to somebody's topics, in words, as data, and with commands that read it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from harness.engine.deliver.production import Account, Filled, FilledPartition
from harness.report.production import Reader, document, lines

FRESH = Filled(
    "a[open,p2]",
    "open",
    5,
    (
        FilledPartition("my.ticdc", "ticdc", 0, 0, 3, 3),
        FilledPartition("my.ticdc", "ticdc", 1, 0, 2, 2),
    ),
)
LATER = Filled("b[avro,p1]", "avro", 9, (FilledPartition("old", "old", 0, 40, 44, 4),))


def test_lines() -> None:
    """Each partition has its offsets and records; what is cut short is said."""
    account = Account((FRESH, LATER), ("my.ticdc",), interrupted=True)
    text = "\n".join(lines(account, {FRESH.case: ["kcat me"]}))
    assert "a[open,p2]: 5 of 5 records sent" in text
    assert "b[avro,p1]: 4 of 9 records sent" in text
    assert "my.ticdc/0  offsets 0-2             3 records  (topic made)" in text
    assert "old/0  offsets 40-43           4 records\n" in text
    assert "read them with:\n    kcat me" in text
    assert text.endswith("interrupted: what is listed arrived, nothing else will")


def test_nothing_arrived() -> None:
    """Topics that were made and taken away again are named, and no command is offered."""
    account = Account((Filled("a", "open", 5, ()),), (), interrupted=True, withdrawn=("t",))
    text = "\n".join(lines(account, {}))
    assert "a: 0 of 5 records sent" in text
    assert "the topics made for it are gone: t" in text
    assert "read them" not in text


def test_commands() -> None:
    """A fresh topic is read from its beginning, a filled one from where this production began."""
    reader = Reader("localhost:9092", Path("my client.properties"), "http://localhost:8081")
    (fresh,) = reader.commands(FRESH)
    words = shlex.split(fresh)
    assert words[:8] == [
        *("kcat", "-F", "my client.properties", "-b", "localhost:9092", "-C", "-t", "my.ticdc")
    ]
    assert words[8:15] == ["-o", "beginning", "-e", "-s", "avro", "-r", "http://localhost:8081"]
    (later,) = Reader("localhost:9092").commands(LATER)
    assert shlex.split(later)[5:12] == ["old", "-p", "0", "-o", "40", "-c", "4"]
    assert "-s" not in shlex.split(later)


def test_json() -> None:
    """The same as data: offsets from `first` to before `next`."""
    data = json.loads(json.dumps(document(Account((FRESH,), ("my.ticdc",)), {FRESH.case: ["x"]})))
    assert (data["interrupted"], data["created"], data["withdrawn"]) == (False, ["my.ticdc"], [])
    (case,) = data["cases"]
    assert (case["case"], case["records"], case["of"], case["consume"]) == (
        "a[open,p2]",
        5,
        5,
        ["x"],
    )
    assert case["partitions"][1] == {
        "topic": "my.ticdc",
        "canonical": "ticdc",
        "partition": 1,
        "first": 0,
        "next": 2,
        "records": 2,
    }
