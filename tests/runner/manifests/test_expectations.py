"""Known failures hold for their cases, versions and time, and for nothing else."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.runner.manifests.expectations import Known, read_expectations

TODAY = date(2026, 6, 1)
ROW = "  - cases: {cases}\n    reason: It rounds.\n    link: https://example.org/1\n"
WORDS = ("keys.pk-chain[open,p1]", "slow", "open.row.insert")


def read(
    directory: Path, *, cases: str = "keys", more: str, version: str = ""
) -> tuple[Known, ...]:
    """Return what one known failure says on the day."""
    path = directory / "known.yaml"
    text = "expectations: 1\nknown:\n" + ROW.format(cases=cases) + more
    path.write_text(text)
    return read_expectations(path, "known.yaml", version, TODAY)


FUTURE = '    expires: "2026-06-02"\n'


@pytest.mark.parametrize(
    ("cases", "covered"),
    [
        ("keys", True),
        ("keys.pk-chain[open,p1]", True),
        ("keys.pk-chain[open,p2]", False),
        ("keys and not slow", False),
        ("types or keys", True),
    ],
)
def test_cases_are_named_as_on_the_command_line(
    tmp_path: Path, cases: str, *, covered: bool
) -> None:
    """A pattern means what `-k` means."""
    (known,) = read(tmp_path, cases=f'"{cases}"', more=FUTURE)
    assert known.covers(WORDS) == covered


def test_what_has_expired_is_a_failure_again(tmp_path: Path) -> None:
    """On its day and after it a known failure is known no more."""
    assert len(read(tmp_path, more=FUTURE)) == 1
    assert read(tmp_path, more='    expires: "2026-06-01"\n') == ()


@pytest.mark.parametrize(("version", "holds"), [("2.0.9", True), ("2.1.0", False)])
def test_versions_bound_it(tmp_path: Path, version: str, *, holds: bool) -> None:
    """A failure that is repaired in a version is not excused there."""
    found = read(tmp_path, more=FUTURE + '    versions: "<2.1"\n', version=version)
    assert bool(found) == holds


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('    expires: "2026-13-01"\n', "2026-13-01 is not a date"),
        (FUTURE + '    versions: "soon"\n', "'soon' is not a version specifier"),
        (FUTURE + '    versions: "<2"\n', "cannot be compared"),
        ("", "expires"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(tmp_path: Path, more: str, words: str) -> None:
    """No list of excuses is half understood."""
    with pytest.raises(ScenarioError) as refusal:
        read(tmp_path, more=more)
    (problem,) = refusal.value.problems
    assert problem.location.path == "known.yaml"
    assert problem.location.line >= 3
    assert words in str(problem)


def test_a_pattern_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A pattern with a word missing is told with its line."""
    with pytest.raises(ScenarioError, match=r"known\.yaml:3"):
        read(tmp_path, cases='"keys and"', more=FUTURE)
