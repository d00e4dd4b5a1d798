"""What pytest sees: a scenario file as a collector, each of its cases as an item.

A case reports; it does not run. The pack that it belongs to runs once, in the setup of whichever
of its cases comes first (`pack`), so what a pack costs is that setup's duration.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.pytest_plugin.answer import CHOSEN, OUTCOMES, Answer, Chosen, Stopped
from harness.pytest_plugin.session import APART, EXIT, VERDICT, harness_session
from harness.scenario.expand import Case, cases
from harness.scenario.load import load_all
from harness.scenario.standing import case_standing

# Words that mean something else to pytest or to this plugin: as a tag they stay words for `-k`.
RESERVED = frozenset(
    {"filterwarnings", "harness", "parametrize", "skip", "skipif", "usefixtures", "xfail"}
)


class CaseFailed(Exception):  # noqa: N818 - a finding, reported to pytest as an exception
    """A consumer failed a case; `headline` is for the summary's one line."""

    def __init__(self, answer: Answer) -> None:
        """Take what the pack answered."""
        super().__init__(answer.text)
        self.headline = f"{answer.judgement}: {answer.headline}"


class ScenarioFile(pytest.File):
    """A scenario file; `root` is the directory that ids count from."""

    def __init__(self, *, root: Path, **node: Any) -> None:  # noqa: ANN401 - pytest's own
        """Take the root beside what pytest gives a file."""
        super().__init__(**node)
        self.root = root

    def collect(self) -> Iterator[CaseItem]:
        """Yield the cases; CollectError with every problem of the file, line and column."""
        try:
            scenarios = load_all(self.root, (self.path,))
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        for scenario in scenarios:
            for case in cases(scenario):
                name = case.id.removeprefix(scenario.id)
                yield CaseItem.from_parent(  # pyright: ignore[reportUnknownMemberType] - likewise
                    self, name=name, case=case, root=self.root
                )


class CaseItem(pytest.Item):
    """One case of a scenario."""

    def __init__(self, *, case: Case, root: Path, **node: Any) -> None:  # noqa: ANN401 - pytest's
        """Take the case; its id and tags are words for `-k`, its tags markers for `-m`."""
        super().__init__(**node)  # pyright: ignore[reportUnknownMemberType] - untyped in pytest
        self.case = case
        self.stash[CHOSEN] = Chosen(root, case)
        scenario = case.scenario
        self.extra_keyword_matches |= {case.id, *scenario.tags}
        self.add_marker("harness")
        for word in (f"protocol_{case.protocol}", *scenario.tags):
            if word not in RESERVED:
                self.config.addinivalue_line("markers", f"{word}: cases of scenarios, by tag")
                self.add_marker(word)
        self.user_properties += [("case", case.id), ("clauses", " ".join(scenario.clauses))]
        self.user_properties.append(("standing", case_standing(case).value))

    def setup(self) -> None:
        """Let the pack run unless it has; problems with files or environment end here."""
        try:
            answer = self._answer()
        except Stopped as error:
            stopped = error
        except Exception:  # a defect of ours would only repeat itself, case by case
            self.session.shouldstop = "harness: a defect of the harness, not of a consumer"
            raise
        else:
            self.user_properties.append((VERDICT, answer.judgement))
            if answer.apart:
                self.user_properties.append((APART, answer.apart))
            if OUTCOMES[answer.judgement] == "error":
                pytest.fail(answer.text, pytrace=False)
            return
        self.session.shouldstop = stopped.reason
        if stopped.reported:
            pytest.skip(stopped.reason)
        self.user_properties.append((EXIT, stopped.exit_code))
        pytest.fail(str(stopped), pytrace=False)

    def runtest(self) -> None:
        """Report the verdict."""
        answer = self._answer()
        outcome = OUTCOMES[answer.judgement]
        if outcome == "skipped":
            pytest.skip(f"{answer.judgement}: {answer.headline}")
        if outcome == "failed":
            raise CaseFailed(answer)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Show a finding as its lines: a traceback would be ours, not the consumer's."""
        if not isinstance(excinfo.value, CaseFailed):
            return super().repr_failure(excinfo)
        shown = excinfo.getrepr(style="value")
        if shown.reprcrash is not None:
            shown.reprcrash = dataclasses.replace(
                shown.reprcrash,
                path=str(self.path),
                lineno=self.case.scenario.expect.line,
                message=excinfo.value.headline,
            )
        return shown

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, line (from 0) of the expectation, and the case's id."""
        return self.path, self.case.scenario.expect.line - 1, self.case.id

    def _answer(self) -> Answer:
        return harness_session(self.config).answer(self.stash[CHOSEN])
