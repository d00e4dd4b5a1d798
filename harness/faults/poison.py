"""Messages that no right decoder reads, at a place that the author chooses.

What is judged then is the consumer's declared error policy, not its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from harness.faults.choose import chosen, nothing
from harness.faults.corrupt import (
    CORRUPTIONS,
    Corruption,
    form,
    garbage_key,
    garbage_value,
    huge_length,
    truncated,
    unknown_schema_id,
    unknown_version,
    wrong_magic,
    wrong_type,
)
from harness.faults.fault import Change, Disturbance
from harness.faults.option import KEY, TRANSACTION, Option, Options, Takes
from harness.model.record import Record

AFTER, BEFORE, INSTEAD = "after", "before", "instead"
_BREAKABLE = "a row of the transaction in a message of a form that docs/reference/faults.md names"


def poisoned(corrupt: Corruption) -> Change:
    """Return the fault that corrupts the first message of the chosen ones which can be."""

    def fault(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
        forms = CORRUPTIONS[corrupt]
        for number, is_chosen in enumerate(chosen(records, options)):
            record = records[number]
            if not is_chosen or form(record) not in forms or not _breakable(corrupt, record):
                continue
            poison, where = corrupt(record, random), options.text("place", AFTER)
            there = {AFTER: (record, poison), BEFORE: (poison, record), INSTEAD: (poison,)}[where]
            return (*records[:number], *there, *records[number + 1 :])
        raise nothing("no chosen message has the form that this breaks", options.line, _BREAKABLE)

    return fault


def _breakable(corrupt: Corruption, record: Record) -> bool:
    """Return whether a message has the part that is broken."""
    return record.key is not None if corrupt is garbage_key else True


_OPTIONS = (
    TRANSACTION,
    KEY,
    Option(
        "place",
        Takes.WORD,
        "Where the malformed message goes: behind the right one, before it, or in its stead.",
        AFTER,
        words=(AFTER, BEFORE, INSTEAD),
    ),
)


def _hostile(name: str, meaning: str, corrupt: Corruption) -> Disturbance:
    return Disturbance(
        name,
        f"{meaning} Of the chosen messages the first one is the model.",
        frozenset(),
        _OPTIONS,
        poisoned(corrupt),
        example={"transaction": "t1", "place": INSTEAD},
    )


ROWS: tuple[Disturbance, ...] = (
    _hostile("truncated", "Sends a message whose value is cut short.", truncated),
    _hostile(
        "wrong-magic",
        "Sends a message whose value begins with another byte than the registry's framing.",
        wrong_magic,
    ),
    _hostile(
        "unknown-version",
        "Sends a message whose key says another version of the protocol.",
        unknown_version,
    ),
    _hostile(
        "unknown-schema-id",
        "Sends a message that names a schema id which the registry never gave.",
        unknown_schema_id,
    ),
    _hostile(
        "garbage-value",
        "Sends a message with text that is no JSON where its JSON should be.",
        garbage_value,
    ),
    _hostile(
        "garbage-key",
        "Sends a message whose key is bytes without meaning.",
        garbage_key,
    ),
    _hostile(
        "wrong-type",
        "Sends a message with well-formed data of another type where the row should be.",
        wrong_type,
    ),
    _hostile(
        "huge-length",
        "Sends a message that announces more bytes than it has, by far.",
        huge_length,
    ),
)
