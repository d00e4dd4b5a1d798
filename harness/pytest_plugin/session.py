"""One pytest session of the harness: what was asked for, its packs, its services, its last words.

Pytest holds an object of this class as a plugin of its own, and nothing is kept in modules.
Nothing of the engine is imported before a case was selected or a fixture asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import ExitCode, HarnessError, plural
from harness.pytest_plugin.options import PluginOptions

if TYPE_CHECKING:  # for types only: these modules bring the engine
    from harness.pytest_plugin.answer import Answer, Chosen
    from harness.pytest_plugin.shared import SharedServices
    from harness.pytest_plugin.shares import Shares

SESSION = "harness.session"
# Properties of a case's report; they travel from workers, and into JUnit files.
VERDICT, APART, EXIT = "verdict", "apart", "harness_exit"
# What the harness would exit with -> what pytest does (2 is taken: an interrupted session).
EXIT_CODES = {int(ExitCode.USAGE): 4, int(ExitCode.ENVIRONMENT): 3}


class HarnessSession:
    """The harness's part of a pytest session; one in each worker, and one that they report to."""

    def __init__(self, options: PluginOptions) -> None:
        """Take the options; nothing is started."""
        self.options = options
        self._chosen: Sequence[Chosen] = ()
        self._shares: Shares | None = None
        self._judged: Counter[str] = Counter()
        self._apart: Counter[str] = Counter()
        self._exit_code: int | None = None

    @cached_property
    def services(self) -> SharedServices:
        """Return the services that packs and fixtures of this process have in common."""
        from harness.pytest_plugin.shared import SharedServices

        return SharedServices(self.options)

    def answer(self, chosen: Chosen) -> Answer:
        """Return what the pack says of a case; Stopped when the run cannot go on."""
        assert self._shares is not None
        return self._shares.answer(chosen.key)

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out the cases of other protocols and clauses than were asked for, no other test."""
        if not (self.options.protocols or self.options.clauses):
            return
        from harness.engine.catalogue.selection import Selection, narrowed
        from harness.pytest_plugin.answer import CHOSEN

        asked = Selection(protocols=self.options.protocols, clauses=self.options.clauses)
        found = [item.stash[CHOSEN].case for item in items if CHOSEN in item.stash]
        try:
            kept = {id(case) for case in narrowed(found, asked)} if found else set[int]()
        except HarnessError as error:
            raise pytest.UsageError(str(error)) from None
        left = [i for i in items if CHOSEN in i.stash and id(i.stash[CHOSEN].case) not in kept]
        if left:
            config.hook.pytest_deselected(items=left)
            gone = set(map(id, left))
            items[:] = [item for item in items if id(item) not in gone]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn which cases are selected, and refuse a consumer that cannot run."""
        if not any(item.get_closest_marker("harness") for item in session.items):
            return
        from harness.pytest_plugin.answer import CHOSEN
        from harness.pytest_plugin.pack import consumer_of, run_pack
        from harness.pytest_plugin.shares import Shares, selection

        found = [item.stash[CHOSEN] for item in session.items if CHOSEN in item.stash]
        try:
            selected = selection(found)
            consumer_of(self.options, self.services)
        except HarnessError as error:
            raise pytest.UsageError(str(error)) from None
        self._chosen = tuple(selected.values())
        self._shares = Shares(
            selected, self.options, lambda share: run_pack(self.options, self.services, share)
        )

    def pytest_report_collectionfinish(self, config: pytest.Config) -> list[str]:
        """Say what will be packed, so that a person knows what the first case waits for."""
        if not self._chosen or config.option.collectonly:
            return []
        cases = plural(len(self._chosen), "case")
        return [f"harness: {cases} in one run of {self.options.consumer}"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Rewrite goldens, when that was asked for, before anything is held against them."""
        config = session.config
        if not (self.options.update_golden and self._chosen) or config.option.collectonly:
            return
        from harness.pytest_plugin.goldens import rewrite

        reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        for line in rewrite(self._chosen):
            reporter.write_line(line)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the verdicts, wherever they were reached."""
        if report.when != "teardown":
            return
        properties = dict(report.user_properties)
        if VERDICT in properties:
            self._judged[str(properties[VERDICT])] += 1
        if APART in properties:
            self._apart[str(properties[APART])] += 1
        if EXIT in properties:
            self._exit_code = int(str(properties[EXIT]))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:  # noqa: ANN401 - no public type
        """Print the headline, always all three numbers."""
        if not self._judged:
            return
        apart, consumer = self._apart, self.options.consumer
        if apart:
            numbers = f"passed {apart['pass']} / applicable {_applicable(apart)}"
            line = f"{numbers} / total {apart.total()}, not counted without --harness-beyond"
            terminalreporter.write_line(f"harness: {consumer} beyond: {line}")
        count = self._judged - Counter({"beyond": self._judged["beyond"]})
        terminalreporter.write_line(
            f"harness: {consumer} passed {count['pass']} / applicable {_applicable(count)} "
            f"/ total {count.total()}"
        )
        if self._certified_nothing:
            terminalreporter.write_line(
                "harness: nothing passed, so nothing is certified", red=True
            )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Stop the services, after all fixtures; let the exit code say whose fault it was."""
        if "services" in self.__dict__:
            self.services.close()
        if self._exit_code is not None:
            session.exitstatus = EXIT_CODES[self._exit_code]
        elif self._certified_nothing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = EXIT_CODES[ExitCode.USAGE]

    @property
    def _certified_nothing(self) -> bool:
        """Tell whether cases were judged and none passed: skipped and expected failures alone."""
        return bool(self._judged) and not self._judged["pass"]


def _applicable(count: Counter[str]) -> int:
    return count.total() - count["problem"] - count["not-applicable"]


def harness_session(config: pytest.Config) -> HarnessSession:
    """Return the session's own plugin."""
    plugin = config.pluginmanager.get_plugin(SESSION)
    assert isinstance(plugin, HarnessSession)
    return plugin
