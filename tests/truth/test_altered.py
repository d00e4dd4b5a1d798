"""A comparison notices what was altered on purpose, and names the place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.truth.result import Result
from harness.truth.run import guarded
from tests.truth.vectors import judged, vector

Spoil = Callable[[dict[str, Any]], None]
ROWS = ("ticdc/open_types.jsonl", "")
DDL = ("ticdc/ddl.jsonl", "ddl_database/2/open")
MARK = ("ticdc/open_checkpoint.jsonl", "")
REFUSED = ("ticdc/open_batch.jsonl", "batch_mixed_txn/0/bytes200")


def flipped(text: str, at: int) -> str:
    """Return hexadecimal text with one bit of one byte turned."""
    return bytes(b ^ (n == at) for n, b in enumerate(bytes.fromhex(text))).hex()


def value_byte(changed: dict[str, Any]) -> None:
    """Turn a bit in the first message's value."""
    event = changed["events"][0]
    event["value_hex"] = flipped(event["value_hex"], 20)


def key_byte(changed: dict[str, Any]) -> None:
    """Turn a bit in the first message's key."""
    event = changed["events"][0]
    event["key_hex"] = flipped(event["key_hex"], 24)


def length_byte(changed: dict[str, Any]) -> None:
    """Turn a bit of the first frame's length."""
    event = changed["events"][0]
    event["value_hex"] = flipped(event["value_hex"], 7)


def missing_event(changed: dict[str, Any]) -> None:
    """Take the first event away."""
    del changed["events"][0]


def extra_event(changed: dict[str, Any]) -> None:
    """Add a copy of the first event."""
    changed["events"].append(changed["events"][0])


def other_partition(changed: dict[str, Any]) -> None:
    """Send the first event to a partition that no row chose."""
    changed["events"][0]["partition"] = 7


def other_length(changed: dict[str, Any]) -> None:
    """Miscount the producer's length."""
    changed["events"][0]["producer_length"] += 1


def header(changed: dict[str, Any]) -> None:
    """Put a header on the first event."""
    changed["events"][0]["headers"] = [{"key": "a", "value": "b"}]


def column_type(changed: dict[str, Any]) -> None:
    """Swap the schema of a column: what the rows say is not what the setup makes."""
    changed["setup_sql"] = [sql.replace("id int", "id bigint") for sql in changed["setup_sql"]]


def column_value(changed: dict[str, Any]) -> None:
    """Change a value that the encoder is given."""
    changed["rows"][0]["columns"][0]["value"] = {"int64": "77"}


def dispatched_kind(changed: dict[str, Any]) -> None:
    """Say that an insert was sent as a delete."""
    changed["dispatch"][0]["kind"] = "delete"


def restored(changed: dict[str, Any]) -> None:
    """Change the restored text of a DDL."""
    changed["ddl_events"][0]["sent_query"] += " "


def job_type(changed: dict[str, Any]) -> None:
    """Change a DDL's type."""
    changed["jobs"][0]["job_type"] += 1


def stopped(changed: dict[str, Any]) -> None:
    """Say that the changefeed stopped."""
    changed["jobs"][0]["puller_error"] = "no"


def other_statement(changed: dict[str, Any]) -> None:
    """Run another statement than the vendor did."""
    changed["sql"] = "create database other"


def other_mark(changed: dict[str, Any]) -> None:
    """Change the ts of a resolved event."""
    changed["checkpoint_ts"] += 1


def other_size(changed: dict[str, Any]) -> None:
    """Change the size that a refusal tells."""
    error = changed["events"][0]["encode_error"]
    changed["events"][0]["encode_error"] = error.replace("length:", "length:9")


def unread_kind(changed: dict[str, Any]) -> None:
    """Say that the vector is about something that nobody knows."""
    changed["kind"] = "heartbeat"


def taken(changed: dict[str, Any]) -> None:
    """Say that right settings are refused."""
    changed["config_error"] = "ErrCodecInvalidConfig"


def broken_value(changed: dict[str, Any]) -> None:
    """Hold a mounted value that is no value."""
    changed["rows"][0]["columns"][0]["value"] = {"int64": "seven"}


def broken_setup(changed: dict[str, Any]) -> None:
    """Hold a setup statement that is no SQL."""
    changed["setup_sql"] = ["create tabel t"]


def missing_member(changed: dict[str, Any]) -> None:
    """Lack what every vector of the kind has."""
    del changed["rows"]


# (what is spoilt, how, the place that must be named)
SPOILT: list[tuple[tuple[str, str], Spoil, str]] = [
    (ROWS, value_byte, "events[0]"),
    (ROWS, key_byte, "events[0] event 0 key"),
    (ROWS, length_byte, "events[0]"),
    (ROWS, missing_event, "ticdc/0 message 0"),
    (ROWS, extra_event, "events[1]"),
    (ROWS, other_partition, "ticdc/0 message 0"),
    (ROWS, other_length, "events[0].producer_length"),
    (ROWS, header, "events[0].headers"),
    (ROWS, column_type, "rows[0].columns"),
    (ROWS, column_value, "events[0] event 0"),
    (ROWS, dispatched_kind, "dispatch[].kind"),
    (ROWS, unread_kind, "kind"),
    (ROWS, taken, "config_error"),
    (ROWS, broken_value, ""),
    (ROWS, broken_setup, ""),
    (ROWS, missing_member, ""),
    (DDL, value_byte, "events[0] event 0 value"),
    (DDL, missing_event, "events"),
    (DDL, extra_event, "events"),
    (DDL, restored, "ddl_events[0].sent_query"),
    (DDL, job_type, "jobs[].job_type"),
    (DDL, stopped, "jobs[].puller_error"),
    (DDL, other_statement, "ddl_events[0].scm"),
    (MARK, length_byte, "events[0]"),
    (MARK, other_mark, "events[0] event 0 key"),
    (MARK, missing_event, "events"),
    (REFUSED, other_size, "row 0 encode_error"),
    (REFUSED, missing_event, "events[].encode_error"),
]


def cases() -> Iterator[Any]:
    """Yield the table's rows with ids."""
    for (file, name), spoil, where in SPOILT:
        yield pytest.param(file, name, spoil, where, id=f"{file[6:-6]}-{spoil.__name__}")


@pytest.mark.parametrize(("file", "name", "spoil", "where"), list(cases()))
def test_what_is_altered_is_noticed(file: str, name: str, spoil: Spoil, where: str) -> None:
    """The untouched vector is equal; the spoilt one is not, and the place is told."""
    changed = vector(file, name)
    assert judged(changed).differences == ()
    spoil(changed)
    differences = judged(changed).differences
    assert differences
    assert differences[0].where.startswith(where), differences
    assert differences[0].ours != differences[0].theirs


def test_an_unknown_exception_is_a_difference() -> None:
    """A comparison cannot excuse itself by a name that the table lacks."""
    said = guarded(lambda _: Result("x", (), ("because",)), {"id": "x"})
    assert [difference.ours for difference in said.differences] == ["excused by because"]
