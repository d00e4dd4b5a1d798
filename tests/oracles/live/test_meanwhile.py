"""What a job names before the SQL runs is what the topics hold when it has run."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from confluent_kafka import TopicPartition

from harness.engine.catalogue.choose import load
from harness.engine.run.context import RunContext
from harness.model.level import Level
from harness.model.observed import Observed, Outcome
from harness.oracles.live import meanwhile
from harness.oracles.live.cases import plays_of
from harness.oracles.live.meanwhile import MORE, Begun, Meanwhile, only_after
from harness.protocols.mysql import MYSQL
from harness.record.lock import load_lock
from harness.runner.manifest import Consumer
from harness.runner.result import Holder, Result
from harness.services import Services, settings
from tests.oracles.live.accounts import SPACE

NAMES = ("keys.pk-chain", "keys.pk-swap")
MINE = Consumer("mine", ("mine",))


def promised(
    *names: str, fault: str = "", there: dict[str, int] | None = None
) -> list[dict[str, tuple[int, int]]]:
    """Return the topics of the scenarios' changefeeds, whose connectors are called `p0_0`, ..."""
    plays = plays_of(load(SPACE, [*map(Path, names)]), [fault] if fault else [])
    reader = Meanwhile(
        cast("RunContext", None),
        cast("Services", None),
        MYSQL,
        lambda one: load_lock(one, SPACE.golden),
    )
    prefixes = {play.name: f"p{play.number}" for play in plays}
    ends = {
        prefix: {TopicPartition(f"{prefix}{rest}", 0): end for rest, end in (there or {}).items()}
        for prefix in prefixes.values()
    }
    return [
        {one.name: (one.start_offsets[0], one.end_offsets[0]) for one in feed.topics}
        for feed in reader.promised(plays, prefixes, ends)
    ]


def test_a_scenario_begins_where_its_topics_end() -> None:
    """Each database that is made is a statement before it; the next scenario is asked later."""
    (alone,) = promised(NAMES[0])
    sent = alone["p0.shop.t"][1]
    assert alone == {"p0": (0, 2), "p0.shop.t": (0, sent)}
    assert promised(*NAMES, there={"": 5, ".shop.t": 7}) == [
        {"p0": (5, 7), "p0.shop.t": (7, 7 + sent)}
    ]


def test_under_a_fault_the_end_lies_further() -> None:
    """All may be sent again once, with the markers; what is purged is not promised."""
    (plain,) = promised(NAMES[0])
    sent = plain["p0.shop.t"][1]
    (killed,) = promised(NAMES[0], fault="connector-killed")
    assert killed["p0.shop.t"] == (0, 2 * sent + MORE)
    (purged,) = promised(NAMES[0], fault="binlog-purged")
    assert MORE < purged["p0.shop.t"][1] < 2 * sent + MORE


@pytest.mark.parametrize(
    ("consumer", "words", "says"),
    [
        (MINE, {}, ""),
        (replace(MINE, levels=frozenset({Level.STREAM, Level.LIVE})), {}, ""),
        (replace(MINE, levels=frozenset({Level.LIVE})), {}, "mine does not claim level stream"),
        (replace(MINE, result=Result(Holder.DATABASE)), {}, "its tables are in the database"),
        (MINE, {"kafka.count-fetches": "false"}, "nobody sees when it has begun to read"),
    ],
)
def test_some_are_asked_when_all_sql_has_run(
    consumer: Consumer, words: dict[str, str], says: str
) -> None:
    """Whoever reads full topics alone, writes into the database that is followed, is not seen."""
    why = only_after(consumer, settings(words))
    assert says in why
    assert bool(why) is bool(says)


@pytest.mark.parametrize("handed", [True, False])
def test_who_is_handed_nothing_halfway_is_asked_later(
    handed: bool,  # noqa: FBT001 - both cases
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A consumer counts as one that read meanwhile where half of the SQL waited for it."""
    monkeypatch.setattr(meanwhile, "READ_S", 0.0)
    halted, given = threading.Event(), threading.Event()
    if handed:
        given.set()
    running: Future[dict[str, Observed]] = Future()
    answers: dict[str, Observed] = {}
    begun = Begun((), lambda: None, running, answers, halted, given)
    begun.halfway()
    assert halted.is_set() is not handed
    running.set_result({"one": Observed(Outcome.DONE)})
    begun.laid([])
    assert set(answers) == ({"one"} if handed else set())
