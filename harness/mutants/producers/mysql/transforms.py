"""Kafka's own transforms: what each drops, renames and leaves alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.connect.transforms import OF_KAFKA, Options, Transform
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, entry, patch
from harness.mutants.producers.records import BOUNDARY, kind

_CHAIN: Final = "harness.codecs.connect.transforms"
FILTER, ROUTER = OF_KAFKA
# What a wrong transform makes of a record, given what the right one would.
Apply = Callable[[Transform, ConnectRecord], ConnectRecord | None]
Replace = Callable[[re.Pattern[str], str, str], str]


def _applying(name: str, apply: Apply) -> Patch:
    """Return the patch that changes what one transform makes of each record."""

    def made(original: Callable[[Options], Transform], options: Options) -> Transform:
        return partial(apply, original(options))

    return entry(f"{_CHAIN}:OF_KAFKA", name, lambda original: partial(made, original))


def _changed(change: Callable[[ConnectRecord], ConnectRecord]) -> Apply:
    """Return what changes records that the right transform has changed."""

    def apply(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
        found = right(record)
        return found if found is None or found is record else change(found)

    return apply


def _boundaries_pass(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    return record if kind(record) == BOUNDARY else right(record)


def _other_schemas(part: str, record: ConnectRecord) -> ConnectRecord:
    """Return a record whose key's or value's schema has the new topic's name."""
    schema = getattr(record, part)
    if schema is None:
        return record
    changed: dict[str, Any] = {part: replace(schema, name=record.topic)}
    return replace(record, **changed)


def _replacing(change: Callable[[Replace, re.Pattern[str], str, str], str]) -> Patch:
    """Return the patch by which RegexRouter makes another topic of a pattern and a replacement."""
    return patch(f"{_CHAIN}:replaced", lambda original: partial(change, original))


def _searched(right: Replace, pattern: re.Pattern[str], replacement: str, topic: str) -> str:
    """Return a topic whose first match is replaced, be the rest as it may."""
    if pattern.fullmatch(topic):
        return right(pattern, replacement, topic)
    return pattern.sub(replacement.replace("$", "\\"), topic, count=1)


def _every_match(_: Replace, pattern: re.Pattern[str], replacement: str, topic: str) -> str:
    """Return a topic that matches as a whole with each match in it replaced."""
    if not pattern.fullmatch(topic):
        return topic
    return pattern.sub(re.sub(r"\$(\d)", r"\\\1", replacement), topic)


def _as_a_whole(right: Replace, pattern: re.Pattern[str], replacement: str, topic: str) -> str:
    """Return the replacement alone where the whole topic matches."""
    found = right(pattern, replacement, topic)
    return found if "$" in replacement or found == topic else replacement


def _spared_dropped(stage: Any) -> Any:  # noqa: ANN401
    """Return a stage whose Filter drops the boundaries of transactions, spared or not."""
    right = stage.predicate
    if right is None or stage.negate:
        return stage
    return replace(stage, predicate=lambda record: right(record) or kind(record) == BOUNDARY)


def _other_options(change: Callable[[dict[str, str]], object]) -> Patch:
    """Return the patch by which RegexRouter is given other options."""

    def made(original: Callable[[Options], Transform], options: Options) -> Transform:
        own = dict(options)
        change(own)
        return original(own)

    return entry(f"{_CHAIN}:OF_KAFKA", ROUTER, lambda original: partial(made, original))


def _stages(change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes each stage of a chain."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: change(original(*given))

    return patch(f"{_CHAIN}:_stage", changed)


def _router_unasked(original: Callable[..., Any]) -> Callable[..., Any]:
    """Make stages of which a RegexRouter has no predicate."""

    def stage(texts: Options, alias: str, *more: object) -> Any:  # noqa: ANN401
        made = original(texts, alias, *more)
        router = texts[f"transforms.{alias}.type"] == ROUTER
        return replace(made, predicate=None) if router else made

    return stage


def _row(what: str, clause: str, difference: str, edit: Patch) -> WrongProducer:
    return WrongProducer(f"mysql-{what}", f"connect.transform.{clause}", difference, edit)


ROWS: Final[tuple[WrongProducer, ...]] = (
    _row(
        "filter-passes-all",
        "filter",
        "It passes what Filter has to drop.",
        _applying(FILTER, lambda _, record: record),
    ),
    _row(
        "filter-passes-boundaries",
        "filter",
        "It passes the boundaries of transactions through Filter.",
        _applying(FILTER, _boundaries_pass),
    ),
    _row(
        "filter-drops-boundaries",
        "filter",
        "It drops the boundaries of transactions that a Filter's predicate spares.",
        _stages(_spared_dropped),
    ),
    _row(
        "negate-ignored",
        "predicate",
        "It pays no heed to `negate`.",
        _stages(lambda stage: replace(stage, negate=False)),
    ),
    _row(
        "predicate-always-true",
        "predicate",
        "It takes a predicate for true of every record.",
        _stages(
            lambda stage: replace(stage, predicate=lambda _: True) if stage.predicate else stage
        ),
    ),
    _row(
        "predicate-never-true",
        "predicate",
        "It takes a predicate without `negate` for false of every record.",
        _stages(
            lambda stage: (
                replace(stage, predicate=lambda _: False)
                if stage.predicate and not stage.negate
                else stage
            )
        ),
    ),
    _row(
        "negated-predicate-always-true",
        "predicate",
        "It takes a predicate with `negate` for true of every record.",
        _stages(lambda stage: replace(stage, predicate=lambda _: True) if stage.negate else stage),
    ),
    _row(
        "router-without-a-predicate",
        "predicate",
        "It asks no predicate of RegexRouter.",
        patch(f"{_CHAIN}:_stage", _router_unasked),
    ),
    _row(
        "router-renames-nothing",
        "route",
        "It leaves topics as they are that RegexRouter renames.",
        _applying(ROUTER, lambda _, record: record),
    ),
    _row(
        "router-takes-groups-for-text",
        "route",
        "It writes the number of a group in place of what the group matches.",
        _other_options(lambda own: own.update(replacement=own["replacement"].replace("$", ""))),
    ),
    _row(
        "router-renames-all",
        "route",
        "It renames all topics as RegexRouter renames those that match.",
        _other_options(lambda own: own.update(regex=f"{own['regex']}|(.*)()")),
    ),
    _row(
        "router-searches",
        "route",
        "It renames topics of which a part alone matches.",
        _replacing(_searched),
    ),
    _row(
        "router-replaces-all-matches",
        "route",
        "It replaces each match in a topic that matches as a whole, not the first alone.",
        _replacing(_every_match),
    ),
    _row(
        "router-replaces-the-whole",
        "route",
        "It replaces the whole topic where the first match is shorter.",
        _replacing(_as_a_whole),
    ),
    _row(
        "router-drops-values",
        "route-alone",
        "It drops the values of records that RegexRouter renames.",
        _applying(ROUTER, _changed(lambda record: replace(record, value=None, value_schema=None))),
    ),
    _row(
        "router-renames-schemas",
        "route-alone",
        "It gives the schema of a value the name of the topic that RegexRouter gives.",
        _applying(ROUTER, _changed(partial(_other_schemas, "value_schema"))),
    ),
    _row(
        "router-renames-schemas-of-keys",
        "route-alone",
        "It gives the schema of a key the name of the topic that RegexRouter gives.",
        _applying(ROUTER, _changed(partial(_other_schemas, "key_schema"))),
    ),
    _row(
        "router-drops-keys",
        "route-alone",
        "It drops the keys of records that RegexRouter renames.",
        _applying(ROUTER, _changed(lambda record: replace(record, key=None, key_schema=None))),
    ),
    _row(
        "router-drops-headers",
        "route-alone",
        "It drops the headers of records that RegexRouter renames.",
        _applying(ROUTER, _changed(lambda record: replace(record, headers=()))),
    ),
)
