"""Event values of rows: images, columns, members of a column, and settings that decide them."""

from __future__ import annotations

from functools import partial

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import (
    ROW,
    Json,
    columns,
    events,
    images,
    renamed,
    reordered,
    settings,
)
from harness.mutants.producers.patch import Patch, result

# Member of a column -> its clause.
MEMBERS = {
    "t": "open.column.type",
    "h": "open.column.handle",
    "f": "open.column.flag",
    "v": "open.column.value",
}


def _without(member: str, column: Json) -> None:
    column.pop(member, None)


def _shouted(member: str, column: Json) -> None:
    renamed(column, member, member.upper())


def _members() -> tuple[WrongProducer, ...]:
    """Return, for each member of a column object, one without it, and one that renames it."""
    return tuple(
        row
        for member, clause in MEMBERS.items()
        for row in (
            WrongProducer(
                f"open-column-without-{member}",
                clause,
                f"It leaves `{member}` out of a column object.",
                columns(partial(_without, member)),
            ),
            WrongProducer(
                f"open-column-renames-{member}",
                clause,
                f"It calls `{member}` `{member.upper()}` in a column object.",
                columns(partial(_shouted, member)),
            ),
        )
    )


def _image(old: str, new: str, *, insert: bool) -> Patch:
    def changed(_: Json, value: Json) -> None:
        if old in value and ("p" in value) is not insert:
            renamed(value, old, new)

    return events(ROW, changed)


def _handles(images_: str) -> Patch:
    """Return the patch that leaves the handle columns only."""

    def changed(value: Json, image: str) -> None:
        if image in images_:
            value[image] = {n: c for n, c in value[image].items() if c.get("h")}

    return images(changed)


def _first_handle_in_deletes(_: Json, value: Json) -> None:
    """Leave the first of several handle columns alone in a delete that holds these only."""
    gone = value.get("d", {})
    if len(gone) > 1 and all(column.get("h") for column in gone.values()):
        value["d"] = dict([next(iter(gone.items()))])


def _named(change: str) -> Patch:
    def changed(value: Json, image: str) -> None:
        value[image] = {getattr(name, change)(): column for name, column in value[image].items()}

    return images(changed)


def _without_case(value: Json, image: str) -> None:
    value[image] = dict(sorted(value[image].items(), key=lambda pair: pair[0].lower()))


def _numbered(value: Json, image: str) -> None:
    value[image] = {str(n): column for n, column in enumerate(value[image].values())}


def _old_first(_: Json, value: Json) -> None:
    if "p" in value:
        reordered(value, "p")


def _empty_old(_: Json, value: Json) -> None:
    value.setdefault("p", {})


def _handle_everywhere(column: Json) -> None:
    items = {"t": column["t"], "h": column.get("h", False), **column}
    column.clear()
    column.update(items)


def _value_first(column: Json) -> None:
    reordered(column, "v")


def _handle_behind_flag(column: Json) -> None:
    if "h" in column and "f" in column:
        items = {"t": column["t"], "f": column["f"], **column}
        column.clear()
        column.update(items)


def _all_old(_: Json, value: Json) -> None:
    """Add to the old row what the new one has and it has not."""
    if "p" in value:
        value["p"] = {**value.get("u", {}), **value["p"]}


def _last_left_out(_: Json, value: Json) -> None:
    """Take the last column out of an old row that has not all columns."""
    old = value.get("p", {})
    if 0 < len(old) < len(value.get("u", {})):
        old.popitem()


def _zeros_as_null(_: Json, value: Json) -> None:
    """Make null of what is zero or empty in an old row that has not all columns."""
    old = value.get("p", {})
    if len(old) < len(value.get("u", {})):
        for cell in old.values():
            if not str(cell["v"]).strip("0-:. "):
                cell["v"] = None


ROWS: tuple[WrongProducer, ...] = (
    *_members(),
    WrongProducer(
        "open-insert-under-d",
        "open.row.insert",
        "It sends the new row of an insert under `d`.",
        _image("u", "d", insert=True),
    ),
    WrongProducer(
        "open-insert-under-i",
        "open.row.insert",
        "It sends the new row of an insert under `i`.",
        _image("u", "i", insert=True),
    ),
    WrongProducer(
        "open-update-under-n",
        "open.row.update",
        "It sends the new row of an update under `n`.",
        _image("u", "n", insert=False),
    ),
    WrongProducer(
        "open-update-with-the-old-row-twice",
        "open.row.update",
        "It sends the old row of an update under `u` as well.",
        events(ROW, lambda _, value: value.update({"u": value["p"]} if "p" in value else {})),
    ),
    WrongProducer(
        "open-old-row-left-out",
        "open.row.update.old-value",
        "It never sends the old row of an update.",
        settings(lambda _: {"output_old_value": False}),
    ),
    WrongProducer(
        "open-old-row-always",
        "open.row.update.old-value",
        "It sends the old row of an update with old values off.",
        settings(lambda _: {"output_old_value": True}),
    ),
    WrongProducer(
        "open-old-row-of-changed-columns",
        "open.row.update.old-value",
        "It sends the changed columns alone under `p`, though nobody asks for that.",
        settings(lambda _: {"only_updated": True}),
    ),
    WrongProducer(
        "open-old-row-is-the-new-one",
        "open.row.update.old-value",
        "It sends the new row of an update under `p`.",
        events(ROW, lambda _, value: value.update({"p": value["u"]} if "p" in value else {})),
    ),
    WrongProducer(
        "open-delete-under-u",
        "open.row.delete",
        "It sends a removed row under `u`.",
        events(ROW, lambda _, value: renamed(value, "d", "u")),
    ),
    WrongProducer(
        "open-delete-under-p",
        "open.row.delete",
        "It sends a removed row under `p`.",
        events(ROW, lambda _, value: renamed(value, "d", "p")),
    ),
    WrongProducer(
        "open-deletes-with-handles-only",
        "open.row.delete.all-columns",
        "It sends the handle columns of a removed row only.",
        _handles("d"),
    ),
    WrongProducer(
        "open-deletes-in-full-without-old-values",
        "open.row.delete.handle-columns",
        "It sends all columns of a removed row with old values off.",
        settings(lambda _: {"delete_only_handle": False}),
    ),
    WrongProducer(
        "open-deletes-follow-old-values",
        "open.row.delete.handle-columns",
        "It sends the handle columns of a removed row only where `output-old-value` is off.",
        settings(lambda given: {"delete_only_handle": not given.output_old_value}),
    ),
    WrongProducer(
        "open-handle-only-setting-ignored",
        "open.row.delete.handle-only-setting",
        "It ignores `delete-only-output-handle-key-columns`.",
        settings(lambda _: {"delete_only_handle": False}),
    ),
    WrongProducer(
        "open-handle-only-first-column",
        "open.row.delete.handle-only-setting",
        "It sends the first column alone of a composite handle in a delete of handle columns.",
        events(ROW, _first_handle_in_deletes),
        also="open.row.delete.handle-columns",
    ),
    WrongProducer(
        "open-changed-columns-setting-ignored",
        "open.row.update.changed-columns-setting",
        "It ignores `only-output-updated-columns`.",
        settings(lambda _: {"only_updated": False}),
    ),
    WrongProducer(
        "open-changed-columns-all-old",
        "open.row.update.changed-columns-setting",
        "It adds columns that did not change to the old row.",
        events(ROW, _all_old),
    ),
    WrongProducer(
        "open-last-changed-column-left-out",
        "open.row.update.changed-columns-setting",
        "It leaves the last of the changed columns out of the old row.",
        events(ROW, _last_left_out),
    ),
    WrongProducer(
        "open-old-zeros-as-null",
        "open.row.update.changed-columns-setting",
        "It sends null for an old value that is zero or empty, where only changed ones are sent.",
        events(ROW, _zeros_as_null),
    ),
    WrongProducer(
        "open-column-names-in-small-letters",
        "open.column.name",
        "It writes column names in small letters.",
        _named("lower"),
    ),
    WrongProducer(
        "open-column-numbers-for-names",
        "open.column.name",
        "It names columns by their numbers.",
        images(_numbered),
    ),
    WrongProducer(
        "open-columns-sorted-without-case",
        "open.column.order",
        "It sorts columns by their names in small letters.",
        images(_without_case),
    ),
    WrongProducer(
        "open-old-row-first",
        "open.row.value-order",
        "It writes `p` before `u`.",
        events(ROW, _old_first),
    ),
    WrongProducer(
        "open-old-row-of-nothing",
        "open.row.value-order",
        "It writes an empty `p` for an insert.",
        events(ROW, _empty_old),
    ),
    WrongProducer(
        "open-column-handle-false",
        "open.column.members",
        "It writes `h` where it is false.",
        columns(_handle_everywhere),
    ),
    WrongProducer(
        "open-column-value-first",
        "open.column.members",
        "It begins a column object with `v`.",
        columns(_value_first),
    ),
    WrongProducer(
        "open-column-handle-first",
        "open.column.members",
        "It begins a column object with `h`, where it has one.",
        columns(lambda column: reordered(column, "h")),
    ),
    WrongProducer(
        "open-column-flag-before-handle",
        "open.column.members",
        "It writes `f` before `h`.",
        columns(_handle_behind_flag),
    ),
    WrongProducer(
        "open-handle-of-every-key",
        "open.column.handle",
        "It gives `h` to each column of any unique index.",
        columns(lambda column: column.update(h=True) if column.get("f", 0) & 0x18 else None),
    ),
    WrongProducer(
        "open-no-handle-index",
        "open.handle.valid-index",
        "It marks no column as one of the handle.",
        result("harness.ddl.tidb:handle_columns", lambda _: ()),
    ),
    WrongProducer(
        "open-one-event-an-image",
        "open.row.update",
        "It sends an update without its new row.",
        events(ROW, lambda _, value: value.pop("u") if "p" in value and "u" in value else None),
    ),
)
