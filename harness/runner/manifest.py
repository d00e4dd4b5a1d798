"""What the harness knows of a consumer before it starts one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Protocol

import msgspec

from harness.contracts import Child
from harness.documents.typed import key
from harness.model.level import Level
from harness.protocols import PROTOCOLS
from harness.runner.attach import Attach
from harness.runner.result import IN_FILES, Result
from harness.runner.sandbox import Sandbox
from harness.verdict.design import AS_EXPECTED, Design

ProtocolName = Annotated[str, key("a protocol", enum=list(PROTOCOLS))]
NOTHING: Mapping[str, str] = MappingProxyType({})


class Guarantee(StrEnum):
    """What a consumer promises of its tables after duplicates and restarts."""

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"


class Capability(StrEnum):
    """What a consumer may declare beyond the contract; a delivery that needs it names it."""

    COMMITS = "commits"
    GROWING_TOPICS = "growing-topics"
    INSTANCES = "instances"
    JOBS = "jobs"
    LOST_DATA = "lost-data"


class CrashPoint(StrEnum):
    """Crash points with a meaning of ours; a consumer may declare others besides."""

    RECORD = "record"
    COMMIT = "commit"
    WRITE = "write"


class Lossy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Column types that a consumer keeps with a loss, by their names; protocols None means all."""

    types: Annotated[
        tuple[Annotated[str, key("a column type")], ...],
        key(
            "a list of column types",
            "Column types as `job.json` names them, such as `timestamp`.",
            minItems=1,
            uniqueItems=True,
        ),
    ]
    reason: Annotated[str, key("a reason", "What is lost, in a sentence.", minLength=1)]
    protocols: Annotated[
        tuple[ProtocolName, ...] | None,
        key(
            "a list of protocols",
            "The protocols that it is so for; without the key all.",
            minItems=1,
        ),
    ] = None

    def covers(self, protocol: str, kind: str) -> bool:
        """Return whether a wrong value of such a column is owned up to."""
        return kind in self.types and (self.protocols is None or protocol in self.protocols)


class Launcher(Protocol):
    """Starts a consumer in its own way."""

    def __call__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Child:
        """Start the command in a directory, with all of its environment."""
        ...


@dataclass(frozen=True, slots=True)
class Consumer:
    """A command with what it declares of itself.

    `argv` is ready to run in any directory. `protocols` None means that it declares none, so it is
    asked about all and may answer `not-applicable`. `max_starts` of it run at once, None for as
    many as the run likes. `environment` is added to the scoped one.
    `unusable_code` is the exit code by which a wrapper of ours says that what the user named could
    not even be loaded; that is the user's mistake, not a finding. `crash_points` are the names
    that `HARNESS_CRASHPOINT` may hold. `target` is the word by which a command line names it, the
    name itself when empty; `image` is that of a container to be run in the place of the command, ""
    for none; `expectations` is the path of its known failures, "" for none. `result`
    says where its tables are when it has ended. `attach` is a system that runs already, in the
    place of a command. `levels` are those that it claims, None for a consumer that claims nothing.
    `design` is how it is built where several ways are right. `launcher` starts it in the place of a
    process of ours, None for the usual way; `sandbox` is what it runs in, None for none.
    """

    name: str
    argv: tuple[str, ...]
    protocols: frozenset[str] | None = None
    max_changefeeds: int = 1
    max_starts: int | None = None
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    environment: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    unusable_code: int | None = None
    capabilities: frozenset[str] = frozenset()
    crash_points: frozenset[str] = frozenset()
    version: str = ""
    homepage: str = ""
    lossy: tuple[Lossy, ...] = ()
    target: str = ""
    image: str = ""
    expectations: str = ""
    result: Result = IN_FILES
    attach: Attach | None = None
    levels: frozenset[Level] | None = None
    design: Design = AS_EXPECTED
    launcher: Launcher | None = None
    sandbox: Sandbox | None = None

    def supports(self, protocol: str) -> bool:
        """Return whether the consumer is to be asked about a protocol."""
        return self.protocols is None or protocol in self.protocols
