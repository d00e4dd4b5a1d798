"""What is sent when and where: order, resolved events, partitions, splits, large rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import eq, lt
from typing import Any

from harness.codecs.open.types import Writer
from harness.ddl.tidb import handle_columns
from harness.model.change import Op
from harness.model.source_events import (
    DdlEvent,
    ResolvedEvent,
    RowEvent,
    SourceEvent,
    SourceTable,
)
from harness.model.table import Table
from harness.mutants.producers.changefeed.edits import emitted, resolved, rows, settings
from harness.mutants.producers.changefeed.hashes import PLACING
from harness.mutants.producers.changefeed.routing import first_of_handle
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import Pairs, frames
from harness.mutants.producers.open.runs import runs
from harness.mutants.producers.patch import (
    Patch,
    adjusted,
    constant,
    instead,
    patch,
    result,
    returns,
)
from harness.sources.tidb.changefeed import DEFAULT_TOPIC
from harness.sources.tidb.dispatch import Placing
from harness.sources.tidb.store import NetChange

Events = Sequence[SourceEvent]
SPLIT = "harness.sources.tidb.split:split_on"
HTML_SAFE = "harness.wire.json_text:html_safe"
# A string of JSON, or what stands between two.
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"|[^"]+')
# Two backslashes before a letter that JSON's own escapes have; `\\\\n` is a backslash and an n.
_DOUBLED = re.compile(r"(?<!\\)\\\\([bfnrt])")


def _newest_first(events_: Events) -> Iterable[SourceEvent]:
    """Yield the rows of a table between two other events from the newest ts to the oldest."""
    for run in runs(events_):
        yield from sorted(
            run, key=lambda event: -event.commit_ts if isinstance(event, RowEvent) else 0
        )


def _early(promised: Callable[[int, int], bool]) -> Callable[[Events], Iterable[SourceEvent]]:
    """Return what puts each mark before the last row, where `promised` is of both their ts."""

    def changed(events_: Events) -> Iterable[SourceEvent]:
        given = [*events_]
        for at in range(1, len(given)):
            row, mark = given[at - 1], given[at]
            if (
                isinstance(mark, ResolvedEvent)
                and isinstance(row, RowEvent)
                and promised(row.commit_ts, mark.ts)
            ):
                given[at - 1], given[at] = mark, row
        return given

    return changed


def _ahead_of_ddl(ahead: Callable[[ResolvedEvent], bool]) -> Callable[[Events], Events]:
    """Return what puts each mark that is `ahead` before the DDL it follows, with a later ts."""

    def changed(events_: Events) -> Events:
        done: list[SourceEvent] = []
        ddl, place = 0, 0
        for event in events_:
            if isinstance(event, DdlEvent):
                ddl, place = event.commit_ts, len(done)
            if isinstance(event, ResolvedEvent) and event.ts == ddl and ahead(event):
                done.insert(place, replace(event, ts=ddl + 1))
            else:
                done.append(event)
        return done

    return changed


def _late_in_partition_1(events_: Events) -> Iterable[SourceEvent]:
    """Return the events with each mark of partition 1 before the last row that it promises."""
    done: list[SourceEvent] = []
    for event in events_:
        at = len(done)
        if isinstance(event, ResolvedEvent) and event.partition == 1:
            here = [
                n
                for n, e in enumerate(done)
                if isinstance(e, RowEvent | ResolvedEvent)
                and (e.topic, e.partition) == (event.topic, 1)
            ]
            if here and isinstance(done[here[-1]], RowEvent):
                at = here[-1]
        done.insert(at, event)
    return done


def _marks_to_0(mark: ResolvedEvent) -> Iterable[SourceEvent]:
    return (mark,) if mark.partition == 0 else ()


def _marks_to_tables(events_: Events) -> Iterable[SourceEvent]:
    """Return the events without the marks of the default topic, where others have some too."""
    others = any(isinstance(e, ResolvedEvent) and e.topic != DEFAULT_TOPIC for e in events_)
    return [
        event
        for event in events_
        if not (others and isinstance(event, ResolvedEvent) and event.topic == DEFAULT_TOPIC)
    ]


def _last_marks(events_: Events) -> Iterable[SourceEvent]:
    """Yield the events with the marks of the highest ts alone."""
    last = max((event.ts for event in events_ if isinstance(event, ResolvedEvent)), default=0)
    return [e for e in events_ if not isinstance(e, ResolvedEvent) or e.ts == last]


def _moved(row: RowEvent) -> Iterable[SourceEvent]:
    stays = row.op is Op.INSERT or not row.partition
    return (replace(row, partition=row.partition if stays else row.partition - 1),)


def other_rows_elsewhere(*, hashed: bool) -> Patch:
    """Return the patch that moves rows but inserts, where their values decide or where not."""
    return patch("harness.sources.tidb.rows:TableRows.made", partial(_elsewhere, hashed))


def _elsewhere(hashed: bool, original: Callable[..., Any]) -> Callable[..., Any]:  # noqa: FBT001
    """Return a `made` that moves rows but inserts, where their values decide or where not."""

    def made(maker: Any, *given: Any) -> list[RowEvent]:  # noqa: ANN401 - as patched
        found = original(maker, *given)
        if maker._place()._hashed is not hashed:  # noqa: SLF001
            return [*found]
        count = maker._partitions  # noqa: SLF001
        return [
            row if row.op is Op.INSERT else replace(row, partition=(row.partition + 1) % count)
            for row in found
        ]

    return made


def _by_number(row: RowEvent) -> Iterable[SourceEvent]:
    return (replace(row, partition=min(row.partition, row.origin.event % 2)),)


def _every_column(original: Callable[..., None]) -> Callable[..., None]:
    """Return an `__init__` that hashes all columns where the handle's are asked for."""

    def init(placing: Placing, rule: object, table: SourceTable, **named: object) -> None:
        original(placing, rule, replace(table, handle=table.emitted), **named)

    return init


def _blanks_behind(mark: bytes, pairs: Pairs) -> Pairs:
    """Return the pairs with a blank behind each mark that stands in no string of a value."""
    return [(key, _STRINGS.sub(partial(_spaced, mark), value)) for key, value in pairs]


def _spaced(mark: bytes, part: re.Match[bytes]) -> bytes:
    found = part.group()
    return found if found.startswith(b'"') else found.replace(mark, mark + b" ")


def _unsplit(
    unique: Sequence[int], changes: Iterable[NetChange], **named: object
) -> list[NetChange]:
    del unique, named
    return [*changes]


def unique_sent_or_not(table: Table) -> tuple[int, ...]:
    """Return the columns of unique indexes, sent or not."""
    unique = {table.position(name) for i in table.indexes if i.unique for name in i.columns}
    return tuple(sorted(unique))


def _inserts_later(events_: Events) -> Iterable[SourceEvent]:
    """Yield the events, the insert half of each split update one ts later."""
    deleted = {e.origin.step for e in events_ if isinstance(e, RowEvent) and e.op is Op.DELETE}
    for event in events_:
        if isinstance(event, RowEvent) and event.op is Op.INSERT and event.origin.step in deleted:
            yield replace(event, commit_ts=event.commit_ts + 1)
        else:
            yield event


def _virtual_too(original: Callable[..., SourceTable]) -> Callable[..., SourceTable]:
    """Return a `source_table` that sends virtual columns where stored ones are left out."""

    def made(table: Table, *, stored: bool = True, newer: bool = False) -> SourceTable:
        found = original(table, stored=stored, newer=newer)
        kinds = enumerate(c.generated for c in table.columns)
        kept = tuple(n for n, kind in kinds if kind is None or not kind.stored)
        return found if stored else replace(found, emitted=kept)

    return made


def _unescaped(characters: str, texts: Sequence[str]) -> Sequence[str]:
    """Return JSON texts with these characters as they are."""
    escapes = "|".join(f"{ord(character):04x}" for character in characters)
    escape = re.compile(rf"(?<!\\)\\u({escapes})")
    return [escape.sub(lambda found: chr(int(found[1], 16)), text) for text in texts]


def _latin(strings: Callable[[Sequence[str]], Sequence[str]]) -> Writer:
    """Return a writer of bytes that JSON alone escapes."""

    def write(given: Sequence[bytes]) -> Sequence[str]:
        b"".join(given)  # refuses what is not bytes
        return strings([value.decode("latin-1") for value in given])

    return write


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-newest-version-first",
        "open.order.per-table-ts",
        "It sends the rows of a table from the newest ts to the oldest.",
        emitted(_newest_first),
    ),
    WrongProducer(
        "open-marks-to-one-partition",
        "open.resolved.broadcast",
        "It sends resolved events to the partition 0 alone.",
        resolved(_marks_to_0),
    ),
    WrongProducer(
        "open-marks-to-the-default-topic",
        "open.resolved.broadcast",
        "It sends resolved events to the default topic alone.",
        resolved(lambda mark: (mark,) if mark.topic == DEFAULT_TOPIC else ()),
    ),
    WrongProducer(
        "open-marks-to-topics-of-tables",
        "open.resolved.broadcast",
        "It sends no resolved events to the default topic where tables have others.",
        emitted(_marks_to_tables),
    ),
    WrongProducer(
        "open-marks-once",
        "open.resolved.broadcast",
        "It sends the last resolved events alone.",
        emitted(_last_marks),
    ),
    WrongProducer(
        "open-mark-before-its-row",
        "open.resolved.complete",
        "It sends a resolved event before the last row that it promises.",
        emitted(_early(lt)),
    ),
    WrongProducer(
        "open-mark-beyond-its-rows",
        "open.resolved.complete",
        "It gives a resolved event a ts beyond rows that follow.",
        resolved(lambda mark: (replace(mark, ts=mark.ts + (1 << 30)),)),
    ),
    WrongProducer(
        "open-mark-before-its-ddl",
        "open.resolved.complete",
        "It sends a resolved event of a later ts before a DDL event.",
        emitted(_ahead_of_ddl(lambda _: True)),
    ),
    WrongProducer(
        "open-mark-before-its-ddl-of-one-partition",
        "open.resolved.per-partition",
        "It sends a resolved event of a later ts before a DDL event in partition 1.",
        emitted(_ahead_of_ddl(lambda mark: mark.partition == 1)),
    ),
    WrongProducer(
        "open-mark-before-its-row-of-one-partition",
        "open.resolved.per-partition",
        "It sends the resolved events of partition 1 before the last row there.",
        emitted(_late_in_partition_1),
    ),
    WrongProducer(
        "open-mark-before-the-row-of-its-ts",
        "open.resolved.inclusive",
        "It sends a resolved event before the last row that has its own ts.",
        emitted(_early(eq)),
    ),
    WrongProducer(
        "open-rows-over-partitions-by-kind",
        "open.row.same-partition",
        "It sends updates and deletes to the partition before that of their row.",
        rows(_moved),
    ),
    *(
        WrongProducer(
            f"open-rows-over-partitions-by-kind-under-{words}",
            "open.row.same-partition",
            f"It sends updates and deletes to another partition under `{words}` alone.",
            other_rows_elsewhere(hashed=hashed),
        )
        for words, hashed in (("table", False), ("index-value", True))
    ),
    WrongProducer(
        "open-rows-round-robin",
        "open.partition.by-table",
        "It deals the rows of a table round.",
        rows(_by_number),
    ),
    WrongProducer(
        "open-index-value-of-first-column",
        "open.partition.index-value",
        "It hashes the first handle column alone under `index-value`.",
        patch(f"{PLACING}.__init__", first_of_handle),
    ),
    WrongProducer(
        "open-index-value-of-every-column",
        "open.partition.index-value",
        "It hashes all columns of a row under `index-value`.",
        patch("harness.sources.tidb.dispatch:Placing.__init__", _every_column),
    ),
    WrongProducer(
        "open-key-update-not-split",
        "open.row.pk-update-split",
        "It sends an update of a unique key as an update.",
        instead(SPLIT, _unsplit),
    ),
    WrongProducer(
        "open-handle-keys-alone-are-split",
        "open.row.pk-update-split",
        "It sends an update that changes a unique key beside the handle key as one event.",
        instead("harness.sources.tidb.split:unique_ordinals", handle_columns),
    ),
    WrongProducer(
        "open-null-is-no-text",
        "open.row.pk-update-split",
        "It splits an update of a unique key from NULL to the text null.",
        instead("harness.sources.tidb.split:_same_text", lambda one, other: False),  # noqa: ARG005
    ),
    WrongProducer(
        "open-split-by-virtual-columns",
        "open.row.pk-update-split",
        "It splits an update that changes a virtual column alone of a unique key.",
        instead("harness.sources.tidb.split:unique_ordinals", unique_sent_or_not),
    ),
    WrongProducer(
        "open-raw-changes-are-split",
        "open.row.raw-change-event",
        "It ignores `output-raw-change-event`.",
        settings(lambda _: {"raw_changes": False}),
    ),
    WrongProducer(
        "open-split-at-two-ts",
        "open.row.pk-update-split",
        "It gives the insert of a split update a later ts than its delete.",
        emitted(_inserts_later),
    ),
    WrongProducer(
        "open-404-stored-columns-sent",
        "open.dialect.no-generated-columns",
        "It sends stored generated columns in 4.0.4.",
        constant("harness.sources.tidb.changefeed:_WITHOUT_GENERATED", frozenset[str]()),
    ),
    WrongProducer(
        "open-404-virtual-columns-sent",
        "open.dialect.no-generated-columns",
        "It sends virtual generated columns in 4.0.4.",
        patch("harness.sources.tidb.mounter:source_table", _virtual_too),
    ),
    WrongProducer(
        "open-virtual-columns-sent",
        "open.row.no-virtual-columns",
        "It sends virtual generated columns.",
        returns("harness.ddl.tidb:is_emitted", value=True),
        also="open.row.delete.all-columns",
    ),
    WrongProducer(
        "open-stored-columns-left-out",
        "open.row.no-virtual-columns",
        "It leaves stored generated columns out.",
        adjusted("harness.ddl.tidb:is_emitted", lambda _, column: column.generated is None),
    ),
    WrongProducer(
        "open-html-as-it-is",
        "open.json.escapes",
        "It writes `<`, `>` and `&` as they are.",
        result(HTML_SAFE, partial(_unescaped, "<>&")),
    ),
    WrongProducer(
        "open-line-separators-as-they-are",
        "open.json.escapes",
        "It writes U+2028 and U+2029 as they are.",
        result(HTML_SAFE, partial(_unescaped, "\u2028\u2029")),
    ),
    *(
        WrongProducer(
            f"open-{words}-as-it-is",
            "open.json.escapes",
            f"It writes {shown} as it is, and escapes the others.",
            result(HTML_SAFE, partial(_unescaped, character)),
        )
        for words, shown, character in (
            ("less-than", "`<`", "<"),
            ("greater-than", "`>`", ">"),
            ("ampersand", "`&`", "&"),
            ("line-separator", "U+2028", "\u2028"),
            ("paragraph-separator", "U+2029", "\u2029"),
        )
    ),
    WrongProducer(
        "open-json-with-blanks",
        "open.json.escapes",
        "It writes a blank behind the opening brace of an event value.",
        frames(
            lambda pairs: [(key, value.replace(b"{", b"{ ", 1)) for key, value in pairs],
        ),
    ),
    *(
        WrongProducer(
            f"open-json-with-blanks-behind-{words}",
            "open.json.escapes",
            f"It writes a blank behind each {word} of an event value, strings apart.",
            frames(partial(_blanks_behind, mark)),
        )
        for words, word, mark in (("colons", "colon", b":"), ("commas", "comma", b","))
    ),
    WrongProducer(
        "open-json-keys-with-blanks",
        "open.json.escapes",
        "It writes a blank behind the opening brace of an event key.",
        frames(lambda pairs: [(key.replace(b"{", b"{ ", 1), value) for key, value in pairs]),
    ),
    WrongProducer(
        "open-bytes-backslashes-not-doubled",
        "open.type.escaped-twice",
        "It does not double the backslash of those of Go's escapes that JSON has as well.",
        result(
            "harness.codecs.open.types:_quoted",
            lambda write: lambda given: [_DOUBLED.sub(r"\\\1", text) for text in write(given)],
        ),
    ),
    WrongProducer(
        "open-bytes-escaped-once",
        "open.type.escaped-twice",
        "It writes binary text with the escapes of JSON alone.",
        instead("harness.codecs.open.types:_quoted", _latin),
    ),
)
