"""Level decode: what is to be told is what the encoder was given, and a right consumer tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from msgspec import to_builtins

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import workspace
from harness.engine.deliver.large_messages import laid_out
from harness.engine.plan.case import Plan
from harness.engine.plan.levels import of_level
from harness.engine.run import jobs
from harness.engine.run.decode import filled, given, judged_decoded, wanted
from harness.model.finding import Judgement
from harness.model.level import Level
from harness.model.source_events import RowEvent
from harness.protocols import PROTOCOLS
from harness.reference_consumer.decoding import decode
from harness.runner.contract import results, schemas
from harness.runner.contract.result_files import RecordLine
from tests.tree import ROOT

SPACE = workspace(ROOT, Path(ROOT, "scenarios"), None)
# One scenario in so many: the whole catalogue takes 20 s, which `harness certify` does anyway.
ONE_IN = 6


@pytest.fixture(scope="module")
def planned() -> Sequence[Plan]:
    """A share of the catalogue's scenarios, all that changes messages among them."""
    cases = of_level(selected(load(SPACE), None), Level.DECODE)
    names = sorted({case.scenario.id for case in cases})
    share = {*names[::ONE_IN], *(case.scenario.id for case in cases if case.delivery is not None)}
    return plans(SPACE, [case for case in cases if case.scenario.id in share])


def test_events_are_what_the_encoder_was_given(planned: Sequence[Plan]) -> None:
    """Our own decoder is no judge of itself: every value is that of the vendor's input."""
    compared = 0
    for plan in planned:
        project = PROTOCOLS[plan.case.protocol].projection(plan.settings, plan.case.dialect)
        rows = {e.origin.event: project(e) for e in plan.events if isinstance(e, RowEvent)}
        for one in wanted(plan):
            row = rows.get(one.place.origin.event)
            if row is None:
                continue
            columns = row.table.table.columns
            for image, truth in ((one.event.before, row.before), (one.event.after, row.after)):
                if image is None or truth is None:
                    continue
                visible = {columns[n].name: truth[n] for n in range(len(columns))}
                assert image == {name: visible[name] for name in image}, (plan.case.id, one.place)
                compared += 1
    assert compared > 1000


def test_the_reference_consumer_decodes_all(planned: Sequence[Plan], tmp_path: Path) -> None:
    """From the files alone it tells every event of every message, and names what is malformed."""
    for number, plan in enumerate(planned):
        folder = tmp_path / f"{number:04}"
        feed = jobs.changefeed(plan, number, filled(plan), laid_out(plan, folder / "large"))
        feed = replace(feed, given=given(plan))
        assert feed.given is not None
        for made in (folder / feed.dir, folder / "out"):
            made.mkdir(parents=True)
        feed.given.write(folder / feed.dir)
        for line in (folder / feed.dir / "records.jsonl").read_bytes().splitlines():
            assert schemas.problem(RecordLine, orjson.loads(line)) == ""
        decode(to_builtins(feed.to_file(folder)), folder / "out")
        verdict = judged_decoded(plan, results.read_decoded(folder / "out"))
        assert verdict.judgement is Judgement.PASS, verdict
