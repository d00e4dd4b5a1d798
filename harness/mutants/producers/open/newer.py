"""The newer architecture: where it writes, names or marks things in a way of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from harness.ddl.tidb import ColumnFlag
from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.model.table import Table
from harness.model.values import Value
from harness.mutants.producers.changefeed.edits import ddl
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import ROW, Pairs, events, frames, values
from harness.mutants.producers.open.keys import in_order_of_names
from harness.mutants.producers.patch import Patch, constant, instead, patch, result
from harness.sources.tidb.store import NetChange

NEWARCH = "harness.codecs.open.dialect:NEWARCH"
FLAGS = "harness.ddl.tidb:column_flags"
HANDLE = "harness.ddl.tidb:handle"
_RENAME = re.compile("RENAME TABLE (`[^`]+`)(.* TO )(`[^`]+`)")
_KEYS = ColumnFlag.PRIMARY_KEY | ColumnFlag.UNIQUE_KEY | ColumnFlag.MULTIPLE_KEY


def _escaping(character: str) -> Patch:
    """Return the patch by which the newer architecture escapes a character."""
    escape = f"\\u{ord(character):04x}"
    return result(
        "harness.wire.json_text:bare",
        lambda texts: [text.replace(character, escape) for text in texts],
    )


def _as_before(original: Callable[..., object]) -> Callable[..., object]:
    """Return a function of a table that finds what the older architecture finds."""
    return lambda table, **_: original(table)


def _as_before_split(original: Callable[..., object]) -> Callable[..., object]:
    """Return a `split_on` that compares texts."""
    return lambda unique, changes, **_: original(unique, changes)


def _equal(old: Value, new: Value, original: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `_differs` to which one value that becomes another is the same."""

    def differs(change: NetChange, ordinals: Iterable[int], *, newer: bool) -> bool:
        before, after = change.before or (), change.after or ()
        counted = [o for o in ordinals if (before[o], after[o]) != (old, new)]
        return original(change, counted, newer=newer)

    return differs


def _in_ranks(ops: Sequence[Op], original: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
    """Return a `split_on` that sorts rows by their kinds, those that are not named last."""
    ranks = {op: rank for rank, op in enumerate(ops)}

    def split(*given: object, **named: object) -> list[Any]:
        return sorted(original(*given, **named), key=lambda row: ranks.get(row.op, len(ranks)))

    return split


def _inserts_by_key(original: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
    """Return a `split_on` that sends the inserts in the order of their keys."""

    def split(*given: object, **named: object) -> list[Any]:
        found = original(*given, **named)
        inserts = sorted((row for row in found if row.op is Op.INSERT), key=lambda row: row.key)
        return [*(row for row in found if row.op is not Op.INSERT), *inserts]

    return split


def _halves_together(original: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
    """Return a `split` that holds no insert back where a table has partitions."""

    def split(rows: Any, changes: Sequence[Any]) -> Sequence[Any]:  # noqa: ANN401 - patched
        found = original(rows, changes)
        if rows._physical is None or not rows._newer:  # noqa: SLF001
            return found
        inserts = {row.change: row for row in found if row.split and row.op is Op.INSERT}
        together: list[Any] = []
        for row in found:
            if row.split and row.op is Op.DELETE:
                together += [row, inserts[row.change]]
            elif not row.split:
                together.append(row)
        return together

    return split


def _renamed(change: Callable[[str], str]) -> Patch:
    """Return the patch that changes the text of DDL events."""
    return ddl(lambda event: (replace(event, query=change(event.query)),))


def _generated_without(left_out: int) -> Patch:
    """Return the patch by which generated columns have none of these flags."""

    def changed(original: Callable[..., tuple[int, ...]]) -> Callable[..., tuple[int, ...]]:
        def flags(table: Table, *, newer: bool = False) -> tuple[int, ...]:
            found = original(table, newer=newer)
            return tuple(
                each & ~left_out if newer and column.generated is not None else each
                for column, each in zip(table.columns, found, strict=True)
            )

        return flags

    return patch(FLAGS, changed)


def _ohk_turned(pairs: Pairs) -> Pairs:
    both, turned = b'"ohk":true,"ohk":false', b'"ohk":false,"ohk":true'
    return [(key.replace(both, turned), value) for key, value in pairs]


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-new-key-in-the-older-order",
        "open.new.key-order",
        "It writes the members of the newer architecture's key in the older order.",
        constant(f"{NEWARCH}.key_tail", ("ptn", "t", "ohk", "ccl")),
    ),
    WrongProducer(
        "open-new-key-large-before-kind",
        "open.new.key-order",
        "It writes `ohk` and `ccl` before `t` in the newer architecture.",
        constant(f"{NEWARCH}.key_tail", ("ohk", "ccl", "t", "ptn")),
    ),
    WrongProducer(
        "open-new-key-partition-id-before-large",
        "open.new.key-order",
        "It writes `ptn` before `ohk` and `ccl` in the newer architecture.",
        constant(f"{NEWARCH}.key_tail", ("t", "ptn", "ohk", "ccl")),
    ),
    WrongProducer(
        "open-new-key-location-before-ohk",
        "open.new.key-order",
        "It writes `ccl` before `ohk` in the newer architecture.",
        constant(f"{NEWARCH}.key_tail", ("t", "ccl", "ohk", "ptn")),
    ),
    WrongProducer(
        "open-new-key-sorted",
        "open.new.key-order",
        "It sorts the members of a key by their names.",
        events(ROW, in_order_of_names),
    ),
    WrongProducer(
        "open-new-key-with-row-id",
        "open.new.no-row-id",
        "It writes `rid` in the newer architecture.",
        constant(f"{NEWARCH}.key_tail", ("t", "ohk", "ccl", "ptn", "rid")),
    ),
    WrongProducer(
        "open-new-names-left-out",
        "open.new.names-always",
        "It leaves empty names out in the newer architecture.",
        constant(f"{NEWARCH}.empty_members", value=False),
    ),
    WrongProducer(
        "open-new-claim-check-without-ohk",
        "open.new.claim-check",
        "It leaves `ohk` out of a claim check's key in the newer architecture.",
        constant(f"{NEWARCH}.both_ohk", value=False),
    ),
    WrongProducer(
        "open-new-claim-check-with-ohk-turned",
        "open.new.claim-check",
        "It writes `ohk` false, then true, in a claim check's key in the newer architecture.",
        frames(_ohk_turned),
    ),
    WrongProducer(
        "open-new-claim-check-with-one-ohk",
        "open.new.claim-check",
        "It writes the second `ohk` of a claim check's key alone in the newer architecture.",
        constant(f"{NEWARCH}.key_tail", ("t", "ccl", "ptn")),
    ),
    WrongProducer(
        "open-new-columns-sorted",
        "open.new.column-order",
        "It sorts columns by name in the newer architecture.",
        constant(f"{NEWARCH}.sorted_columns", value=True),
    ),
    WrongProducer(
        "open-new-html-escaped",
        "open.new.html-unescaped",
        "It escapes `<`, `>` and `&` in the newer architecture.",
        constant(f"{NEWARCH}.html_escapes", value=True),
    ),
    *(
        WrongProducer(
            f"open-new-{words}-escaped",
            "open.new.html-unescaped",
            f"It escapes `{character}` in the newer architecture, and not the others.",
            _escaping(character),
        )
        for words, character in (("less-than", "<"), ("greater-than", ">"), ("ampersand", "&"))
    ),
    WrongProducer(
        "open-new-exponent-of-one-digit",
        "open.new.float-exponent",
        "It writes the exponent of a float as short as the older architecture does.",
        instead("harness.codecs.open.types:_exponents", lambda write, dialect: write),  # noqa: ARG005
    ),
    *(
        WrongProducer(
            f"open-new-exponent-of-one-digit-of-{kind.value.lower()}",
            "open.new.float-exponent",
            f"It writes the exponent of a {kind.value.upper()} with one digit.",
            values(kind, lambda text: re.sub("e([+-])0", r"e\1", text)),
        )
        for kind in (ColumnKind.FLOAT, ColumnKind.DOUBLE)
    ),
    WrongProducer(
        "open-new-generated-flags-as-before",
        "open.new.generated-flags",
        "It gives a generated column the flags of all its keys.",
        patch(FLAGS, _as_before),
    ),
    WrongProducer(
        "open-new-generated-columns-without-keys",
        "open.new.generated-flags",
        "It gives a generated column no flag of a key.",
        _generated_without(_KEYS),
    ),
    *(
        WrongProducer(
            f"open-new-generated-columns-without-{words}",
            "open.new.generated-flags",
            f"It gives a generated column no {words} flag in the newer architecture.",
            _generated_without(flag),
        )
        for words, flag in (
            ("primary", ColumnFlag.PRIMARY_KEY),
            ("handle", ColumnFlag.HANDLE_KEY),
            ("unique", ColumnFlag.UNIQUE_KEY),
            ("multiple", ColumnFlag.MULTIPLE_KEY),
        )
    ),
    WrongProducer(
        "open-new-handle-as-before",
        "open.new.handle-virtual",
        "It takes no unique index over a virtual column for the handle in the newer architecture.",
        patch(HANDLE, _as_before),
    ),
    WrongProducer(
        "open-new-split-deletes-first",
        "open.new.split-order",
        "It sends the delete of a split update before the updates of its transaction.",
        patch("harness.sources.tidb.split:split_on", partial(_in_ranks, (Op.DELETE, Op.UPDATE))),
    ),
    WrongProducer(
        "open-new-split-inserts-among-others",
        "open.new.split-order",
        "It sends the insert of a split update before other inserts of its transaction.",
        patch("harness.sources.tidb.split:split_on", _inserts_by_key),
    ),
    WrongProducer(
        "open-new-split-inserts-among-others-of-a-part",
        "open.new.split-order",
        "It sends the insert of a split update behind its delete in a partitioned table.",
        patch("harness.sources.tidb.rows:TableRows.split", _halves_together),
    ),
    WrongProducer(
        "open-new-null-is-a-text",
        "open.new.null-split",
        "It takes NULL and the text null in a unique key for equal.",
        patch("harness.sources.tidb.split:split_on", _as_before_split),
    ),
    *(
        WrongProducer(
            f"open-new-{name}-is-no-change",
            "open.new.null-split",
            f"It does not split an update of a unique key from {words}.",
            patch("harness.sources.tidb.split:_differs", partial(_equal, old, new)),
        )
        for name, words, old, new in (
            ("null-to-text", "NULL to the text null", None, "null"),
            ("text-to-null", "the text null to NULL", "null", None),
        )
    ),
    WrongProducer(
        "open-new-rename-into-its-own-database",
        "open.new.rename-text",
        "It writes the database of the new name before the old name too.",
        _renamed(lambda query: _RENAME.sub(r"RENAME TABLE \3\2\3", query)),
    ),
    WrongProducer(
        "open-new-renames-without-semicolons",
        "open.new.rename-text",
        "It ends the text of no rename with a semicolon.",
        _renamed(lambda query: query.removesuffix(";")),
    ),
)
