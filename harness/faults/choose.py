"""How faults find the messages that they act on, by what messages remember of their birth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from harness.errors import StepError
from harness.faults.option import Options
from harness.model.record import Origin, Record

Place = tuple[str, int]
RESOLVED = "resolved"
DDL = "ddl"
ROWS = frozenset({"insert", "update", "delete", "upsert", "read"})
PREVIEW = "`harness preview` shows the events that are sent, with their transactions and keys"


def place(record: Record) -> Place:
    """Return the partition that a message goes to."""
    return (record.topic, record.partition)


def is_mark(record: Record) -> bool:
    """Return whether a message is a resolved event."""
    return record.origins[0].kind == RESOLVED


def is_ddl(record: Record) -> bool:
    """Return whether a message is a DDL event."""
    return record.origins[0].kind == DDL


def is_rows(record: Record) -> bool:
    """Return whether a message carries row events."""
    return record.origins[0].kind in ROWS


def schemas_of(record: Record) -> tuple[str, ...]:
    """Return the texts of the registry's schemas that a message names."""
    return tuple(use.schema for use in (record.key_schema, record.value_schema) if use is not None)


def ts(record: Record) -> int:
    """Return the greatest commit ts that a message carries."""
    return max(origin.commit_ts for origin in record.origins)


def completed(records: Sequence[Record], mark: int) -> tuple[list[Record], list[Record]]:
    """Return the messages that a mark at this ts completes, and the others."""
    due = [record for record in records if ts(record) <= mark]
    return due, [record for record in records if ts(record) > mark]


def grouped(records: Sequence[Record], by: Callable[[Record], Hashable]) -> list[list[Record]]:
    """Return the messages in groups, each in its order; groups in the order of their firsts."""
    groups: dict[Hashable, list[Record]] = {}
    for record in records:
        groups.setdefault(by(record), []).append(record)
    return list(groups.values())


def chosen(records: Sequence[Record], options: Options) -> list[bool]:
    """Return for each message whether it carries a row of `transaction` (and of `key`, if given).

    StepError when none does.
    """
    return rows_of(records, options.text("transaction"), options.key, options.line)


def rows_of(
    records: Sequence[Record], transaction: str, key: Mapping[str, object], line: int
) -> list[bool]:
    """Return for each message whether it carries a row of a transaction, with this key if any.

    StepError when none does.
    """
    columns = _columns(key)
    found = [
        any(_is_of(origin, transaction, columns) for origin in record.origins) for record in records
    ]
    if not any(found):
        what = f"no row of transaction {transaction!r} is sent"
        if columns:
            what += f" with key {', '.join(columns)}"
        raise nothing(what, line, "rows of this transaction that are sent")
    return found


def first(records: Sequence[Record], name: str, line: int) -> int:
    """Return the position of a transaction's first message; StepError when it has none."""
    return _positions(records, name, line)[0]


def last(records: Sequence[Record], name: str, line: int) -> int:
    """Return the position of a transaction's last message; StepError when it has none."""
    return _positions(records, name, line)[-1]


def _positions(records: Sequence[Record], name: str, line: int) -> list[int]:
    found = [
        position
        for position, record in enumerate(records)
        if any(origin.transaction == name for origin in record.origins)
    ]
    if not found:
        what = f"no message carries a row of transaction {name!r}"
        expected = "a transaction with rows that are sent"
        raise StepError(what, line=line, expected=expected, hint=PREVIEW)
    return found


def nothing(what: str, line: int, expected: str = "a message at least") -> StepError:
    """Return the error of a fault that finds nothing to act on."""
    return StepError(f"nothing to act on: {what}", line=line, expected=expected, hint=PREVIEW)


def _is_of(origin: Origin, transaction: str, columns: Sequence[str]) -> bool:
    if origin.transaction != transaction or origin.kind not in ROWS:
        return False
    there = f",{origin.key},"
    return all(f",{column}," in there for column in columns)


def _columns(key: Mapping[str, object]) -> list[str]:
    return [f"{name}={'null' if value is None else value}" for name, value in key.items()]
