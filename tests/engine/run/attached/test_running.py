"""A system that runs already is certified by its topics and its tables, and never started."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases
from harness.engine.pipeline import certify as run
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.sink.session import Session
from harness.errors import UsageError
from harness.model.finding import Judgement, Verdict
from harness.process import spawn
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.runner.targets import parse
from harness.services import Services
from tests.tree import ROOT

pytestmark = pytest.mark.services

MANIFEST = """\
manifest: 1
name: running
protocols: [avro]
attach:
  topics: "{prefix}{{case}}.{{topic}}"
  settle: 1.5
  {group}
  result: {result}
"""
IN_DATABASE = '{in: database, url-from: TABLES, database: "{case}_{schema}", table: "at_{table}"}'
IN_FILES = '{in: files, directory: "./out/{case}"}'
CHAIN = "'keys.pk-chain[avro,p1]'"
TWO = "'keys.pk-chain[avro,p1]' or 'keys.pk-chain[avro,p4]'"


@pytest.fixture(scope="module")
def services(shared: Callable[..., Services]) -> Services:
    """Return services that run while the worker's tests do."""
    return shared("kafka", "registry", "mariadb")


@contextmanager
def running(services: Services, home: Path, how: str = "", **where: Any) -> Iterator[None]:
    """Let the system run in the background; `where` says what it writes into."""
    job = {
        "bootstrap": services.kafka.bootstrap,
        "registry": services.registry.url,
        "prefix": prefix(home),
        "group": prefix(home) + "system",
        "how": how,
        **where,
    }
    file, log = home / "job.json", home / "running.log"
    file.write_text(json.dumps(job))
    argv = [sys.executable, str(Path(__file__).with_name("running.py")), str(file)]
    env = {"PATH": os.environ["PATH"]}
    with spawn(argv, cwd=home, env=env, stdout=log, stderr=log) as child:
        yield
        assert child.poll() is None, log.read_text()


def prefix(directory: Path) -> str:
    """Return how the topics of one test begin."""
    return f"x{directory.name.replace('_', '').replace('-', '')}."


def consumer(services: Services, directory: Path, result: str, *, group: bool = False) -> Consumer:
    """Return the consumer of a manifest."""
    path = directory / "consumer.yaml"
    named = f'group: "{prefix(directory)}system"' if group else ""
    path.write_text(MANIFEST.format(prefix=prefix(directory), group=named, result=result))
    there = Whereabouts(directory, {"TABLES": services.mariadb.url})
    return parse("attach:consumer.yaml", there)


def certify(
    services: Services, directory: Path, one: Consumer, words: str, deadline_s: float = 40
) -> Mapping[str, Verdict]:
    """Return the verdicts on a running system, by case."""
    space = workspace(ROOT)
    files = ("keys/pk-chain.yaml", "restart/killed-between-writes.yaml")
    chosen = load(space, [space.scenarios / file for file in files])
    context = RunContext(
        RunIdentity(directory.name, directory / "run"),
        one,
        dict(os.environ),
        EventBus(),
        limits=Limits(deadline_s),
    )
    cases = CatalogueCases(space, selected(chosen, words), services=services)
    return {verdict.case: verdict for verdict in run(cases, context).verdicts}


def address(services: Services) -> dict[str, Any]:
    """Return the database's address as its driver takes it."""
    one = services.mariadb
    return {"host": one.host, "port": one.port, "user": one.user, "password": one.password}


def topics(services: Services, directory: Path) -> list[str]:
    """Return the topics of a test that are there."""
    there = AdminClient(services.kafka.client).list_topics(timeout=10).topics
    return [name for name in there if name.startswith(prefix(directory))]


def test_a_right_system_with_a_database_passes(services: Services, tmp_path: Path) -> None:
    """Two cases side by side pass, the report says what decided, and their topics are gone."""
    one = consumer(services, tmp_path, IN_DATABASE)
    with running(services, tmp_path, sink=address(services)):
        verdicts = certify(services, tmp_path, one, TWO)
    assert {verdict.judgement for verdict in verdicts.values()} == {Judgement.PASS}
    assert {verdict.detail for verdict in verdicts.values()} == {
        "end of stream: the result is right, and has stayed so for 1.5 s"
    }
    assert topics(services, tmp_path) == []
    session = Session(services.mariadb)
    for name in ("keys_pk_chain_avro_p1_shop", "keys_pk_chain_avro_p4_shop"):
        assert list(session.rows(f"SELECT a FROM {name}.at_t ORDER BY a")) == [(b"2",), (b"3",)]
        session.run(f"DROP DATABASE {name}")


def test_a_right_system_with_files_passes(services: Services, tmp_path: Path) -> None:
    """Files are found beside the manifest, below the directory of their case."""
    one = consumer(services, tmp_path, IN_FILES)
    with running(services, tmp_path, directory=str(tmp_path / "out")):
        (verdict,) = certify(services, tmp_path, one, CHAIN).values()
    assert verdict.judgement is Judgement.PASS


def test_a_wrong_result_is_distinguished_from_a_late_one(
    services: Services, tmp_path: Path
) -> None:
    """At the deadline a result that stays is judged, with column and both values."""
    one = consumer(services, tmp_path, IN_FILES)
    with running(services, tmp_path, "doubles", directory=str(tmp_path / "out")):
        (verdict,) = certify(services, tmp_path, one, CHAIN, deadline_s=12).values()
    assert verdict.judgement is Judgement.FAIL
    assert "shop.t.b of a=3 is 4, not 2" in [finding.message for finding in verdict.findings]
    assert verdict.detail.startswith("end of stream: the deadline; the result had stayed as it is")


def test_the_position_of_its_group_decides_early(services: Services, tmp_path: Path) -> None:
    """Who has committed every end is judged without waiting for the deadline."""
    one = consumer(services, tmp_path, IN_FILES, group=True)
    with running(services, tmp_path, "doubles", directory=str(tmp_path / "out")):
        (verdict,) = certify(services, tmp_path, one, CHAIN, deadline_s=300).values()
    assert verdict.judgement is Judgement.FAIL
    assert verdict.detail == ("end of stream: the group has committed the end of every partition")


@pytest.mark.parametrize(
    ("how", "judgement", "words"),
    [
        ("stalls", Judgement.TIMEOUT, "nothing had come when its deadline of"),
        ("garbage", Judgement.INVALID, "tables/shop.t.jsonl line 1: not JSON"),
        ("churns", Judgement.TIMEOUT, "its result still changed when its deadline of"),
    ],
)
def test_what_does_not_become_right_is_reported_apart(
    services: Services, tmp_path: Path, how: str, judgement: Judgement, words: str
) -> None:
    """A system that is silent, restless or unreadable is not one that answers wrongly."""
    one = consumer(services, tmp_path, IN_FILES)
    with running(services, tmp_path, how, directory=str(tmp_path / "out")):
        (verdict,) = certify(services, tmp_path, one, CHAIN, deadline_s=12).values()
    assert verdict.judgement is judgement
    assert words in verdict.findings[0].message


def test_what_the_broker_deleted_is_held_against_nobody(services: Services, tmp_path: Path) -> None:
    """Retention in a topic of its own leaves nothing to judge by, however the tables are."""
    one = consumer(services, tmp_path, IN_FILES)
    with running(services, tmp_path, "deletes", directory=str(tmp_path / "out")):
        (verdict,) = certify(services, tmp_path, one, CHAIN).values()
    assert verdict.judgement is Judgement.INCONCLUSIVE
    assert verdict.detail.startswith(f"the broker deleted messages of {prefix(tmp_path)}")
    assert "/0 below offset 1; " in verdict.detail


def test_what_is_there_already_is_refused(services: Services, tmp_path: Path) -> None:
    """Rows of another run are never taken for an answer, and no topic is made."""
    folder = tmp_path / "out/keys_pk_chain_avro_p1/tables"
    folder.mkdir(parents=True)
    (folder / "shop.t.jsonl").write_text('{"a": 1, "b": 1}\n')
    one = consumer(services, tmp_path, IN_FILES)
    with pytest.raises(UsageError, match="has 1 row before anything was sent"):
        certify(services, tmp_path, one, CHAIN)
    assert topics(services, tmp_path) == []


def test_what_only_a_command_can_be_asked_is_not_applicable(
    services: Services, tmp_path: Path
) -> None:
    """A delivery that kills a consumer needs one that the harness starts."""
    one = consumer(services, tmp_path, IN_FILES)
    with running(services, tmp_path, directory=str(tmp_path / "out")):
        verdicts = certify(services, tmp_path, one, f"{CHAIN} or 'writes[avro,p1,between'")
    found = {verdict.judgement for verdict in verdicts.values()}
    assert found == {Judgement.PASS, Judgement.NOT_APPLICABLE}
    reasons = {verdict.detail for verdict in verdicts.values()} - {
        "end of stream: the result is right, and has stayed so for 1.5 s"
    }
    assert reasons == {"needs a consumer that the harness starts"}
