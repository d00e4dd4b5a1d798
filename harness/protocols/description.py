"""What a protocol says of itself in words and ids: a TOML file beside its row.

Keys: `title`, `introduction`, `layers`, `order`, `[dialects]`, `[causes]`, `[permissions]`,
`[[events]]`; `open.toml` explains each of them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import cast

from harness.documents import JsonSchema, PlainObject
from harness.errors import UsageError
from harness.protocols.causes import CAUSES


class Claim(StrEnum):
    """Why a delivery may do something; the value is the key that its step says so by."""

    ALLOWED = "allowed-by"
    SEEN = "seen-in"
    HOSTILE = "hostile"


@dataclass(frozen=True, slots=True)
class Permission:
    """Why a fault may be done in one protocol: the clauses that allow it, or where it was seen.

    `without` names the options that no clause covers.
    """

    claim: Claim
    clauses: tuple[str, ...] = ()
    seen_in: str = ""
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventForm:
    """One kind of event: what its key and its value hold, and the clauses that say so."""

    event: str
    key: str
    value: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A protocol in words.

    `layers` are the layers of clauses that it shares with other protocols, `order` the MAY clauses
    of order that its consumers' page has besides those of causes, `dialects` explains each dialect.
    `causes` has the clause that decides where an answer is wrong, `permissions` the
    faults that make sense in the protocol.
    """

    title: str
    introduction: str
    layers: tuple[str, ...]
    order: tuple[str, ...]
    dialects: Mapping[str, str]
    causes: Mapping[str, str]
    permissions: Mapping[str, Permission]
    events: tuple[EventForm, ...]


def read_description(file: Traversable) -> Description:
    """Return what a file says; UsageError, with the file's name, for a mistake in it."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        return _description(data)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        what = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)
        raise UsageError(
            f"{file}: {what}", expected="a description as harness/protocols/open.toml has it"
        ) from error


def read_schema(file: Traversable) -> JsonSchema:
    """Return the JSON Schema of a protocol's settings, which may refer to the grammar's `$defs`."""
    return MappingProxyType(json.loads(file.read_bytes()))


def _description(data: PlainObject) -> Description:
    permissions = {fault: _permission(fault, said) for fault, said in data["permissions"].items()}
    return Description(
        title=data["title"],
        introduction=data["introduction"],
        layers=tuple(data["layers"]),
        order=tuple(data.get("order", ())),
        dialects=MappingProxyType(data["dialects"]),
        causes=_causes(data["causes"], permissions),
        permissions=MappingProxyType(permissions),
        events=tuple(
            EventForm(one["event"], one["key"], one["value"], tuple(one["clauses"]))
            for one in data["events"]
        ),
    )


def _causes(said: Mapping[str, str], permissions: Mapping[str, Permission]) -> Mapping[str, str]:
    """Return the clause of each cause; ValueError for one that no verdict ever finds.

    Beside the common ones these are the hostile faults, each of which breaks a clause; ValueError
    for one without it, as its standing is that of the clause.
    """
    hostile = {fault for fault, one in permissions.items() if one.claim is Claim.HOSTILE}
    unknown = sorted(said.keys() - CAUSES.keys() - hostile)
    if unknown:
        raise ValueError(f"no verdict knows the cause {', '.join(unknown)}")
    unsaid = sorted(hostile - said.keys())
    if unsaid:
        raise ValueError(f"`[causes]` has no clause that {', '.join(unsaid)} breaks")
    return MappingProxyType(dict(said))


def _texts(listed: object) -> tuple[str, ...]:
    if not isinstance(listed, list):
        raise TypeError(f"{listed!r} is not a list of texts")
    return tuple(map(str, cast("list[object]", listed)))


def _permission(fault: str, said: object) -> Permission:
    match said:
        case "hostile":
            return Permission(Claim.HOSTILE)
        case str() if said.startswith("https://"):
            return Permission(Claim.SEEN, seen_in=said)
        case list():
            return Permission(Claim.ALLOWED, _texts(cast("object", said)))
        case dict() if {"allowed-by", "without"} <= cast("dict[str, object]", said).keys():
            row = cast("dict[str, object]", said)
            clauses, options = _texts(row["allowed-by"]), _texts(row["without"])
            return Permission(Claim.ALLOWED, clauses, without=options)
        case _:
            raise ValueError(f"the permission of `{fault}` is none: {said!r}")
