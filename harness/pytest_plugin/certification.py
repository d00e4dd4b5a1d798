"""Certify a consumer from within a test: a target, or a Python function that takes the job.

A function runs as `py:` does, in a process of its own, so it must be one that a fresh Python
can import by name; what cannot be imported is refused with the reason.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import HarnessError, UsageError, plural

if TYPE_CHECKING:  # for types only: these modules bring the engine
    from harness.engine.catalogue.workspace import Workspace
    from harness.model.finding import Verdict
    from harness.pytest_plugin.session import HarnessSession
    from harness.runner.manifest import Consumer
    from harness.scenario.expand import Case

Function = Callable[[dict[str, Any]], object]


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """What became of a consumer; `verdicts` in the order of the cases.

    `explanation` has the lines of every case that is a finding, as `harness certify` prints them.
    """

    consumer: str
    verdicts: tuple[Verdict, ...]
    explanation: str

    @property
    def passed(self) -> bool:
        """Return whether every applicable case passed, and at least one was applicable."""
        judgements = {verdict.judgement.value for verdict in self.verdicts}
        return judgements - {"not-applicable", "beyond"} == {"pass"}

    @property
    def headline(self) -> str:
        """Return passed, applicable and total as `harness certify` prints them."""
        judgements = [one.judgement.value for one in self.verdicts if one.apart is None]
        applicable = len(judgements) - judgements.count("not-applicable")
        return (
            f"passed {judgements.count('pass')} / applicable {applicable} / total {len(judgements)}"
        )

    def __str__(self) -> str:
        """Return headline and findings: `assert result.passed, str(result)` shows all."""
        return f"{self.consumer} {self.headline}\n{self.explanation}".rstrip()

    def __repr__(self) -> str:
        """Return the headline: pytest shows what an assertion is about in a line."""
        return f"<{self.consumer} {self.headline}>"

    def assert_passed(self) -> None:
        """Fail the test with the findings, unless every applicable case passed."""
        __tracebackhide__ = True
        if not self.passed:
            pytest.fail(str(self), pytrace=False)


class Certify:
    """The `certify` fixture: call it, and ask the result."""

    def __init__(self, session: HarnessSession) -> None:
        """Take the session, which has services to share and a default deadline."""
        self._session = session

    def __call__(
        self,
        target: str | Function,
        scenarios: str | None = None,
        *,
        protocol: str | None = None,
        deadline: float | None = None,
        root: Path | None = None,
        beyond: bool | None = None,
    ) -> Result:
        """Certify a consumer over the cases that an expression such as `-k` takes selects.

        `scenarios` None means all, `protocol` those of one alone. `root` is the
        scenarios' directory: ./scenarios below pytest's root directory, else the harness's own.
        `deadline` in seconds is for each start. `beyond` says whether cases count that nobody
        promises, as `--harness-beyond` does for the session. Mistakes fail the test with a
        sentence, without a traceback.
        """
        __tracebackhide__ = True
        try:
            cases = self._cases(scenarios, protocol, root)
            return self._result(target, cases, deadline, counts_beyond=beyond)
        except HarnessError as error:
            pytest.fail(str(error), pytrace=False)

    def _cases(
        self, scenarios: str | None, protocol: str | None, root: Path | None
    ) -> tuple[Workspace, tuple[Case, ...]]:
        from harness.engine.catalogue.choose import load, selected
        from harness.engine.catalogue.workspace import workspace

        space = workspace(self._session.options.root, root)
        cases = selected(load(space), scenarios)
        if protocol is None:
            return space, cases
        chosen = tuple(case for case in cases if case.protocol == protocol)
        if not chosen:
            spoken = ", ".join(sorted({case.protocol for case in cases}))
            raise UsageError(
                f"none of {plural(len(cases), 'case')} is of the protocol {protocol!r}",
                expected=f"protocol={spoken}",
            )
        return space, chosen

    def _result(
        self,
        target: str | Function,
        chosen: tuple[Workspace, tuple[Case, ...]],
        deadline: float | None,
        *,
        counts_beyond: bool | None,
    ) -> Result:
        from harness.model.finding import FINDINGS
        from harness.pytest_plugin.pack import Order
        from harness.report.finding_text import case_lines

        session = self._session
        space, cases = chosen
        consumer = self._consumer(target)
        options = session.options
        deadline_s = deadline or options.deadline_s
        beyond = options.counts_beyond if counts_beyond is None else counts_beyond
        order = Order(options, session.services, consumer, deadline_s, beyond)
        declined_by_case = {case.id: order.declined(case) for case in cases}
        applicable = [case for case in cases if declined_by_case[case.id] is None]
        finished = order.run(space, applicable) if applicable else {}
        events = [finished[case.id] for case in applicable]
        wrong = [event for event in events if event.verdict.judgement in FINDINGS]
        logs = ("", *(event.log for event in wrong))
        pairs = zip(wrong, logs, strict=False)
        lines = [line for event, shown in pairs for line in ("", *case_lines(event, shown))]
        verdicts = tuple(declined_by_case[case.id] or finished[case.id].verdict for case in cases)
        return Result(consumer.name, verdicts, "\n".join(lines))

    def _consumer(self, target: str | Function) -> Consumer:
        from harness.runner.commands import Whereabouts
        from harness.runner.targets import parse

        options = self._session.options
        given = os.environ.get("PYTHONPATH", "")
        path = os.pathsep.join([*map(str, options.python_path), *([given] if given else [])])
        environment = {**os.environ, "PYTHONPATH": path}
        if isinstance(target, str):
            return parse(target, Whereabouts(options.root, environment))
        directory, words = importable(target)
        return parse(f"py:{words}", Whereabouts(directory, environment))


def importable(function: Function) -> tuple[Path, str]:
    """Return a directory, and `module:name` by which a Python that looks there finds a function.

    Raises UsageError for a function that has no such name.
    """
    name = getattr(function, "__qualname__", "")
    module = getattr(function, "__module__", "")
    hint = "move it to the top of a module, and give it all it needs there"
    if not name.isidentifier() or not module or module == "__main__":
        raise UsageError(
            f"{function!r} cannot be imported by another process",
            expected="a function at the top level of a module, or a target such as py:pkg.mod:fn",
            hint=hint,
        )
    try:
        file = Path(inspect.getfile(function)).resolve()
    except TypeError:
        raise UsageError(f"{function!r} is not a Python function", hint=hint) from None
    parts = module.split(".")
    places = [file.parent if file.name == "__init__.py" else file.with_suffix("")]
    if tuple(parts) != places[0].parts[-len(parts) :]:
        raise UsageError(
            f"{file} is not where a module {module} would be found",
            expected="a module that is imported under its own name",
            hint="under pytest, `--import-mode=importlib` or a package around the tests helps",
        )
    return places[0].parents[len(parts) - 1], f"{module}:{name}"
