"""Somebody's Kafka, on a real one that asks who you are: let in, or told why not."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner
from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient

from harness.cli.certify import command as certify
from harness.cli.main import main
from harness.engine.deliver import topics
from harness.engine.run import leftovers
from harness.errors import HarnessError, SetupError, UsageError
from harness.services import Kafka, find_java, java_properties, settings, start
from harness.services.external.kafka import _unusable
from harness.services.ports import free_ports
from tests.services.protected import PASSWORDS, WAYS, Protected, protected_kafka
from tests.tree import ROOT

pytestmark = pytest.mark.services

ANSWER_DEADLINE_S = 10.0
JAVA = """
import java.io.*; import java.util.*; import org.apache.kafka.clients.admin.*;
public class Look {
  public static void main(String[] a) throws Exception {
    Properties p = new Properties(); p.load(new FileReader(a[0]));
    p.put("default.api.timeout.ms", "60000"); p.put("request.timeout.ms", "30000");
    try (Admin admin = Admin.create(p)) { System.out.println(admin.listTopics().names().get()); }
  }
}
"""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Generator[Protected]:
    """Run one broker for all tests of this file."""
    with protected_kafka(tmp_path_factory.mktemp("protected")) as protected:
        yield protected


def reached(client: Mapping[str, str], tmp_path: Path) -> Kafka:
    """Return the external Kafka of these settings."""
    options = settings(client, env={}, here=tmp_path)
    with start(["kafka"], run_dir=tmp_path, on_event=lambda _: None, settings=options) as services:
        services.check()
        return services.kafka


def refused(client: Mapping[str, str], tmp_path: Path) -> HarnessError:
    """Return the error that these settings end with, in time and without a secret in it."""
    began = time.monotonic()
    with pytest.raises(HarnessError) as caught:
        reached(client, tmp_path)
    assert time.monotonic() - began < ANSWER_DEADLINE_S + 1  # and some, for a busy machine
    assert not [word for word in PASSWORDS.values() if word in str(caught.value)]
    return caught.value


def names(kafka: Kafka) -> set[str]:
    """Return the topics of a cluster, save Kafka's own."""
    admin: Any = AdminClient(dict(kafka.client))
    return {name for name in admin.list_topics(timeout=10).topics if not name.startswith("__")}


@pytest.mark.parametrize("tls", [False, True])
def test_an_account_is_let_in(broker: Protected, tmp_path: Path, *, tls: bool) -> None:
    """PLAIN works as it is and over TLS, and the cluster counts as one that outlives the run."""
    kafka = reached(broker.client(tls=tls), tmp_path)
    assert kafka.shared
    assert kafka.properties["sasl.username"] == "admin"


@pytest.mark.parametrize("way", WAYS)
def test_each_way_lets_in_who_has_the_secret(broker: Protected, tmp_path: Path, way: str) -> None:
    """Passwords, tokens and certificates each let in, and nobody without the right one."""
    _needs_key(broker, way)
    reached(broker.client_by(way), tmp_path)
    error = refused(broker.client_by(way, wrong=True), tmp_path)
    assert isinstance(error, SetupError)
    assert error.hint
    assert "Secr3t" not in str(error)


def _needs_key(broker: Protected, way: str) -> None:
    if way == "certificate-pem" and not broker.identity.with_suffix(".key").exists():
        pytest.skip("this Java has no compiler, and no key can be had as PEM")


def test_a_wrong_password_is_said(broker: Protected, tmp_path: Path) -> None:
    """The user is named, the password is not, and the next step is to check both."""
    error = refused(broker.client(sasl_password="wrong-Pa55"), tmp_path)
    assert isinstance(error, SetupError)
    assert "refuses who we are" in error.what
    assert "sasl.username=admin" in error.what
    assert "sasl.password=***" in error.what
    assert "wrong-Pa55" not in str(error)
    assert "sasl.password" in error.hint


def test_an_untrusted_certificate_is_said(broker: Protected, tmp_path: Path) -> None:
    """Without the authority's certificate the hint is the property that names it."""
    client = broker.client(tls=True)
    del client["kafka.ssl.ca.location"]
    error = refused(client, tmp_path)
    assert "TLS" in error.what
    assert "ssl.ca.location" in error.hint


@pytest.mark.parametrize("code", [KafkaError._SSL, KafkaError._TRANSPORT])
def test_what_openssl_refuses_is_about_tls(code: int) -> None:
    """Whichever code librdkafka gives it: that of lost transport now and then."""
    said = "error:0A000086:SSL routines::certificate verify failed"
    error = _unusable({"bootstrap.servers": "broker:9093"}, [KafkaError(code, said)])
    assert "TLS" in error.what
    assert "ssl.ca.location" in error.hint


@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL"])
def test_a_wrong_protocol_is_an_error_in_time(
    broker: Protected, tmp_path: Path, protocol: str
) -> None:
    """Whatever is spoken on a port that speaks another protocol: a reason, and a bounded wait."""
    other = broker.client(tls=protocol != "SSL", security_protocol=protocol)
    error = refused(other, tmp_path)
    assert isinstance(error, SetupError)
    assert protocol in error.what
    assert error.hint


def test_nobody_there_is_said(tmp_path: Path) -> None:
    """A closed port and a name without an address each say so at once."""
    (port,) = free_ports(1)
    error = refused({"kafka.bootstrap.servers": f"127.0.0.1:{port}"}, tmp_path)
    assert "cannot be reached" in error.what
    assert f"127.0.0.1:{port}" in error.what
    error = refused({"kafka.bootstrap.servers": "nowhere.invalid:9092"}, tmp_path)
    assert "resolve" in error.what
    assert "bootstrap.servers" in error.hint


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("sasl.usernam", "me", "sasl.username"),
        ("security.protocol", "TLS", ""),
        ("socket.timeout.ms", "soon", ""),
    ],
)
def test_librdkafka_judges_its_properties(tmp_path: Path, name: str, value: str, hint: str) -> None:
    """What librdkafka does not take is a usage error that names the file's line."""
    file = tmp_path / "harness.toml"
    file.write_text(f'[kafka]\n"bootstrap.servers" = "x:1"\n"{name}" = "{value}"\n')
    error = refused({}, tmp_path)
    assert isinstance(error, UsageError)
    assert "harness.toml:3" in error.what
    assert name in error.what
    assert hint in error.hint


# Kafka's Java client takes signed tokens alone, and this broker's validator unsigned ones alone.
@pytest.mark.parametrize("way", [way for way in WAYS if way != "oauthbearer"])
def test_java_gets_in_with_the_translation(broker: Protected, tmp_path: Path, way: str) -> None:
    """Kafka's own Java client, given our translation, is let in by password and certificate."""
    java = find_java("kafka")
    if "jdk.compiler" not in (java.home / "release").read_text():
        pytest.skip("this Java has no compiler")
    client = {n.removeprefix("kafka."): v for n, v in broker.client_by(way).items()}
    lines = [
        f"{name}={value.replace(chr(10), chr(92) + 'n')}"
        for name, value in java_properties(client).items()
    ]
    (tmp_path / "client.properties").write_text("\n".join(lines))
    (tmp_path / "Look.java").write_text(JAVA)
    jars = _kafka_jars()
    answer = subprocess.run(
        [
            *(str(java.executable), "-cp", jars),
            *("Look.java", "client.properties"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("[")


def _kafka_jars() -> str:
    from harness.services.jars import jars  # noqa: PLC0415

    return ":".join(map(str, jars("kafka", on_event=lambda _: None)))


def test_a_refused_topic_is_said(broker: Protected, tmp_path: Path) -> None:
    """A user without rights is told which rights, on which topics."""
    kafka = reached(broker.client("reader"), tmp_path)
    options = topics.TopicOptions("harness-", keep=False, replication=1)
    with (
        pytest.raises(SetupError, match="refused to create the topic harness-1") as caught,
        topics.created(kafka, [("harness-1", 1)], options),
    ):
        pytest.fail("it must not be created")
    assert "CREATE" in caught.value.hint
    assert "harness-" in caught.value.hint
    assert PASSWORDS["reader"] not in str(caught.value)


def test_too_many_replicas_are_said(broker: Protected, tmp_path: Path) -> None:
    """One broker cannot keep three replicas; the setting is named, and nothing stays."""
    kafka = reached(broker.client(), tmp_path)
    options = topics.TopicOptions("harness-", keep=False, replication=3)
    with (
        pytest.raises(SetupError) as caught,
        topics.created(kafka, [("harness-2", 1)], options),
    ):
        pytest.fail("it must not be created")
    assert "topics.replication-factor" in caught.value.hint
    assert "harness-2" not in names(kafka)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("keep", [False, True])
def test_topics_go_with_the_run(
    broker: Protected, tmp_path: Path, *, fails: bool, keep: bool
) -> None:
    """Whatever happens meanwhile, what was created is deleted, unless it is to be kept."""
    kafka = reached(broker.client(), tmp_path)
    name = f"harness-3-{fails}-{keep}"
    before = names(kafka)
    options = topics.TopicOptions("harness-", keep=keep, replication=-1)
    try:
        with topics.created(kafka, [(name, 2)], options):
            assert names(kafka) == before | {name}
            assert not fails
    except AssertionError:
        assert fails
    assert names(kafka) == (before | {name} if keep else before)


def test_groups_go_with_the_run(broker: Protected, tmp_path: Path) -> None:
    """Groups of the run's prefix are deleted; one with a member is named, and others stay."""
    kafka = reached(broker.client(), tmp_path)
    options = topics.TopicOptions("harness-", keep=False, replication=-1)
    with topics.created(kafka, [("harness-4-t", 1)], options):
        committed: dict[str, Consumer] = {}
        for group in ("harness-4-0001", "harness-4-0002", "harness-44"):
            one = Consumer({**kafka.client, "group.id": group, "log_level": 0})
            one.subscribe(["harness-4-t"])
            until(lambda one=one: not one.poll(0.1) and bool(one.assignment()))
            one.commit(offsets=[TopicPartition("harness-4-t", 0, 0)], asynchronous=False)
            committed[group] = one
        for group in ("harness-4-0001", "harness-44"):
            committed[group].close()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(leftovers, "MEMBERS_S", 1.0)
            left = leftovers.groups_left(kafka, "harness-4-")
        assert left.startswith("keeps groups of this run (harness-4-…): harness-4-0002: ")
        committed["harness-4-0002"].close()
        assert leftovers.groups_left(kafka, "harness-4-") == ""
        admin: Any = AdminClient(kafka.client)
        listed = {one.group_id for one in admin.list_consumer_groups().result().valid}
        assert {one for one in listed if one.startswith("harness-4")} == {"harness-44"}


def until(true: Callable[[], bool]) -> None:
    """Wait until something is true, for 30 s at most."""
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline


@pytest.mark.parametrize("way", WAYS)
def test_a_run_over_somebody_s_kafka(
    broker: Protected, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """With everything in the environment a consumer is certified by each way to say who it is.

    Nothing stays behind.
    """
    _needs_key(broker, way)
    monkeypatch.chdir(tmp_path)
    client = broker.client_by(way)
    for name, value in client.items():
        monkeypatch.setenv("HARNESS_" + name.replace(".", "_").upper(), value)
    before = names(broker.services.kafka)
    roots = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    answer = CliRunner().invoke(
        certify, ["reference", "dml.no-net-change", "--json", *roots], catch_exceptions=False
    )
    assert answer.return_value in {0, None}
    report = orjson.loads(answer.stdout)
    assert report["passed"] == report["applicable"] > 0
    assert names(broker.services.kafka) == before
    (job,) = tmp_path.rglob("job.json")
    properties = orjson.loads(job.read_bytes())["kafka"]
    for of in (properties["librdkafka"], properties["java"]):
        assert of["security.protocol"] == client["kafka.security.protocol"]


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (["--kafka", "bootstrap.servers=127.0.0.1:1"], 3, "cannot be reached"),
        (["--services", "external"], 2, "HARNESS_KAFKA_BOOTSTRAP_SERVERS"),
        (["--set", "topics.replication=3"], 2, "topics.replication-factor"),
        (["--kafka", "bootstrap.servers"], 2, "--kafka NAME=VALUE"),
        (["--kafka", "bootstrap.server=x:1", "--services", "external"], 2, "bootstrap.servers"),
    ],
)
def test_the_command_line_says_whose_fault_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    options: list[str],
    code: int,
    expected: str,
) -> None:
    """What cannot be is exit code 2, what is not there exit code 3, each with the next step."""
    monkeypatch.chdir(tmp_path)
    roots = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    assert main(["certify", "reference", "dml.no-net-change", *roots, *options]) == code
    assert expected in capsys.readouterr().err
