"""What stands before an encoder: from a change log to the encoder's input.

A source is simulated twice over: whole, for plans that explain every decision, and as a stream, for
change logs that nobody could hold. `tidb.source` and `vitess.source` make the two that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from harness.model.change import Change, ChangeLog
from harness.model.settings import Settings
from harness.model.source_events import ChangefeedStopped, SourceEvent
from harness.sources.decision import Explained


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """What a case says about its upstream beside the change log.

    `shards` and `vindexes` (table name to column and type) are a Vitess keyspace's;
    `copied_after` names the transaction behind which its connector starts, `broken_off` the one
    behind which it began a copy before, and how many rows of that it sent, None for all but
    two. `resharded` has the shards after a transaction. After those in `failovers` shards have new
    primaries, and the value says whether the hosts before are lost. `lasting` has the seconds from
    a transaction's first statement to its COMMIT, where they differ. `dialect` is that of the case:
    a release of the vendor's program differs in what it sends as well as in how.
    """

    settings: Settings
    databases: tuple[str, ...]
    partitions: int
    end_resolved: bool = True
    shards: tuple[str, ...] = ("0",)
    vindexes: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    copied_after: str | None = None
    broken_off: tuple[str, int | None] | None = None
    resharded: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    failovers: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    lasting: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    dialect: str = "current"


@dataclass(frozen=True, slots=True)
class SourceOutput:
    """What the upstream did.

    `given` is the encoder's input; `events` say the same in rows, DDL and resolved events, from
    which the truth is folded; `settings` are the scenario's, completed by what only the upstream
    knows. `stopped` is the error that ended a changefeed, and `decisions` what its filters
    made of each job and row. `topic` is there even if nothing is sent.
    """

    given: tuple[Any, ...]
    events: tuple[SourceEvent, ...]
    settings: Settings
    stopped: ChangefeedStopped | None = None
    decisions: tuple[Explained, ...] = ()
    topic: str = ""


@dataclass(frozen=True, slots=True)
class SourceStream:
    """The encoder's input, to be taken once, and the settings to bind the encoder to."""

    given: Iterator[Any]
    settings: Settings


@dataclass(frozen=True, slots=True)
class Source:
    """A source simulator, bound to a protocol; `kind` names what it simulates: `tidb`, `vitess`.

    `simulate` takes a whole change log. `stream` takes its changes one by one and keeps nothing
    that was yielded: the schemas, the rows that are in the tables, and the running transaction
    stay. Where the source stops early, so does the stream. Both raise UsageError and ScenarioError
    for settings that cannot be; `stream` does so when it gets there.
    """

    kind: str
    simulate: Callable[[ChangeLog, SourceConfig], SourceOutput]
    stream: Callable[[Iterable[Change], SourceConfig], SourceStream]
