"""Promises of `--spark-remote`: the whole pipeline on a real server of Spark Connect."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdc_spark.conformance import remote
from cdc_spark.errors import SetupError, UsageError
from harness import services
from harness.cli.main import main
from harness.cli.options import space
from harness.engine.catalogue.choose import load, selected
from harness.protocols import OWN
from harness.services.ports import free_ports
from tests.cdc_spark.conformance.connect_server import DELTA, connect_server
from tests.cdc_spark.conftest import quiet
from tests.cdc_spark.job_factory import Job, JobFactory
from tests.cdc_spark.messages import message, put, resolved

pytest.importorskip("grpc", reason="Spark Connect is not installed: the extra `connect` brings it")
pytestmark = pytest.mark.spark

SEED, EACH = 11, 2
ENVIRONMENT, USAGE = 3, 2
LACKS = {
    "files": "lacks Spark's connector for Kafka",
    "delta": "has no spark.sql.extensions for Delta",
}
KILLED = "restart.consumer-at-a-schema-change[open,p2,killed]"


def drawn() -> dict[str, list[str]]:
    """Return the ids of some cases of each protocol, and of one that kills the consumer."""
    cases = selected(load(space(None, None)), None)
    chance = random.Random(SEED)
    packed = [
        case.id
        for protocol in OWN
        for case in chance.sample(
            [one for one in cases if one.protocol == protocol and one.delivery is None], EACH
        )
    ]
    return {"spark": [*packed, KILLED], "spark-delta": packed[:1]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of a server that was started with all that a session cannot bring."""
    jars = [jar for group in ("spark", "delta") for jar in services.jars(group, on_event=quiet)]
    with connect_server(tmp_path_factory.mktemp("connect") / "whole", jars, DELTA) as url:
        yield url


@pytest.mark.parametrize("consumer", ["spark", "spark-delta"])
def test_a_drawn_share_passes_on_a_server(server: str, consumer: str) -> None:
    """Cases of all protocols, one of them under kill -9, through both sinks."""
    words = " or ".join(f"'{name}'" for name in drawn()[consumer])
    assert (
        main(["certify", consumer, "--spark-remote", server, "--deadline", "600", "-k", words]) == 0
    )


def one_topic_job(jobs: JobFactory, name: str) -> Job:
    """Return a job of one topic."""
    topic = jobs.topic([[message(put(2, 1, "a")), message(resolved(2))]])
    return jobs.job(name, {"feed": {"topics": [topic]}})


def test_a_start_that_a_session_cannot_give_is_reported(
    jobs: JobFactory, server: str, tmp_path: Path
) -> None:
    """A static setting, Delta's extension, the connector, this package: nothing is read."""
    job = one_topic_job(jobs, "remote-static")
    conf = '{"spark.executor.memory": "2g"}'
    code, said = job.run(HARNESS_SPARK_REMOTE=server, HARNESS_SPARK_CONF=conf)
    assert code == USAGE
    assert "spark.executor.memory cannot be set on a session of Spark Connect" in said
    with connect_server(tmp_path / "bare", (), {}, python_path="") as bare:
        for sink, lack in LACKS.items():
            code, said = job.run(HARNESS_SPARK_REMOTE=bare, HARNESS_SPARK_SINK=sink)
            assert code == ENVIRONMENT
            assert lack in said
    jars = services.jars("spark", on_event=quiet)
    others = tmp_path / "others"
    others.mkdir()
    (others / "cdc_spark.py").touch()  # hides ours, which may be installed where this Python looks
    with connect_server(tmp_path / "strange", jars, {}, python_path=str(others)) as strange:
        code, said = job.run(HARNESS_SPARK_REMOTE=strange)
        assert code == ENVIRONMENT
        assert "lacks a package: 'cdc_spark" in said
    assert not (job.place / "work" / "checkpoint").exists()


def test_a_topic_that_is_not_there_is_reported(jobs: JobFactory, server: str) -> None:
    """Where Java is out of reach, librdkafka asks for the ids of topics."""
    job = one_topic_job(jobs, "remote-absent")
    document = (job.place / "job.json").read_text()
    name = job.feeds()["feed"]["topics"][0]["name"]
    (job.place / "job.json").write_text(document.replace(name, f"{name}-absent"))
    code, said = job.run(HARNESS_SPARK_REMOTE=server)
    assert code == ENVIRONMENT
    assert f"topic {name}-absent of the job does not exist" in said


def test_a_server_that_is_not_there_is_reported_at_once() -> None:
    """A port where nobody listens is no matter of minutes."""
    (port,) = free_ports(1)
    with pytest.raises(SetupError, match=f"no Spark Connect server answers at 127.0.0.1:{port}"):
        remote.start(f"sc://127.0.0.1:{port}", {}, {})


@pytest.mark.parametrize("url", ["spark://head:7077", "sc://", "head:15002"])
def test_another_address_is_refused(url: str) -> None:
    """Only the address of a server of Spark Connect is one."""
    with pytest.raises(UsageError, match="HARNESS_SPARK_REMOTE is"):
        remote.address({remote.VARIABLE: url})


def test_a_token_is_not_shown() -> None:
    """What an error says of an address has no parameters."""
    with pytest.raises(UsageError) as caught:
        remote.address({remote.VARIABLE: "http://h:1/;token=secret"})
    assert "secret" not in str(caught.value)


def test_a_master_and_a_server_are_one_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    """Spark runs in one place."""
    places = ["--spark-master", "local[1]", "--spark-remote", "sc://h:1"]
    assert main(["certify", "spark", *places]) == USAGE
    assert "both say where Spark runs" in capsys.readouterr().err
