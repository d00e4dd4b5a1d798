"""What a command line chooses: places, then protocols, clauses, words and what failed, in turn.

A choice that leaves nothing is a UsageError that says what would match.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.documents.nearest import did_you_mean, one_of
from harness.engine.catalogue.citing import cited
from harness.engine.catalogue.places import Place, places, words_in_brackets
from harness.engine.catalogue.workspace import BUNDLED, Workspace
from harness.errors import ScenarioError, UsageError, plural
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases, select, words_of
from harness.scenario.load import load_all
from harness.scenario.select import words

WORDS_SHOWN = 20
LIST = "`harness list` shows the cases"


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for; nothing is everything.

    `places` are PATHS, `expression` is that of `-k`; `failed` are cases that failed before, None
    where they do not matter.
    """

    places: tuple[str, ...] = ()
    expression: str | None = None
    protocols: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    failed: frozenset[str] | None = None

    @property
    def text(self) -> str:
        """Return it as words of a command line; empty for everything."""
        pairs = [
            ("-k", self.expression),
            *(("--protocol", one) for one in self.protocols),
            *(("--clause", one) for one in self.clauses),
        ]
        chosen = (word for option, value in pairs if value for word in (option, value))
        failed = () if self.failed is None else ("--last-failed",)
        return shlex.join((*self.places, *chosen, *failed))

    @property
    def options(self) -> tuple[str, ...]:
        """Return the names of the options that were given."""
        given = {
            "PATHS": self.places,
            "-k": self.expression,
            "--protocol": self.protocols,
            "--clause": self.clauses,
        }
        return tuple(option for option, value in given.items() if value)

    @property
    def is_whole(self) -> bool:
        """Tell whether everything is chosen."""
        return self == Selection()


def chosen(space: Workspace, selection: Selection) -> tuple[Case, ...]:
    """Return the cases that a selection means; UsageError where they are none."""
    try:
        there = places(space, selection.places)
        scenarios = load_all(space.scenarios, [file for place in there for file in place.files])
        return narrowed(_placed(scenarios, there), selection)
    except UsageError as error:
        if not space.hides_bundled or isinstance(error, ScenarioError):
            raise
        # Who has scenarios of their own, and means the package's, does not see why nothing matches.
        hidden = f"only {space.scenarios} was searched; --scenarios {BUNDLED} is the package's own"
        hint = f"{error.hint}; {hidden}" if error.hint else hidden
        raise UsageError(error.what, expected=error.expected, hint=hint) from None


def narrowed(those: Sequence[Case], selection: Selection) -> tuple[Case, ...]:
    """Return which of some cases a selection means, its places left aside."""
    if not those:
        raise UsageError("there are no cases", hint=LIST)
    if selection.protocols:
        those = _of_protocols(those, selection.protocols)
    if selection.clauses:
        those = _of_clauses(those, selection.clauses)
    if selection.expression:
        those = _of_expression(those, selection.expression)
    if selection.failed is not None:
        those = _of_failed(those, selection.failed)
    return tuple(those)


def _placed(scenarios: Iterable[Scenario], there: Sequence[Place]) -> Sequence[Case]:
    every = [case for scenario in scenarios for case in cases(scenario)]
    for place in there:
        _refuse_words(place, [case for case in every if case.scenario.path in place.names])
    alone = {place.text for place in there} & {case.id for case in every}
    return [
        case
        for case in every
        if not there
        or case.id in alone
        or any(place.text not in alone and place.holds(case) for place in there)
    ]


def _refuse_words(place: Place, those: Sequence[Case]) -> None:
    """Raise UsageError for words in brackets that no case of the place has."""
    if not place.words or any(place.holds(case) for case in those):
        return
    known = Counter(word for case in those for word in words_in_brackets(case))
    unknown = [w for w in place.words if not any(fnmatchcase(one, w) for one in known)]
    what = f"no case has {', '.join(f'`{w}`' for w in unknown)}" if unknown else "no case has all"
    meant = did_you_mean(unknown[0], known) if unknown else ""
    raise UsageError(
        f"{place.text!r} matches none of {_cases(those)}: {what}",
        expected=f"words of theirs: {_words_of_theirs(known)}",
        hint=meant or LIST,
    )


def _words_of_theirs(known: Iterable[str]) -> str:
    """Return some of the words, the names of profiles last: there may be fifty."""
    names = sorted(known, key=lambda word: (word.startswith("+"), word))
    more = len(names) - WORDS_SHOWN
    return ", ".join(names[:WORDS_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _of_protocols(those: Sequence[Case], protocols: Sequence[str]) -> Sequence[Case]:
    for name in protocols:
        if name not in PROTOCOLS:
            raise UsageError(
                f"--protocol {name!r}: there is no such protocol",
                expected=one_of(PROTOCOLS),
                hint=did_you_mean(name, PROTOCOLS),
            )
    found = [case for case in those if case.protocol in protocols]
    if not found:
        there = Counter(case.protocol for case in those)
        raise UsageError(
            f"--protocol {' '.join(protocols)} selects none of {_cases(those)}",
            expected=", ".join(f"{name} ({count})" for name, count in there.items()),
        )
    return found


def clauses_meant(texts: Iterable[str]) -> frozenset[str]:
    """Return the clauses of ids, patterns, or beginnings; UsageError where one has none."""
    meant: set[str] = set()
    for text in texts:
        found = {one for one in CLAUSES if _is_meant(one, text)}
        if not found:
            raise UsageError(
                f"--clause {text!r}: there is no such clause",
                expected="an id, the beginning of ids such as open.key, or a pattern",
                hint=did_you_mean(text, CLAUSES, cutoff=0.75) or "`harness coverage` shows all",
            )
        meant |= found
    return frozenset(meant)


def _is_meant(clause: str, text: str) -> bool:
    return clause.startswith(f"{text.removesuffix('.')}.") or fnmatchcase(clause, text)


def _of_clauses(those: Sequence[Case], texts: Sequence[str]) -> Sequence[Case]:
    meant = clauses_meant(texts)

    def covers(case: Case) -> bool:
        return any(c in meant and governs(CLAUSES[c], case.protocol) for c in cited(case))

    found = [case for case in those if covers(case)]
    if not found:
        raise UsageError(
            f"--clause {' '.join(texts)} selects none of {_cases(those)}",
            expected="a clause that one of them rests on",
            hint=f"`harness explain {min(meant)}` shows the scenarios that cover it",
        )
    return found


def _of_expression(those: Sequence[Case], expression: str) -> Sequence[Case]:
    found = select(those, expression)
    if found:
        return found
    known = sorted({part for case in those for part in _parts(case)})
    hints = [_better(word, those, known) for word in words(expression)]
    raise UsageError(
        f"-k {expression!r} selects none of {_cases(those)}",
        expected="words of ids and tags",
        hint="; ".join(dict.fromkeys(filter(None, hints))) or LIST,
    )


def _parts(case: Case) -> tuple[str, ...]:
    scenario = case.scenario
    return (scenario.id, *scenario.id.split("."), *words_in_brackets(case), *scenario.tags)


def _better(word: str, those: Sequence[Case], known: Sequence[str]) -> str:
    """Return what should stand for a word that is in no id and no tag; empty where one has it."""
    if any(word.lower() in text.lower() for case in those for text in words_of(case)):
        return ""
    if any(word in clause for clause in CLAUSES):
        return f"clauses are chosen by --clause {word}"
    close = did_you_mean(word, known)
    return f"`{word}` is in none of them{f', {close}' if close else ''}"


def _of_failed(those: Sequence[Case], failed: frozenset[str]) -> Sequence[Case]:
    found = [case for case in those if case.id in failed]
    if not found:
        raise UsageError(
            f"--last-failed selects none of {_cases(those)}",
            expected=f"one of {len(failed)} that failed: {', '.join(sorted(failed)[:3])}",
            hint="leave other choices out",
        )
    return found


def _cases(those: Sequence[Case]) -> str:
    return plural(len(those), "case")
