"""`certify --live debezium-mariadb`: what it refuses before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.certify import LIVE_FAULTS, PRODUCERS
from harness.cli.main import main
from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.oracles.live import producer
from harness.oracles.live.cases import plays_of, unplayable
from harness.protocols.mysql import MYSQL
from tests.tree import ROOT

ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))
LIVE = ("--live", "debezium-mariadb", "keys.pk-chain", *ROOTS)
TEAS = "manifest: 1\nname: teas\ncommand: [sh]\nprotocols: [avro]\n"
SYSTEM = """\
manifest: 1
name: running
attach:
  topics: "cdc.{case}.{topic}"
  result: {in: files, directory: "./out/{case}"}
"""


@pytest.fixture(autouse=True)
def in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are kept where nobody else looks, with two manifests."""
    monkeypatch.chdir(tmp_path)
    Path("teas.yaml").write_text(TEAS, encoding="utf-8")
    Path("on.yaml").write_text(SYSTEM, encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("reference", "--level", "stream", *LIVE), "--live is not for the level stream"),
        (("reference", "--isolated", *LIVE), "--isolated mean nothing at level live"),
        (("reference", "--fail-fast", *LIVE), "--fail-fast mean nothing at level live"),
        (
            ("reference", "--set", "kafka.bootstrap.servers=k:9092", *LIVE),
            "kafka is not the run's own",
        ),
        (("teas.yaml", *LIVE), "teas does not declare the protocol debezium-mysql"),
        (("attach:on.yaml", *LIVE), "running runs already"),
        (("reference", "--live", "debezium-oracle"), "there is no such file, and no such producer"),
        (("reference", "--level", "live"), "--live debezium-mariadb, which starts both"),
        (("reference", "--live-fault", "binlog-purged"), "a producer that the run starts itself"),
        (("reference", "--live-fault", "moon"), "Invalid value for '--live-fault'"),
        (
            ("reference", "--live", "debezium-mariadb", "types.zero-dates", *ROOTS),
            "none of the chosen scenarios can be run live",
        ),
        (
            ("reference", "--live", "debezium-mariadb", "filters.all-ddl-ignored", *ROOTS),
            "none of the chosen cases is of the protocol debezium-mysql",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake of the command line is the user's, and nothing is started for it."""
    assert main(["certify", *words]) == 2
    assert says in capsys.readouterr().err
    assert not Path(".harness/runs").exists()


def test_live_is_no_command_and_says_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever looks for it finds it."""
    assert main(["live", "reference"]) == 2
    assert "`harness certify CONSUMER --live debezium-mariadb`" in capsys.readouterr().err


def test_the_choices_are_those_that_there_are() -> None:
    """The help imports nothing heavy, so it repeats two tables."""
    assert tuple(producer.LIVE_FAULTS) == LIVE_FAULTS
    assert PRODUCERS == ("debezium-mariadb",)


def test_each_scenario_is_run_under_each_fault() -> None:
    """Undisturbed without any; each play has a name of its own."""
    some = load(workspace(ROOT), [Path("keys.pk-chain"), Path("keys.pk-swap")])
    assert [(one.scenario.id, one.fault) for one in plays_of(some, ())] == [
        ("keys.pk-chain", ""),
        ("keys.pk-swap", ""),
    ]
    disturbed = plays_of(some, LIVE_FAULTS)
    assert len({one.name for one in disturbed}) == len(disturbed) == 2 * len(LIVE_FAULTS)


def test_what_would_hide_the_end_is_not_set() -> None:
    """A scenario that leaves tables out would leave the marker out as well."""
    left = {one.id: why for one in load(workspace(ROOT)) if (why := unplayable(one, MYSQL))}
    assert left["types.vector"] == "a step is stated (`emit`): no database runs it"
    assert left["vitess.tables-chosen"].endswith("where a scenario's records end")
    assert left["duplicates.old-schema-again"].endswith("is read in JSON alone")
    whys = (
        "a step is stated",
        "a live run cannot set ",
        "a live connector starts where the run says",
    )
    assert all(why.startswith(whys) for why in left.values())
