"""Known failures: which cases a consumer is expected to fail, why, and until when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from harness.documents.typed import read_yaml
from harness.documents.yaml_file import YamlFile
from harness.errors import Location, Problem, ScenarioError, UsageError
from harness.model.finding import Judgement
from harness.runner.manifests.files import ExpectationsFile, KnownFailure
from harness.runner.manifests.named import NamedCases, unknown
from harness.scenario.select import matcher


@dataclass(frozen=True, slots=True)
class Known:
    """One known failure. `covers` says whether a case with these words is meant.

    `finding` is "" or words that a finding holds; `verdict` is what such a case comes to; `place`
    is where the file says it. `cases` is the pattern as written, `expires` the day
    from which it holds no more.
    """

    covers: Callable[[Sequence[str]], bool]
    finding: str
    reason: str
    link: str
    place: Location
    verdict: Judgement = Judgement.FAIL
    cases: str = ""
    expires: str = ""


def read_expectations(
    path: Path, shown: str, version: str, today: date, catalogue: NamedCases | None = None
) -> tuple[Known, ...]:
    """Return the known failures that hold for a consumer's version on a day.

    What has expired, or is of other versions, is left out. ScenarioError has every problem of the
    file: a pattern or a version specifier that cannot be read, a day that is none, a name that the
    catalogue does not have. Without a catalogue names are not looked up.
    """
    file, document = read_yaml(path, shown, ExpectationsFile)
    problems: list[Problem] = []
    found: list[Known] = []
    for number, row in enumerate(document.known):
        place = partial(_place, file, number)
        holds = _holds(row, place, version, today, problems)
        covers = _covers(row, place, problems)
        if covers is not None and catalogue is not None:
            problems += unknown(row, place, catalogue)
        if holds and covers is not None:
            verdict = Judgement(row.verdict)
            said = (row.finding, row.reason, row.link, place(), verdict)
            found.append(Known(covers, *said, row.cases, row.expires))
    if problems:
        raise ScenarioError(tuple(problems))
    return tuple(found)


def _place(file: YamlFile, number: int, *key: str) -> Location:
    return file.place(("known", number, *key))


def _covers(
    row: KnownFailure, place: Callable[..., Location], problems: list[Problem]
) -> Callable[[Sequence[str]], bool] | None:
    try:
        return matcher(row.cases)
    except UsageError as error:
        problems.append(Problem(place("cases"), error.what, error.expected, error.hint))
        return None


def _holds(
    row: KnownFailure,
    place: Callable[..., Location],
    version: str,
    today: date,
    problems: list[Problem],
) -> bool:
    """Return whether a known failure is meant for this version today."""

    def refuse(key: str, what: str, expected: str) -> bool:
        problems.append(Problem(place(key), what, expected))
        return False

    try:
        expires = date.fromisoformat(row.expires)
    except ValueError:
        return refuse("expires", f"{row.expires} is not a date", 'a date such as "2027-01-31"')
    if not row.versions:
        return today < expires
    try:
        specifier = SpecifierSet(row.versions)
    except InvalidSpecifier:
        return refuse("versions", f"{row.versions!r} is not a version specifier", 'such as "<2.1"')
    try:
        return today < expires and specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return refuse(
            "versions",
            f"the consumer's version {version!r} cannot be compared",
            "a manifest whose `version` is like 2.1.0",
        )
