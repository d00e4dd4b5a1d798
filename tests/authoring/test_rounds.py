"""What each round runs, when the next one starts, and how a session ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.authoring.rounds import WAITING, Names, Paths, Round, Rounds, still_failing, to_run

HERE = Path("/teas")
CODE, LOG = HERE / "consumer.py", HERE / "consumer.log"
ALL = ("a", "b", "c")


@dataclass
class FakeSaves:
    """What is saved during each round, and what while nothing runs; then Ctrl-C."""

    during: list[set[Path]]
    idle: list[set[Path]] = field(default_factory=list)

    def so_far(self) -> Paths:
        """Return what was saved during the round that has just ended."""
        return frozenset(self.during.pop(0) if self.during else ())

    def wait(self) -> Paths:
        """Return the next save; Ctrl-C after the last."""
        if not self.idle:
            raise KeyboardInterrupt
        return frozenset(self.idle.pop(0))


@dataclass
class FakeRuns:
    """Rounds whose failures are known beforehand."""

    failures: Sequence[set[str]]
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, failing: Names) -> Round:
        """Run a round."""
        cases = to_run(ALL, failing)
        failed = self.failures[len(self.ran)] & set(cases)
        self.ran.append(cases)
        return Round(1 if failed else 0, frozenset(cases), frozenset(failed))


def session(saves: FakeSaves, runs: FakeRuns) -> tuple[int, list[str]]:
    """Run a session to its end; return its exit code and its lines."""
    lines: list[str] = []
    return Rounds(saves, runs, lines.append, HERE).go_on(), lines


def test_a_save_runs_what_fails_and_all_where_nothing_does() -> None:
    """After findings a round is about those cases alone; after none about the whole selection."""
    runs = FakeRuns([{"a", "c"}, {"c"}, set(), set()])
    code, lines = session(FakeSaves([], [{CODE}] * 3), runs)
    assert runs.ran == [ALL, ("a", "c"), ("c",), ALL]
    assert code == 0
    assert lines == [*[WAITING, "changed: consumer.py"] * 3, WAITING]


def test_the_exit_code_is_that_of_the_last_round() -> None:
    """Ctrl-C ends a session with what the last round came to."""
    assert session(FakeSaves([], [{CODE}]), FakeRuns([{"a"}, {"a"}]))[0] == 1
    assert session(FakeSaves([], [{CODE}]), FakeRuns([{"a"}, set()]))[0] == 0


def test_an_interrupt_before_the_first_verdict_is_one() -> None:
    """A session that came to nothing has no exit code of its own."""

    def interrupted(_: Names) -> Round:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Rounds(FakeSaves([]), interrupted, print).go_on()


def test_a_save_during_a_round_starts_the_next_one_at_once() -> None:
    """Nothing that was saved while the consumer ran is lost, and nobody has to save it again."""
    runs = FakeRuns([{"a"}, set()])
    _, lines = session(FakeSaves([{CODE}]), runs)
    assert runs.ran == [ALL, ("a",)]
    assert lines == ["changed: consumer.py", WAITING]


def test_what_the_consumer_writes_itself_starts_no_endless_rounds() -> None:
    """A file that changes during two rounds on end is waited for again."""
    runs = FakeRuns([set()] * 4)
    _, lines = session(FakeSaves([{LOG}, {LOG}, {LOG}, {LOG}], [{CODE}]), runs)
    assert len(runs.ran) == 4
    assert lines.count("consumer.log changed again while the consumer ran: not run") == 2
    assert lines.count("changed: consumer.py") == 1


def test_a_case_that_was_not_tried_is_as_it_was() -> None:
    """A round that stops at its first finding, or at a user's mistake, forgets no failure."""
    before = frozenset({"a", "b"})
    assert still_failing(before, Round(1, frozenset({"a"}), frozenset({"a"}))) == before
    assert still_failing(before, Round(2)) == before
    assert still_failing(before, Round(0, frozenset({"a"}))) == {"b"}


def test_failures_that_are_no_cases_any_more_leave_the_whole_selection() -> None:
    """A renamed scenario does not leave a round without cases."""
    assert to_run(ALL, frozenset({"gone"})) == ALL
    assert to_run(ALL, frozenset({"gone", "b"})) == ("b",)


def test_many_saved_files_are_a_short_line() -> None:
    """A build that writes hundreds of files does not fill the screen."""
    names = {HERE / f"{number}.class" for number in range(9)} | {Path("/else/where")}
    _, lines = session(FakeSaves([names]), FakeRuns([set(), set()]))
    assert lines[0] == "changed: /else/where, 0.class, 1.class and 7 more"
