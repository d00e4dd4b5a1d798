"""Event keys: their members, names and order; what a resolved event and a DDL's key hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.codecs.open.settings import OpenSettings
from harness.model.record import Record
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import (
    DDL,
    RESOLVED,
    ROW,
    Json,
    Pairs,
    each_record,
    events,
    frames,
    renamed,
    reordered,
)
from harness.mutants.producers.patch import Patch, constant, patch
from harness.wire.framing import frame_values

CLAUSES = {ROW: "open.key.row", DDL: "open.key.ddl", RESOLVED: "open.key.resolved"}
NAMES = {ROW: "row", DDL: "ddl", RESOLVED: "resolved"}
MEMBERS = {ROW: ("ts", "scm", "tbl", "t"), DDL: ("ts", "scm", "tbl", "t"), RESOLVED: ("ts", "t")}
_NO_KIND = 9
ENCODER = "harness.codecs.open.encode_rows:RowTexts.__init__"
CURRENT = "harness.codecs.open.dialect:CURRENT"


def _as_encoded_in_404(change: Callable[[OpenSettings], OpenSettings]) -> Patch:
    """Return the patch by which the encoder has other settings in 4.0.4, and the reader has not."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def init(texts: object, settings: OpenSettings) -> None:
            old = settings.dialect.name == "4.0.4"
            original(texts, change(settings) if old else settings)

        return init

    return patch(ENCODER, changed)


def _dropped(kind: int, member: str) -> Patch:
    return events(kind, lambda key, _: key.pop(member, None))


def _renamed(kind: int, member: str) -> Patch:
    return events(kind, lambda key, _: renamed(key, member, member.upper()))


def _as_text(kind: int, member: str) -> Patch:
    return events(kind, lambda key, _: key.update({member: str(key[member])}))


def _members() -> tuple[WrongProducer, ...]:
    """Return, for each member of each kind's key, a key without it, and one that renames it."""
    return tuple(
        row
        for kind, members in MEMBERS.items()
        for member in members
        for row in (
            WrongProducer(
                f"open-{NAMES[kind]}-key-without-{member}",
                CLAUSES[kind],
                f"It leaves `{member}` out of the key of a {NAMES[kind]} event.",
                _dropped(kind, member),
            ),
            WrongProducer(
                f"open-{NAMES[kind]}-key-renames-{member}",
                CLAUSES[kind],
                f"It calls `{member}` `{member.upper()}` in the key of a {NAMES[kind]} event.",
                _renamed(kind, member),
            ),
        )
    ) + tuple(
        row
        for kind in MEMBERS
        for row in (
            WrongProducer(
                f"open-{NAMES[kind]}-key-ts-as-text",
                CLAUSES[kind],
                f"It writes `ts` as text in the key of a {NAMES[kind]} event.",
                _as_text(kind, "ts"),
            ),
            WrongProducer(
                f"open-{NAMES[kind]}-key-of-another-kind",
                CLAUSES[kind],
                f"It writes `t` {_NO_KIND} into the key of a {NAMES[kind]} event.",
                events(kind, lambda key, _: key.update(t=_NO_KIND)),
            ),
        )
    )


def _start_ts(key: Json, _: Json) -> None:
    key["ts"] -= 1


def _names_exchanged(key: Json, _: Json) -> None:
    key.update(scm=key["tbl"], tbl=key["scm"])


def in_order_of_names(key: Json, _: Json) -> None:
    """Sort the members of a key."""
    ordered = dict(sorted(key.items()))
    key.clear()
    key.update(ordered)


def _table_first(key: Json, _: Json) -> None:
    if "tbl" in key:
        reordered(key, "tbl")
        reordered(key, "ts")


def _zero_row_id(key: Json, _: Json) -> None:
    if "rid" not in key:
        kept = {name: key.pop(name) for name in ("ts", "scm", "tbl")}
        rest = dict(key)
        key.clear()
        key.update({**kept, "rid": 0, **rest})


def _zero_partition_id(key: Json, _: Json) -> None:
    if "ptn" not in key:
        rest: Json = {name: key.pop(name) for name in ("t", "ohk", "ccl") if name in key}
        key["ptn"] = 0
        key.update(rest)


def _marks(value: bytes) -> Patch:
    def changed(pairs: Pairs) -> Pairs:
        return [(key, value if key.endswith(b'"t":3}') else text) for key, text in pairs]

    return frames(changed)


def _without_frame(record: Record) -> list[Record]:
    mark = (record.key or b"").endswith(b'"t":3}')
    return [replace(record, value=b"") if mark and record.value == frame_values([b""]) else record]


ROWS: tuple[WrongProducer, ...] = (
    *_members(),
    WrongProducer(
        "open-row-key-names-exchanged",
        CLAUSES[ROW],
        "It gives the table under `scm` and the schema under `tbl`.",
        events(ROW, _names_exchanged),
    ),
    WrongProducer(
        "open-key-start-ts",
        "open.key.ts",
        "It gives the ts at which a transaction began.",
        events(ROW, _start_ts),
    ),
    WrongProducer(
        "open-ddl-key-start-ts",
        "open.key.ts",
        "It gives the ts at which a DDL's transaction began.",
        events(DDL, _start_ts),
    ),
    WrongProducer(
        "open-key-sorted",
        "open.key.order",
        "It sorts the members of a key by their names.",
        events(ROW, in_order_of_names),
    ),
    WrongProducer(
        "open-key-kind-first",
        "open.key.order",
        "It begins a row's key with `t`.",
        events(ROW, lambda key, _: reordered(key, "t")),
    ),
    WrongProducer(
        "open-key-table-first",
        "open.key.order",
        "It writes `tbl` before `scm` in a row's key.",
        events(ROW, _table_first),
        also="open.new.key-order",
    ),
    WrongProducer(
        "open-key-partition-id-before-row-id",
        "open.key.order",
        "It writes `ptn` before `rid` in a row's key.",
        constant(f"{CURRENT}.key_tail", ("ptn", "rid", "t", "ohk", "ccl")),
    ),
    WrongProducer(
        "open-key-large-before-kind",
        "open.key.order",
        "It writes `ohk` and `ccl` before `t` in a row's key.",
        constant(f"{CURRENT}.key_tail", ("rid", "ptn", "ohk", "ccl", "t")),
    ),
    WrongProducer(
        "open-key-empty-members",
        "open.key.order",
        "It writes empty `ohk` and `ccl` into each key.",
        events(ROW, lambda key, _: key.update(ohk=False, ccl="")),
    ),
    WrongProducer(
        "open-key-row-id-of-nothing",
        "open.key.order",
        "It writes `rid` as 0 for rows without an integer handle.",
        events(ROW, _zero_row_id),
    ),
    WrongProducer(
        "open-key-partition-id-of-nothing",
        "open.key.order",
        "It writes `ptn` as 0 for tables without partitions.",
        events(ROW, _zero_partition_id),
    ),
    WrongProducer(
        "open-key-row-id-dropped",
        "open.key.row-id",
        "It leaves `rid` out of keys.",
        events(ROW, lambda key, _: key.pop("rid", None)),
    ),
    WrongProducer(
        "open-key-partition-id-dropped",
        "open.key.partition-id",
        "It leaves `ptn` out of keys.",
        events(ROW, lambda key, _: key.pop("ptn", None)),
    ),
    WrongProducer(
        "open-key-partition-id-of-another",
        "open.key.partition-id",
        "It gives the number of another partition under `ptn`.",
        events(ROW, lambda key, _: key.update({"ptn": key["ptn"] + 1} if "ptn" in key else {})),
    ),
    WrongProducer(
        "open-key-table-of-a-database",
        "open.key.no-table",
        "It writes an empty `tbl` into the key of a DDL on a database.",
        events(DDL, lambda key, _: key.setdefault("tbl", "")),
    ),
    WrongProducer(
        "open-mark-with-an-object",
        "open.resolved.value",
        "It sends an empty JSON object as the value of a resolved event.",
        _marks(b"{}"),
    ),
    WrongProducer(
        "open-mark-without-a-frame",
        "open.resolved.empty-frame",
        "It sends a resolved event's value as no bytes at all.",
        each_record(_without_frame),
    ),
    WrongProducer(
        "open-mark-with-null",
        "open.resolved.empty-frame",
        "It sends a frame that holds `null` as a resolved event's value.",
        _marks(b"null"),
    ),
    WrongProducer(
        "open-404-with-flags",
        "open.dialect.no-flags",
        "It writes flags in 4.0.4.",
        constant("harness.codecs.open.dialect:V4_0_4.flags", value=True),
    ),
    WrongProducer(
        "open-404-with-row-id",
        "open.dialect.no-flags",
        "It writes `rid` in 4.0.4.",
        constant("harness.codecs.open.dialect:V4_0_4.key_tail", ("rid", "ptn", "t")),
    ),
    WrongProducer(
        "open-404-with-old-values",
        "open.dialect.no-old-value",
        "It writes the old row of an update in 4.0.4.",
        _as_encoded_in_404(lambda found: replace(found, output_old_value=True)),
    ),
    WrongProducer(
        "open-404-deletes-in-full",
        "open.dialect.no-old-value",
        "It writes all columns of a deleted row in 4.0.4.",
        _as_encoded_in_404(lambda found: replace(found, delete_only_handle=False)),
    ),
    WrongProducer(
        "open-404-text-as-it-is",
        "open.type.varchar.base64",
        "It writes characters and bytes without Base64 in 4.0.4.",
        constant("harness.codecs.open.dialect:V4_0_4.text_base64", value=False),
    ),
    WrongProducer(
        "open-404-restored-query",
        "open.ddl.user-text",
        "It writes the restored statement in 4.0.4.",
        constant("harness.codecs.open.dialect:V4_0_4.restored_query", value=True),
    ),
    WrongProducer(
        "open-columns-in-table-order",
        "open.column.order",
        "It writes columns in the table's order.",
        constant(f"{CURRENT}.sorted_columns", value=False),
    ),
)
