"""Under which conditions the verdicts of a run were reached: what certificates say besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Excuse:
    """A known failure that was in force: which cases, which finding, why, and until which day."""

    cases: str
    verdict: str
    finding: str
    reason: str
    link: str
    expires: str


@dataclass(frozen=True, slots=True)
class OwnedLoss:
    """Column types that the consumer declares to keep with a loss; no protocols means all."""

    types: tuple[str, ...]
    reason: str
    protocols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run was done with, in texts that hold no secret.

    `command` does it again. `commit` is that of the harness, "" where only its version is known;
    `catalogue` the sha256 over the chosen cases with their scenarios and locks. `machine` and
    `services` are versions by name. `options` are settings that were given; `declared` is what the
    consumer says of itself, by the manifest's keys. `strict` is "true" where no excuse was taken.
    `settings` has for each protocol what its cases set, such as `enable-tidb-extension = true`.
    """

    command: str
    commit: str = ""
    catalogue: str = ""
    seed: str = ""
    strict: str = ""
    machine: Mapping[str, str] = field(default_factory=dict[str, str])
    services: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    declared: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    losses: tuple[OwnedLoss, ...] = ()
    excuses: tuple[Excuse, ...] = ()
