"""The names that can be explained, by kind, and which one a person means."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from harness.errors import UsageError
from harness.model.finding import FindingKind, Judgement
from harness.mutants.producers.table import PRODUCERS
from harness.mutants.table import MUTANTS
from harness.protocols.causes import CAUSES
from harness.protocols.clauses import CLAUSES
from harness.report.explain import case, clause, finding, mutant, setting
from harness.report.explain.catalogue import ScenarioCatalogue

CLOSE = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of name: which there are, and the lines that explain one."""

    names: Callable[[ScenarioCatalogue], Iterable[str]]
    lines: Callable[[ScenarioCatalogue, str], Iterator[str]]


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "clause": Kind(lambda _: CLAUSES, clause.clause_lines),
        "case": Kind(lambda catalogue: catalogue.cases, case.case_lines),
        "scenario": Kind(lambda catalogue: catalogue.scenarios, case.scenario_lines),
        "setting": Kind(lambda _: setting.setting_names(), setting.setting_lines),
        "finding": Kind(lambda _: FindingKind, finding.kind_lines),
        "verdict": Kind(lambda _: Judgement, finding.judgement_lines),
        "cause": Kind(lambda _: CAUSES, finding.cause_lines),
        "wrong consumer": Kind(lambda _: MUTANTS, mutant.mutant_lines),
        "wrong producer": Kind(lambda _: PRODUCERS, mutant.producer_lines),
    }
)


def explained(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a name, of each kind that has it; UsageError for an unknown one."""
    found = [kind for kind in KINDS.values() if name in set(kind.names(catalogue))]
    if not found:
        raise UsageError(
            f"nothing is called {name!r}",
            expected=f"the name of a {', '.join(KINDS)}",
            hint=_hint(catalogue, name),
        )
    for number, kind in enumerate(found):
        if number:
            yield ""
        yield from kind.lines(catalogue, name)


def all_names(catalogue: ScenarioCatalogue) -> tuple[str, ...]:
    """Return every name that can be explained, once."""
    return tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.names(catalogue)))


def _hint(catalogue: ScenarioCatalogue, name: str) -> str:
    """Return what may have been meant: names that hold the word, then those spelt alike."""
    every = all_names(catalogue)
    word = name.casefold()
    holding = sorted((one for one in every if word in one.casefold()), key=len)
    spelt = difflib.get_close_matches(name, every, n=CLOSE, cutoff=0.7)
    close = list(dict.fromkeys((*holding[:CLOSE], *spelt)))[:CLOSE]
    if close:
        return f"did you mean {', '.join(f'`{one}`' for one in close)}?"
    spoken = [one.id for one in CLAUSES.values() if word in one.text.casefold()][:CLOSE]
    if spoken:
        return f"clauses that speak of it: {', '.join(f'`{one}`' for one in spoken)}"
    return "`harness list` shows scenarios and cases, `harness coverage` the clauses"
