"""A consumer that writes into a database is certified by what its tables hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases
from harness.engine.pipeline import certify as run
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.sink.session import Session
from harness.model.finding import FindingKind, Judgement, Verdict
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.runner.targets import parse
from harness.services import Services
from tests.tree import ROOT

pytestmark = pytest.mark.services

MANIFEST = """\
manifest: 1
name: sinking
command: [{python}, ./sinking.py]
protocols: [avro]
max-changefeeds: 20
environment: {{SINKING: "{how}"}}
result: {{in: database, tables: {tables}}}
"""


def consumer(directory: Path, how: str = "", tables: str = "created") -> Consumer:
    """Return the consumer of a manifest beside the script."""
    script = Path(__file__).with_name("sinking.py").read_text(encoding="utf-8")
    (directory / "sinking.py").write_text(script, encoding="utf-8")
    path = directory / "consumer.yaml"
    path.write_text(MANIFEST.format(python=sys.executable, how=how, tables=tables))
    return parse(str(path), Whereabouts.here())


def certify(
    services: Services, directory: Path, one: Consumer, words: str
) -> Mapping[str, Verdict]:
    """Return the verdicts on a consumer, by case."""
    space = workspace(ROOT)
    folders = [space.scenarios / "keys", space.scenarios / "restart"]
    context = RunContext(
        RunIdentity(directory.name, directory / "run"),
        one,
        dict(os.environ),
        EventBus(),
        limits=Limits(60, parallelism=2),
    )
    cases = CatalogueCases(space, selected(load(space, folders), words), services=services)
    return {verdict.case: verdict for verdict in run(cases, context).verdicts}


def names(services: Services) -> set[bytes | None]:
    """Return the databases that are on the server."""
    return {row[0] for row in Session(services.mariadb).rows("SHOW DATABASES")}


def test_a_right_consumer_passes_and_leaves_nothing(services: Services, tmp_path: Path) -> None:
    """Every case of keys passes in one start, and the server is as it was."""
    before = names(services)
    words = "'keys.pk-chain[avro' or 'keys.pk-swap[avro,p' or 'keys.composite-key-moves[avro,p'"
    verdicts = certify(services, tmp_path, consumer(tmp_path), words)
    wrong = {name: one for name, one in verdicts.items() if one.judgement is not Judgement.PASS}
    assert len(verdicts) > 8
    assert wrong == {}
    assert names(services) == before


def test_a_consumer_may_make_its_own_tables(services: Services, tmp_path: Path) -> None:
    """Its own types and a column of its own are no finding."""
    one = consumer(tmp_path, "own", "own")
    verdicts = certify(services, tmp_path, one, "'keys.pk-chain[avro' and p1")
    assert {verdict.judgement for verdict in verdicts.values()} == {Judgement.PASS}


@pytest.mark.parametrize(
    ("how", "tables", "kind", "words"),
    [
        ("doubles", "created", FindingKind.WRONG_VALUE, "shop.t.b of a=3 is 4, not 2"),
        ("keeps-deleted", "created", FindingKind.EXTRA_ROW, "shop.t has the row a=1"),
        (
            "loses-a-column",
            "own",
            FindingKind.MISSING_COLUMN,
            "the table shop.t in the database has no column b",
        ),
        ("", "own", FindingKind.CONSUMER, "crashed"),
    ],
)
def test_a_wrong_consumer_learns_what_is_wrong(
    services: Services, tmp_path: Path, how: str, tables: str, kind: FindingKind, words: str
) -> None:
    """The finding has the column and both values, the row, or what is missing."""
    one = consumer(tmp_path, how, tables)
    (verdict,) = certify(services, tmp_path, one, "keys.pk-chain[avro,p1]").values()
    found = {finding.kind: finding.message for finding in verdict.findings}
    assert kind in found, verdict
    assert words in "\n".join(finding.message for finding in verdict.findings)


def test_a_consumer_that_is_killed_finds_its_tables_again(
    services: Services, tmp_path: Path
) -> None:
    """Between the starts of one case the databases stay as they are."""
    verdicts = certify(services, tmp_path, consumer(tmp_path), "'[avro' and kill")
    applied = [one for one in verdicts.values() if one.judgement is Judgement.PASS]
    assert applied
    assert not [one for one in verdicts.values() if one.judgement is Judgement.FAIL]
