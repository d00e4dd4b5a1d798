"""What a list of known failures names, held against the catalogue: no entry may excuse by mistake.

A word that no case has, or a clause that does not exist, would cover nothing, or what nobody
meant. So each word is looked up, and a pattern that is more than a list of whole ids has to say
which finding it means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from harness.documents.nearest import did_you_mean, nearest
from harness.errors import Location, Problem
from harness.model.finding import FindingKind
from harness.protocols.clauses import CLAUSES
from harness.runner.manifests.files import Excused, KnownFailure
from harness.scenario.select import is_list, words

# The same case may be laid over any number of partitions: `[open,p2]` is known by `[open,p1]`.
PARTITIONS = re.compile(r"\bp[0-9]+(?=[],])")
# What looks like a kind of finding or a clause, and not like words of a message.
IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)+")
LIKENESS = 0.8
# Cases of level live are named by a person's own tables, which only a run of that level knows.
LIVE = "live."

Words = tuple[str, ...]


def _no_more() -> Sequence[Words]:
    return ()


@dataclass(frozen=True)
class NamedCases:
    """The cases that a list may name, by their words, the id first.

    `more` returns further cases: it is asked only for a word that none of `cases` has.
    """

    cases: Sequence[Words]
    more: Callable[[], Sequence[Words]] = field(default=_no_more)

    @cached_property
    def _parts(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the ids and all words of the cases that are at hand."""
        return _plain(case[0] for case in self.cases), _plain(w for c in self.cases for w in c)

    @cached_property
    def _all(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the ids and all words of every case."""
        ids, words = self._parts
        more = self.more()
        return ids | _plain(case[0] for case in more), words | _plain(w for c in more for w in c)

    def has(self, word: str) -> bool:
        """Return whether any case has a word that this one is part of."""
        (plain,) = _plain([word])
        return plain.startswith(LIVE) or any(
            plain in one for _, words in self._steps() for one in words
        )

    def is_id(self, word: str) -> bool:
        """Return whether a word is the whole id of a case."""
        (plain,) = _plain([word])
        return plain.startswith(LIVE) or any(plain in ids for ids, _ in self._steps())

    def meant(self, word: str) -> str:
        """Return "did you mean", by the ids of scenarios and cases and the tags."""
        words = self._all[1]
        word = word.removesuffix("[")
        known = words if "[" in word else {one.partition("[")[0] for one in words}
        return did_you_mean(word, sorted(known))

    def _steps(self) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
        yield self._parts
        yield self._all


def _plain(words: Iterable[str]) -> frozenset[str]:
    return frozenset(PARTITIONS.sub("p1", word.lower()) for word in words)


def unknown(
    row: KnownFailure, place: Callable[[str], Location], catalogue: NamedCases
) -> Iterator[Problem]:
    """Yield a problem for each thing that an entry names and that does not exist."""
    named = words(row.cases)
    absent = [word for word in named if not catalogue.has(word)]
    for word in absent:
        yield Problem(
            place("cases"),
            f"no case has {word!r} in its id or a tag",
            "the id of a case or scenario, or a tag",
            catalogue.meant(word) or "`harness list` shows the cases",
        )
    whole = is_list(row.cases) and all(catalogue.is_id(word) for word in named)
    if not row.finding and not whole and not absent:
        yield Problem(
            place("cases"),
            "the pattern may cover several cases, and no `finding` says how they fail",
            "`finding`: words of the finding that is known",
            "or name each case by its whole id, joined by `or`",
        )
    yield from _unknown_finding(row, place)


def _unknown_finding(row: KnownFailure, place: Callable[[str], Location]) -> Iterator[Problem]:
    """Yield a problem where `finding` is nearly the name of a kind or a clause, and is none."""
    words = row.finding.lower()
    if row.verdict != Excused.FAIL or not IDENTIFIER.fullmatch(words):
        return
    kinds = [kind.value for kind in FindingKind]
    if any(words in name for name in (*kinds, *CLAUSES)):
        return
    close = nearest(words, (*kinds, *CLAUSES), LIKENESS)
    if close is not None:
        noun = "kind of finding" if close in kinds else "clause"
        yield Problem(
            place("finding"),
            f"there is no {noun} {row.finding!r}",
            "a kind, a clause, or words of a finding's message",
            f"did you mean `{close}`?",
        )
