"""Every role that a newcomer can implement, on one page.

Roles are shapes, not base classes: anything with these members fits. The tables that list who
plays a role are literal dictionaries (`harness.protocols.PROTOCOLS`, `harness.faults.FAULTS`, ...).

A role that is made of types of a higher layer stands beside them:

| role | what plays it |
| --- | --- |
| `harness.ddl.change.Statement` | a DDL form |
| `harness.ddl.alter.specification.Specification` | a form within ALTER TABLE |
| `harness.codecs.connect.worker.Converter` | a converter of Kafka Connect |
| `harness.faults.fault.Change` | a fault that is done to the records |
| `harness.faults.fault.Act` | a fault that is done to the run |
| `harness.faults.log.LogEffect` | an action of such a fault |
| `harness.record.recorder.Source` | where row events are recorded from |
| `harness.services.service.Up` | a service of a backend |
| `harness.runner.manifest.Launcher` | a way to start a consumer |
| `harness.engine.pipeline.CaseSource` | the cases of a level |
| `harness.engine.run.attached.views.View` | where a running system keeps its tables |
| `harness.fuzz.trial.Judge` | a consumer that fuzz asks |
| `harness.oracles.compare.Freedom` | what two right producers may do differently |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Protocol, runtime_checkable

from harness.model.columns import Column
from harness.model.decoded import DecodedEvent
from harness.model.events import Event
from harness.model.record import Record
from harness.model.settings import Settings
from harness.model.source_events import RowEvent

# A zone for another; None is UTC.
OtherZone = Callable[[tzinfo | None], tzinfo | None]


class BoundCodec(Protocol):
    """One protocol bound to one changefeed's settings and dialect."""

    @property
    def complete(self) -> str | None:
        """Return what a resolved ts promises: `at-or-below` or `below`; None without any mark."""
        ...

    @property
    def row_ids(self) -> bool:
        """Return whether the wire identifies rows without a key, so that copies are known."""
        ...

    def encode(self, events: Iterable[Any]) -> Iterator[Record]:
        """Yield the records of a stream of vendor input, in emission order.

        The input is what the protocol's own source gives: TiCDC's `SourceEvent`s, or Vitess's
        `VStreamResponse`s. Raises EncodingError for what the protocol cannot express, and
        SourceStopped where the vendor's process would stop.
        """
        ...

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of one message; raises DecodingError for malformed bytes."""
        ...


class SchemaRegistry(Protocol):
    """Where schemas get their ids: in memory for plans and vectors, over HTTP for a real one."""

    def register(self, subject: str, schema: str) -> int:
        """Return the id of a schema under a subject, the old id when it is known there.

        Raises SchemaRefused when the registry refuses it.
        """
        ...

    def schema(self, schema_id: int) -> str:
        """Return a schema's text; raises DecodingError for an id that nobody was given."""
        ...


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a protocol's settings, as the vendor calls it; the reference page is made of them.

    `values` says what it takes: `true | false`, `precise | string`, `bytes`, `1..`. A setting that
    is taken and changes nothing says why in `without_effect`; one that the vendor has and that is
    refused here says why in `refused`.
    """

    name: str
    default: str
    values: str
    meaning: str
    clauses: tuple[str, ...] = ()
    without_effect: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class TypeForm:
    """How one column kind travels in a protocol, in words; `note` says what varies by setting."""

    wire: str
    note: str = ""
    clauses: tuple[str, ...] = ()


# The dialect of every protocol that is taken where none is named: what its program writes today.
DEFAULT_DIALECT = "current"
# Reads one file of a changefeed's own storage by its name; OSError or LookupError if there is none.
Load = Callable[[str], bytes]


class Bind(Protocol):
    """Binds a protocol to a changefeed's settings and a dialect; UsageError for what cannot be."""

    def __call__(
        self, values: Settings, dialect: str, registry: SchemaRegistry | None = None
    ) -> BoundCodec:
        """Return the bound codec; without a registry it keeps its schemas, if any, in memory."""
        ...


def carries_no_default(column: Column, values: Settings) -> bool:
    """Tell that the wire never carries a column's default."""
    del column, values
    return False


# Removes from a row event what the wire does not carry; None for one that is never sent.
Projection = Callable[[RowEvent], RowEvent | None]


def all_visible(values: Settings, dialect: str) -> Projection:
    """Return what leaves every row event as it is: the wire carries all of it."""
    del values, dialect
    return lambda row: row


def no_registry(values: Settings) -> bool:
    """Tell that no setting makes this protocol need a schema registry."""
    del values
    return False


class StoredFile(Protocol):
    """A file that a message names instead of carrying its content."""

    @property
    def name(self) -> str:
        """Return its name in the storage."""
        ...

    @property
    def content(self) -> bytes:
        """Return what it holds."""
        ...


@runtime_checkable
class StoresOutside(Protocol):
    """A bound codec whose messages may leave out what is stored beside the topics."""

    @property
    def large(self) -> str:
        """Return what becomes of a row that is too large: `none`, `claim-check`, ..."""
        ...

    @property
    def claim_checks(self) -> Sequence[StoredFile]:
        """Return the files that the records encoded so far name."""
        ...

    def reading(self, load: Load) -> BoundCodec:
        """Return the bound codec with stored files read through `load`."""
        ...


@runtime_checkable
class WritesByZone(Protocol):
    """A bound codec whose messages have moments by a server's clock, without naming its zone."""

    def in_zone(self, zone_of: OtherZone) -> BoundCodec:
        """Return the bound codec reading moments by the zone that takes the place of its own."""
        ...


@dataclass(frozen=True, slots=True)
class Codec:
    """Source events to bytes and back: the dialects (the default first), and how to bind one.

    `needs_registry` says for settings whether the records name schemas by id.
    """

    dialects: tuple[str, ...]
    bind: Bind
    needs_registry: Callable[[Settings], bool] = no_registry


class Child(Protocol):
    """A consumer that was started, as a process or in a container."""

    @property
    def pid(self) -> int:
        """Return its process id on this machine."""
        ...

    def poll(self) -> int | None:
        """Return the exit status as `subprocess` does (-9 for SIGKILL), None while it runs."""
        ...

    def wait(self, timeout_s: float, /) -> int:
        """Return the exit status; raises TimeoutError when it still runs after the timeout."""
        ...

    def signal(self, signum: int, /) -> None:
        """Send a signal to all of it; nothing happens when it has ended."""
        ...

    def stop(self, grace_s: float, /) -> int:
        """End it, with SIGKILL after the grace period, and leave nothing behind."""
        ...


class Listener(Protocol):
    """Takes the events of a run: a console, a file, a test."""

    def handle(self, event: Event) -> None:
        """Take one event; must not raise for what the event says."""
        ...


class ReportWriter(Listener, Protocol):
    """A report: a listener that writes at the end."""

    def close(self) -> None:
        """Write what is left; the file itself is the caller's."""
        ...
