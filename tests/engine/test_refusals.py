"""Clauses of what is refused when a changefeed starts: who takes it all the same is seen.

What is refused never streams, so no scenario can show it. A file of the corpus does: it is refused
with the words that it begins with, and it is planned as any other once the check that its clause is
about has been taken away. The clause and nothing else refuses it, and its absence is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from harness.codecs.avro.settings import INTEGRITY
from harness.codecs.ticdc.settings import LARGE
from harness.errors import ScenarioError
from harness.mutants.producers.patch import Patch, applied, instead, patch, result
from harness.protocols.clauses import CLAUSES
from harness.sources.tidb.event_types import EVENT_NAMES
from harness.sources.tidb.refusal import ChangefeedError
from tests.corpus.run import CORPUS, Entry, entries, planned

INVALID: Final = {entry.path.stem: entry for entry in entries("invalid")}
OPEN: Final = "harness.codecs.open.settings:_refuse_what_is_at_odds"
AVRO: Final = "harness.codecs.avro.settings:settings"
CONNECTOR: Final = "harness.codecs.debezium_vitess.validation:problems"


def without(key: str, target: str) -> Patch:
    """Return the patch by which a check reads the settings as if this one were not there."""

    def reading(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda values, *rest: original(
            {name: value for name, value in values.items() if name != key}, *rest
        )

    return patch(target, reading)


def unsaid(*words: str) -> Patch:
    """Return the patch by which Connect has no problem with what these words are about."""
    return result(
        CONNECTOR, lambda found: tuple(one for one in found if not any(w in one for w in words))
    )


def two_parts(original: Callable[[str], Any], rule: str) -> object:
    """Read the first two parts of a rule; one part is any table of that database."""
    parts = [part for part in rule.split(".") if part]
    return original(".".join([*parts, "*"][:2]))


def known_events(original: Callable[..., Any], *given: Any) -> object:
    """Pass over the names of events that nobody knows."""
    matcher, names, *rest = given
    return original(matcher, [name for name in names if name in EVENT_NAMES], *rest)


def parsed(original: Callable[..., Any], expressions: Mapping[str, str], **named: bool) -> object:
    """Pass over expressions that do not parse."""
    kept = dict(expressions)
    for key, text in expressions.items():
        try:
            original({key: text}, **named)
        except ChangefeedError:
            del kept[key]
    return original(kept, **named)


def of_shards(original: Callable[..., Any], config: Any, **how: bool) -> object:
    """Start at no position where no shard is named."""
    return original(config, **how) if config.settings.get("vitess.shard") else {}


def in_order(original: Callable[..., Any], rule: str, **named: bool) -> object:
    """Check a topic rule as if its placeholders stood in order."""
    if rule.find("{table}") < rule.find("{schema}"):
        rule = "{schema}_{table}"
    return original(rule, **named)


def _with(function: Callable[..., object]) -> Callable[[Any], Any]:
    return lambda original: partial(function, original)


# Clause -> the files that it refuses, and what takes its check away.
REFUSALS: Final[dict[str, tuple[tuple[str, ...], Patch]]] = {
    "changefeed.rules.three-parts": (
        ("filter-in-three-parts", "filter-in-one-part", "filter-without-a-table"),
        patch("harness.sources.tidb.table_filter:_rule", _with(two_parts)),
    ),
    "changefeed.event-filter.unknown": (
        ("event-filter-unknown",),
        patch("harness.sources.tidb.event_filter:event_rule", _with(known_events)),
    ),
    "changefeed.expression.syntax": (
        (
            "event-filter-expression",
            "event-filter-expression-of-deletes",
            "event-filter-expression-of-rows-before",
            "event-filter-expression-of-rows-after",
        ),
        patch("harness.sources.tidb.value_filter:value_filter", _with(parsed)),
    ),
    "changefeed.force-replicate.refused": (
        ("forced-with-deletes-by-key", "forced-with-large-messages", "forced-with-claim-checks"),
        without("force-replicate", OPEN),
    ),
    "avro.table.force-replicate-refused": (("avro-forced",), without("force-replicate", AVRO)),
    "avro.message.large-refused": (
        ("avro-large-messages", "avro-claim-checks"),
        without(LARGE + "large-message-handle-option", AVRO),
    ),
    "avro.checksum.requires": (
        (
            "avro-checksum-alone",
            "avro-checksum-without-extension",
            "avro-checksum-with-precise-decimals",
            "avro-checksum-with-long-bigints",
        ),
        without(INTEGRITY, AVRO),
    ),
    "avro.topic.placeholders": (
        ("topic-without-the-schema", "topic-without-the-table", "topic-fixed-before-7"),
        instead("harness.sources.tidb.topic:check_topic", lambda *_, **__: None),
    ),
    "avro.topic.placeholder-order": (
        ("topic-in-the-wrong-order",),
        patch("harness.sources.tidb.topic:check_topic", _with(in_order)),
    ),
    "vitess.topic.prefix-legal": (
        ("vitess-prefix-of-blanks", "vitess-prefix-of-other-letters"),
        unsaid("topic.prefix"),
    ),
    "vitess.filter.not-both": (
        ("vitess-include-and-exclude", "vitess-include-and-exclude-of-columns"),
        unsaid("is already specified"),
    ),
    "vitess.shard.gtid-needs-shard": (
        (
            "vitess-vgtid-without-shard",
            "vitess-vgtid-without-shard-before-a-copy",
            "vitess-gtid-without-shard",
        ),
        replace(
            unsaid("there must be shards"),
            then=patch("harness.sources.vitess.source:_starts", _with(of_shards)),
        ),
    ),
    "vitess.start.bad-config": (
        ("vitess-prefix-of-blanks", "vitess-include-and-exclude"),
        instead(CONNECTOR, lambda _: ()),
    ),
}
CASES: Final = [(clause, file) for clause, (files, _) in REFUSALS.items() for file in files]


@pytest.fixture(autouse=True)
def in_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named from the corpus on, wherever it lies."""
    monkeypatch.chdir(CORPUS)


@pytest.mark.parametrize(("clause", "file"), CASES)
def test_who_takes_what_is_refused_is_seen(clause: str, file: str, tmp_path: Path) -> None:
    """The file is refused in its words; without the clause's check it is planned as any other."""
    entry: Entry = INVALID[file]
    assert clause in CLAUSES
    with pytest.raises(ScenarioError) as caught:
        planned(entry, tmp_path)
    assert str(caught.value) == entry.refused
    with applied(REFUSALS[clause][1]):
        assert planned(entry, tmp_path)
