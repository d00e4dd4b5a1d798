"""What SQL says of partitions: PARTITION BY, and what ALTER TABLE does to partitions.

What is not understood makes the partitioning unclear; it is no reason to refuse a statement that
leaves rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cdc_spark.apply.partitions import Bound, Definition, Partitions, function_of
from cdc_spark.apply.statements import (
    AddPartitions,
    CoalescePartitions,
    DropPartitions,
    ExchangePartition,
    PartitionAction,
    ReorganizePartitions,
    Repartition,
    TruncatePartitions,
)
from cdc_spark.apply.words import WordKind, Words
from cdc_spark.errors import DecodingError

_KINDS = ("RANGE", "LIST", "HASH", "KEY")
_FUNCTIONS = ("YEAR", "TO_DAYS")


def of_create(read: Words) -> Partitions | None:
    """Return the partitioning behind the columns of CREATE TABLE, None where there is none."""
    while not read.done:
        if read.sees("("):
            read.group()
        elif read.take("PARTITION", "BY"):
            return _guarded(read)
        else:
            read.next()
    return None


def action(read: Words) -> PartitionAction | None:
    """Return what stands alone in an ALTER TABLE and is about partitions; None of what is not."""
    for words, rule in _ACTIONS.items():
        if read.take(*words):
            return rule(read)
    return None


def _guarded(read: Words) -> Partitions:
    sql = read.sql
    try:
        return _partitioning(read)
    except DecodingError as error:
        return Partitions("", unclear=f"{error.what or sql}")


def _partitioning(read: Words) -> Partitions:
    kind = read.here.text.upper()
    if kind not in _KINDS:
        read.refuse("RANGE, LIST, HASH or KEY")
    read.next()
    _ = read.take("COLUMNS") or read.take("FIELDS")
    inside = read.group()
    function = next((name for name in _FUNCTIONS if inside.take(name)), "")
    inside = inside.group() if function else inside
    column = inside.name()
    if not inside.done:
        inside.refuse("one column")
    found = Partitions(kind, column, function)
    if read.take("PARTITIONS"):
        found = found.counted(_number(read))
    elif kind in ("HASH", "KEY"):
        found = found.counted(1)
    if read.take("SUBPARTITION"):
        read.refuse("no subpartitions")
    if read.sees("("):
        found = found.replaced(0, len(found.definitions), _definitions(read))
    return found


def _definitions(read: Words) -> tuple[Definition, ...]:
    return tuple(_definition(item) for item in read.group().split())


def _definition(item: Words) -> Definition:
    item.expect("PARTITION")
    name = item.name()
    if item.take("VALUES", "LESS", "THAN"):
        if item.take("MAXVALUE"):
            return Definition(name, greatest=True)
        inside = item.group()
        if inside.take("MAXVALUE"):
            return Definition(name, greatest=True)
        return Definition(name, (_bound(inside),))
    if item.take("VALUES", "IN"):
        parts = item.group().split()
        values = tuple(_bound(part) for part in parts if not part.sees("DEFAULT"))
        return Definition(name, values, greatest=len(values) < len(parts))
    return Definition(name, greatest=item.take("DEFAULT"))


def _bound(read: Words) -> Bound:
    if read.take("("):
        read.refuse("one value")
    found = _constant(read)
    if not read.done:
        read.refuse("one constant")
    return found


def _constant(read: Words) -> Bound:
    if read.take("NULL"):
        return None
    function = next((name for name in _FUNCTIONS if read.take(name)), "")
    if function:
        return function_of(function, read.group().next().text)
    sign = -1 if read.take("-") else 1
    word = read.next()
    if word.form is WordKind.NUMBER and word.text.isdigit():
        return sign * int(word.text)
    if word.form is not WordKind.STRING or sign < 0:
        read.position -= 1
        read.refuse("a constant")
    return int(word.text) if word.text.lstrip("-").isdigit() else word.text


def _number(read: Words) -> int:
    if read.here.form is not WordKind.NUMBER or not read.here.text.isdigit():
        read.refuse("a number")
    return int(read.next().text)


def _names(read: Words) -> tuple[str, ...]:
    """Return partition names up to the end, none for ALL."""
    if read.sees("ALL"):
        return ()
    return tuple(part.name() for part in read.split())


def _leave_words(read: Words) -> None:
    _ = read.take("IF", "NOT", "EXISTS") or read.take("IF", "EXISTS")
    _ = read.take("NO_WRITE_TO_BINLOG") or read.take("LOCAL")


def _add(read: Words) -> PartitionAction:
    _leave_words(read)
    try:
        if read.take("PARTITIONS"):
            return AddPartitions((), _number(read))
        return AddPartitions(_definitions(read)) if read.sees("(") else AddPartitions((), 1)
    except DecodingError as error:
        return Repartition(Partitions("", unclear=error.what))


def _reorganize(read: Words) -> PartitionAction:
    _leave_words(read)
    if read.done:
        return Repartition(Partitions("", unclear=read.sql))
    names = [read.name()]
    while read.take(","):
        names.append(read.name())
    read.expect("INTO")
    try:
        return ReorganizePartitions(tuple(names), _definitions(read))
    except DecodingError as error:
        return Repartition(Partitions("", unclear=error.what))


def _drop(read: Words) -> PartitionAction:
    _leave_words(read)
    return DropPartitions(_names(read))


def _coalesce(read: Words) -> PartitionAction:
    _leave_words(read)
    return CoalescePartitions(_number(read))


def _exchange(read: Words) -> PartitionAction:
    name = read.name()
    read.expect("WITH", "TABLE")
    return ExchangePartition(name, read.table_name())


_ACTIONS: Mapping[tuple[str, ...], Callable[[Words], PartitionAction]] = {
    ("ADD", "PARTITION"): _add,
    ("DROP", "PARTITION"): _drop,
    ("TRUNCATE", "PARTITION"): lambda read: TruncatePartitions(_names(read)),
    ("REORGANIZE", "PARTITION"): _reorganize,
    ("COALESCE", "PARTITION"): _coalesce,
    ("EXCHANGE", "PARTITION"): _exchange,
    ("PARTITION", "BY"): lambda read: Repartition(_guarded(read)),
    ("REMOVE", "PARTITIONING"): lambda _: Repartition(None),
}
