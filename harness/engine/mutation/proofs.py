"""Which clauses are proved: a mutant that names the clause is detected by a scenario citing it.

To know it, mutants run. The outcome is remembered in `.harness/proofs.json` by the content of the
scenarios, their goldens and the harness: while none of them changes, nothing runs again.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import msgspec

from harness.engine.catalogue import sound
from harness.engine.catalogue.citing import covering_cases
from harness.engine.catalogue.parallel import cores
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import RUNS, Workspace, runs
from harness.engine.mutation.matrix import MutantOutcome
from harness.engine.mutation.producers import ProducersRun, run_producers, unsound_scenarios
from harness.engine.mutation.run import MutationOptions, MutationRun, run_mutants
from harness.mutants.producers.table import PRODUCERS
from harness.mutants.table import MUTANTS
from harness.scenario.expand import Case
from harness.scenario.files import real

# Clause -> the mutants that prove it, each with the case that detects it.
Proofs = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What all mutants proved, and the digest of what they were run over."""

    digest: str
    proofs: dict[str, dict[str, str]]


def proofs(space: Workspace, cases: Sequence[Case]) -> Proofs:
    """Return what all cases of a catalogue prove, as remembered, else by running the mutants.

    No thread may run when this is called.
    """
    digest = _digest(space)
    remembered = _read(space)
    if digest and remembered.digest == digest:
        return remembered.proofs
    unsound = unsound_scenarios(space, cases, cores())
    mutants = tuple(PRODUCERS.values())
    producers = run_producers(space, mutants, cases, cores(), unsound=unsound)
    # Claims are enough: a scenario cites the clause of each mutant that it claims.
    asked = MutationOptions(sample=0, processes=cores())
    fair = [case for case in cases if case.scenario.id not in unsound]
    consumers = run_mutants(partial(planned_only, space, expectations=False), fair, asked)
    return keep(space, cases, producers, consumers)


def keep(
    space: Workspace, cases: Iterable[Case], producers: ProducersRun, consumers: MutationRun
) -> Proofs:
    """Return what a run of all mutants over the whole catalogue proves, and remember it."""
    found: dict[str, dict[str, str]] = {}
    for result in producers.results:
        for one in result.detections:
            found.setdefault(one.clause, {})[result.mutant] = one.case
    for clause, mutant, case in _by_consumers(cases, consumers):
        found.setdefault(clause, {}).setdefault(mutant, case)
    digest = _digest(space)
    if digest and not producers.unsound and real(space.scenarios).is_relative_to(real(space.here)):
        with suppress(OSError):
            store = runs(space.here) / _store(space).name
            scratch = store.with_suffix(f".{secrets.token_hex(4)}")
            scratch.write_bytes(msgspec.json.encode(_Remembered(digest, found)))
            scratch.replace(store)
    return found


def _by_consumers(cases: Iterable[Case], consumers: MutationRun) -> Iterator[tuple[str, str, str]]:
    """Yield clause, mutant and case of each wrong consumer that a citing scenario detects.

    Of a mutant that violates one of several clauses, the finding says which.
    """
    citing = {
        clause: {case.scenario.id for case in those}
        for clause, those in covering_cases(cases).items()
    }
    for result in consumers.results:
        clauses = MUTANTS[result.mutant].clauses(result.protocol)
        for one in result.evaluations:
            if one.outcome is not MutantOutcome.DETECTED or one.finding is None:
                continue
            named = clauses if len(clauses) == 1 else {one.finding.clause}.intersection(clauses)
            for clause in named:
                if one.scenario in citing.get(clause, ()):
                    yield clause, result.mutant, one.case


def _digest(space: Workspace) -> str:
    """Return a digest of all that decides; empty where something cannot be read."""
    files = sound.files(space)
    if not files:
        return ""
    each = sound.digests(space, files)
    if len(each) != len(files):
        return ""
    return sha256(
        "\n".join(f"{name} {digest}" for name, digest in each.items()).encode()
    ).hexdigest()


def _read(space: Workspace) -> _Remembered:
    """Return what is remembered here, nothing where that cannot be read."""
    try:
        return msgspec.json.decode(_store(space).read_bytes(), type=_Remembered)
    except (OSError, msgspec.DecodeError):
        return _Remembered("", {})


def _store(space: Workspace) -> Path:
    return space.here / RUNS / "proofs.json"
