"""What messages are too small for lies where the job says, and a reader finds it there."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from msgspec import to_builtins

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.deliver.large_messages import ROWS, laid_out, leaves_out
from harness.engine.deliver.produce import filled_topics
from harness.engine.plan.case import Plan, plan
from harness.engine.run import jobs
from harness.errors import SetupError
from harness.model.finding import Judgement
from harness.model.observed import Observed, Outcome
from harness.record.lock import load_lock
from harness.reference_consumer.answer import Changefeed
from harness.runner.contract import results
from harness.scenario.expand import Case
from harness.verdict.judge import judge
from tests.tree import ROOT

SPACE = workspace(ROOT)
NAMES = ("claim-checks", "handle-keys-only")
CASES = [
    case
    for case in selected(
        load(SPACE, [ROOT / f"scenarios/transport/{name}.yaml" for name in NAMES]), None
    )
    if case.delivery is None and case.partitions == 1
]


def planned(name: str) -> Plan:
    """Return the plan of the first of the cases of a scenario."""
    case = next(case for case in CASES if name in case.id)
    return plan(case, load_lock(case.scenario, ROOT / "golden"))


def answered(found: Plan, large: Path | None, out: Path) -> Observed:
    """Return what the reference consumer says that knows the job alone."""
    topics = filled_topics(found, "x")
    job = to_builtins(jobs.changefeed(found, 0, topics, large).to_file(out))
    consumer = Changefeed(job)
    names = {topic.canonical: topic.name for topic in topics}
    for (topic, partition), log in found.delivery.logs.items():
        for one in log.read:
            pair = (one.record.key, one.record.value)
            consumer.take(names[topic], partition, one.offset, pair)
    consumer.answer(out)
    return results.read(out)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_whole_row_is_found(case: Case, tmp_path: Path) -> None:
    """Whoever reads the directory has the rows that the messages lack, at every commit."""
    found = planned(case.id)
    large = laid_out(found, tmp_path / "large")
    assert large is not None
    assert leaves_out(found)
    observed = answered(found, large, tmp_path / "out")
    verdict = judge(found.judged, found.expected, observed)
    assert verdict.judgement is Judgement.PASS, verdict


@pytest.mark.parametrize("name", NAMES)
def test_without_it_the_changefeed_ends_with_an_error(name: str, tmp_path: Path) -> None:
    """A row that cannot be read is told of; half a row is never passed off as one."""
    found = planned(name)
    observed = answered(found, tmp_path, tmp_path / "out")
    assert observed.outcome is Outcome.ERROR
    assert "claim check" in observed.detail or "has no row" in observed.detail


def test_rows_are_those_of_their_commit(tmp_path: Path) -> None:
    """One key has as many rows as it had commits too large for a message, in the result's form."""
    found = planned("handle-keys-only")
    large = laid_out(found, tmp_path / "large")
    assert large is not None
    lines = [orjson.loads(line) for line in (large / ROWS).read_bytes().splitlines()]
    notes = [line["row"]["note"] for line in lines if line["key"]["name"] == "00ff"]
    assert [note[-3:] for note in notes] == ["xxx", "yyy", "end", "ast"]
    assert {line["key"]["nr"] for line in lines} == {"18446744073709551615", 2}


def test_files_of_claim_checks_are_named_by_the_messages(tmp_path: Path) -> None:
    """The last part of what a message names is a file, and no file is unnamed."""
    found = planned("claim-checks")
    large = laid_out(found, tmp_path / "large")
    assert large is not None
    places = {
        event.claim_check.rpartition("/")[2]
        for record in found.records
        for event in found.wire.decode(record.key, record.value)
        if event.claim_check
    }
    assert {path.name for path in large.iterdir()} == places
    assert len(places) > 2


def test_a_place_that_cannot_be_written_is_the_environment_s(tmp_path: Path) -> None:
    """Where a file stands in the way, that is said."""
    (tmp_path / "large").write_text("")
    with pytest.raises(SetupError, match="cannot be stored"):
        laid_out(planned("claim-checks"), tmp_path / "large")
