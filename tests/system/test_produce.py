"""Topics of one's own, filled on a real Kafka and registry: what arrives, what is said of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, ConfigSource
from confluent_kafka.cimpl import NewTopic

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.services import HttpRegistry, Services
from harness.wire.confluent import confluent_unframe
from tests.tree import ROOT

pytestmark = pytest.mark.services

SCENARIO = "keys.pk-chain"
Message = tuple[bytes | None, bytes | None]


@pytest.fixture(scope="module")
def services(shared: Callable[..., Services]) -> Services:
    """Return a broker and a registry for all tests of this file."""
    return shared("kafka", "registry")


def command(services: Services, *arguments: str, scenario: str = SCENARIO) -> list[str]:
    """Return a command line that produces to this broker."""
    where = ["--bootstrap", services.kafka.bootstrap]
    roots = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    return [sys.executable, "-m", "harness", "produce", scenario, *where, *roots, *arguments]


def produce(
    here: Path, services: Services, *arguments: str, scenario: str = SCENARIO
) -> subprocess.CompletedProcess[str]:
    """Run `harness produce` in a directory of its own."""
    return subprocess.run(
        command(services, *arguments, scenario=scenario),
        cwd=here,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def environment() -> dict[str, str]:
    """Return an environment in which nothing says where services are."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("HARNESS_")
    }
    return {**inherited, "PYTHONPATH": str(ROOT)}


def planned(case: str) -> Plan:
    """Return the plan of a case of the scenario."""
    space = workspace(ROOT)
    (found,) = selected(load(space, [Path(SCENARIO)]), f"'{case}'")
    return planned_only(space, [found], expectations=True)[0]


def read(services: Services, topic: str, partition: int, count: int, first: int = 0) -> list[Any]:
    """Return the messages of a partition from an offset on; all of them must be there."""
    consumer: Any = Consumer({**services.kafka.client, "group.id": "look"})
    consumer.assign([TopicPartition(topic, partition, first)])
    messages = consumer.consume(count, timeout=20)
    consumer.close()
    assert len(messages) == count
    return messages


def test_the_records_arrive_as_they_were_planned(tmp_path: Path, services: Services) -> None:
    """A disturbed case, byte for byte in each partition; a second time behind the first."""
    case = f"{SCENARIO}[open,p4,replayed]"
    plan = planned(case)
    arguments = ("-k", case, "--topic-prefix", "mine.", "--json")
    for turn in range(2):
        done = produce(tmp_path, services, *arguments)
        assert done.returncode == 0, done.stderr
        account = orjson.loads(done.stdout)
        assert account["created"] == ([] if turn else ["mine.ticdc"])
        (filled,) = account["cases"]
        assert filled["records"] == filled["of"] == len(plan.delivered)
        assert filled["consume"]
        for part in filled["partitions"]:
            wanted: list[Message] = [
                (r.key, r.value) for r in plan.delivered if r.partition == part["partition"]
            ]
            assert (part["first"], part["next"]) == (turn * len(wanted), (turn + 1) * len(wanted))
            found = read(services, part["topic"], part["partition"], part["records"], part["first"])
            assert [(m.key(), m.value()) for m in found] == wanted


def test_schemas_are_posted_and_named(tmp_path: Path, services: Services) -> None:
    """Records that name schemas name those of the registry, under the prefixed topic's subjects."""
    case = f"{SCENARIO}[avro,p1]"
    registry = services.registry.url
    arguments = ("-k", case, "--registry", registry, "--topic-prefix", "own.", "--json")
    done = produce(tmp_path, services, *arguments)
    assert done.returncode == 0, done.stderr
    plan = planned(case)
    found = read(services, "own.ticdc", 0, len(plan.delivered))
    asked = HttpRegistry(services.registry)
    for message, record in zip(found, plan.delivered, strict=True):
        number, body = confluent_unframe(message.key())
        assert record.key is not None
        assert record.key_schema is not None
        assert body == confluent_unframe(record.key)[1]
        assert orjson.loads(asked.schema(number)) == orjson.loads(record.key_schema.schema)


def test_what_messages_leave_out_is_stored(tmp_path: Path, services: Services) -> None:
    """Files of claim checks lie in the directory that is named; without one that is said."""
    scenario = "transport.claim-checks"
    arguments = ("-k", f"{scenario}[open,p1]", "--delivery", "plain", "--topic-prefix")
    done = produce(tmp_path, services, *arguments, "left.", scenario=scenario)
    assert done.returncode == 0, done.stderr
    assert "`--large-messages DIRECTORY` stores them" in done.stderr
    stored = ("stored.", "--large-messages", "claims")
    done = produce(tmp_path, services, *arguments, *stored, scenario=scenario)
    assert done.returncode == 0, done.stderr
    assert "--large-messages" not in done.stderr
    lines = (tmp_path / "claims").iterdir()
    assert {tuple(orjson.loads(path.read_bytes())) for path in lines} == {("key", "value")}


def test_topics_that_are_there(tmp_path: Path, services: Services) -> None:
    """One with too few partitions is refused, a missing one only made if it may be."""
    admin: Any = AdminClient({**services.kafka.client})
    admin.create_topics([NewTopic("few.ticdc", 2)])["few.ticdc"].result()
    wide = ("-k", f"{SCENARIO}[open,p4]", "--topic-prefix")
    refused = produce(tmp_path, services, *wide, "few.")
    assert refused.returncode == 2
    assert "the topic few.ticdc has 2 partitions, the case needs 4" in refused.stderr
    assert "`--partitions 2`" in refused.stderr
    fits = produce(tmp_path, services, *wide, "few.", "--partitions", "2")
    assert fits.returncode == 0, fits.stderr
    narrow = ("-k", f"{SCENARIO}[open,p1]", "--topic-prefix", "few.")
    assert "those above stay empty" in produce(tmp_path, services, *narrow).stderr
    absent = produce(tmp_path, services, *wide, "absent.", "--no-create-topics")
    assert absent.returncode == 2
    assert "has no topic absent.ticdc" in absent.stderr
    assert "absent.ticdc" not in admin.list_topics(timeout=10).topics


def test_a_topic_that_is_made_keeps_its_records(tmp_path: Path, services: Services) -> None:
    """Records of a scenario are years old; only who asks for the broker's retention has it."""
    admin: Any = AdminClient({**services.kafka.client})
    one = ("-k", f"{SCENARIO}[open,p1]", "--topic-prefix")
    default = ("--set", "topics.retention-ms=default")
    for prefix, more, kept in (("kept.", (), True), ("theirs.", default, False)):
        done = produce(tmp_path, services, *one, prefix, *more)
        assert done.returncode == 0, done.stderr
        topic = ConfigResource(ConfigResource.Type.TOPIC, f"{prefix}ticdc")
        entry = admin.describe_configs([topic])[topic].result()["retention.ms"]
        of_its_own = ConfigSource(entry.source) is ConfigSource.DYNAMIC_TOPIC_CONFIG
        assert of_its_own is kept
        assert not kept or entry.value == "-1"


def test_a_file_of_properties_reaches_the_client(tmp_path: Path, services: Services) -> None:
    """Properties are librdkafka's own: what it does not know is refused with its name."""
    file = tmp_path / "client.properties"
    file.write_text(f"bootstrap.servers={services.kafka.bootstrap}\nlinger.mss=1\n", "utf-8")
    case = ("-k", f"{SCENARIO}[open,p1]", "--kafka-config", str(file))
    refused = produce(tmp_path, services, *case)
    assert refused.returncode == 2
    assert "linger.mss" in refused.stderr
    file.write_text("client.id=me\nlinger.ms=1\n", encoding="utf-8")
    done = produce(tmp_path, services, *case, "--topic-prefix", "conf.")
    assert done.returncode == 0, done.stderr
    assert f"kcat -F {file}" in done.stdout


@pytest.mark.parametrize("arrived", [True, False])
def test_interrupted(tmp_path: Path, services: Services, arrived: bool) -> None:  # noqa: FBT001
    """Ctrl-C tells what arrived and exits 130; a topic that holds nothing yet is gone again."""
    prefix = f"cut{int(arrived)}."
    # The first record goes at once; where nothing shall arrive it waits in the queue for long.
    linger = [] if arrived else ["--set", "kafka.linger.ms=60000"]
    words = command(
        services, "-k", f"{SCENARIO}[open,p1]", "--rate", "1/s", "--topic-prefix", prefix, "--json"
    )
    admin: Any = AdminClient({**services.kafka.client})
    with subprocess.Popen(
        [*words, *linger],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        until = time.monotonic() + 60
        while f"{prefix}ticdc" not in admin.list_topics(timeout=10).topics:
            assert time.monotonic() < until
            time.sleep(0.05)
        time.sleep(2.5 if arrived else 0.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    account = orjson.loads(out)
    assert account["interrupted"]
    (case,) = account["cases"]
    assert 0 < case["records"] < case["of"] if arrived else case["records"] == 0
    there = f"{prefix}ticdc" in admin.list_topics(timeout=10).topics
    assert there == arrived
    assert account["withdrawn"] == ([] if arrived else [f"{prefix}ticdc"])
    if arrived:
        assert len(read(services, f"{prefix}ticdc", 0, case["records"])) == case["records"]
