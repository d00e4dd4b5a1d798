"""Records are paced, topics' own files read, cases chosen: what comes before a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.deliver.kafka_file import read_properties
from harness.engine.deliver.sending import paced
from harness.engine.plan.one_case import disturbed_cases, one_each, spread
from harness.errors import ScenarioError, UsageError
from harness.model.record import Record
from harness.scenario.expand import Case
from tests.tree import ROOT

RECORDS = [Record("t", 0, None, b"%d" % number, ()) for number in range(10)]


class Time:
    """A clock that moves when somebody waits, or when it is told to."""

    def __init__(self) -> None:
        """Start at a hundred seconds."""
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.now += seconds


def test_a_rate_is_held() -> None:
    """Ten records at four a second take two seconds and a quarter, in their order."""
    time = Time()
    assert list(paced(RECORDS, 4, time.wait, time)) == RECORDS
    assert time.now == pytest.approx(102.25)


def test_a_stall_is_no_licence_for_a_flood() -> None:
    """After a stall of a minute at most one second's worth is made up for."""
    time = Time()
    stream = paced(RECORDS, 2, time.wait, time)
    next(stream)
    time.now += 60
    began = time.now
    assert len(list(stream)) == 9
    assert time.now - began >= 9 / 2 - 1.5


def cases(expression: str) -> tuple[Case, ...]:
    """Return cases of three of the repository's own scenarios."""
    named = ("dml.no-net-change", "keys.pk-chain", "batches.mixed-batch")
    return selected(load(workspace(ROOT), [Path(name) for name in named]), expression)


def test_the_undisturbed_case_is_meant() -> None:
    """Where only deliveries differ, the plain case is taken; a named delivery otherwise."""
    chosen = cases("'keys.pk-chain[open,p4'")
    assert [case.id for case in one_each(chosen)] == ["keys.pk-chain[open,p4]"]
    (named,) = one_each(chosen, "replayed")
    assert named.id == "keys.pk-chain[open,p4,replayed]"
    (alone,) = one_each([named])
    assert alone == named


def test_one_case_of_each_scenario() -> None:
    """Several scenarios give one case each, in their order."""
    chosen = cases("'keys.pk-chain[open,p1' or 'no-net-change[open,p1'")
    assert [case.scenario.id for case in one_each(chosen)] == [
        *("dml.no-net-change", "keys.pk-chain")
    ]


def test_a_choice_is_never_made_for_a_person() -> None:
    """Several cases are refused with words to choose one by; an unknown delivery with the names."""
    with pytest.raises(UsageError, match="a topic takes one stream") as caught:
        one_each(cases("keys.pk-chain"))
    assert "-k 'keys.pk-chain[open,p1]'" in caught.value.expected
    with pytest.raises(UsageError, match="no chosen case has the delivery 'nope'") as caught:
        one_each(cases("keys.pk-chain"), "nope")
    assert caught.value.expected == "one of plain, repeated, replayed, replayed-whole"


def test_partitions_choose_or_spread() -> None:
    """A number of the matrix chooses its case; any other lays the scenario over so many."""
    chosen = cases("'keys.pk-chain[open,p'")
    assert one_each(chosen, partitions=4)[0] in chosen
    (laid,) = one_each(chosen, partitions=7)
    assert (laid.id, laid.partitions) == ("keys.pk-chain[open,p7]", 7)
    (small,) = (case for case in cases("batches") if case.id.endswith("p1,replayed]"))
    assert spread(small, 2).id == small.id.replace("p1", "p2")


def test_disturbed_cases_are_asked_for_by_name() -> None:
    """Every delivery, or one; scenarios without any are told so."""
    chosen = cases("'keys.pk-chain[open,p1'")
    assert len(disturbed_cases(chosen, None)) == 3
    assert [case.delivery for case in disturbed_cases(chosen, "repeated")] == ["repeated"]
    with pytest.raises(UsageError, match="none of the 1 chosen cases has a delivery"):
        disturbed_cases([case for case in chosen if case.delivery is None], None)


def test_a_file_of_properties(tmp_path: Path) -> None:
    """Names and values as librdkafka has them; comments and blanks are nothing."""
    file = tmp_path / "client.properties"
    file.write_text(
        "# mine\n\nsecurity.protocol = SASL_SSL\nsasl.password=a=b # c\n! old\n", encoding="utf-8"
    )
    assert read_properties(file) == {
        "security.protocol": "SASL_SSL",
        "sasl.password": "a=b # c",
    }


def test_a_bad_file_of_properties(tmp_path: Path) -> None:
    """Every bad line is told with its number, and never with what may be a secret."""
    file = tmp_path / "client.properties"
    file.write_text("sasl.password hush\na=1\na=2\n=hush\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_properties(file)
    assert [problem.location.line for problem in caught.value.problems] == [1, 3, 4]
    assert "hush" not in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        read_properties(tmp_path / "nowhere")
