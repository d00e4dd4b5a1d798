"""Apache Kafka as one KRaft process: broker and controller in one JVM, no container.

Two things make it start in about a second. The formatted storage is a copy of what `StorageTool`
made once, and the JVM maps a class-data archive that the first run's JVM wrote on ending (JEP 350).

A second broker joins it where a case needs one that its leaders can move to.
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from harness.errors import SetupError
from harness.process import spawn
from harness.services.artifacts import locked
from harness.services.embedded.sharing import ClassArchive
from harness.services.java import Java, environment, find_java
from harness.services.launch import Attempt, Running, Startup, how_ended, launch, log_end
from harness.services.ports import HOST
from harness.services.prepared import key, once
from harness.services.service import Kafka

CLUSTER_ID = "Y2RjLWNvbmZvcm1hbmNlIQ"  # 16 bytes in base64, as Kafka wants; one cluster a process
NODE_ID, SECOND_ID = 1, 2
VOTERS = "controller.quorum.voters"
SESSION_MS = 6000  # above the two seconds between a broker's heartbeats
FORMAT_DEADLINE_S = 60.0
PROBE_TIMEOUT_S = 1.0
JVM = (
    "-Xmx512m",  # 300,000 small records and hundreds of partitions fit
    "-XX:+UseSerialGC",
    "-Xshare:auto",  # an archive that does not fit is passed over
    "-XX:-UsePerfData",  # no file in the system's temporary directory
    "-Djava.awt.headless=true",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    # Otherwise every start logs 100 KB of settings, all but a few of them defaults.
    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn",
)
# A run is over before the second compiler pays; with a broker that lasts it does, after 800 cases.
QUICK = "-XX:TieredStopAtLevel=1"
# The broker's settings that differ from the defaults; each says why.
SETTINGS: Mapping[str, tuple[str, str]] = {
    "process.roles": ("broker,controller", "one process is the whole cluster"),
    "node.id": (str(NODE_ID), "likewise"),
    "controller.listener.names": ("CONTROLLER", "likewise"),
    "inter.broker.listener.name": ("BROKER", "likewise"),
    "listener.security.protocol.map": (
        "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "it listens on the loopback interface only",
    ),
    "auto.create.topics.enable": ("false", "a consumer's misspelt topic must be an error"),
    "offsets.topic.replication.factor": ("1", "there is one broker"),
    "offsets.topic.num.partitions": ("1", "fewer files, faster first consumer group"),
    "transaction.state.log.replication.factor": ("1", "there is one broker"),
    "transaction.state.log.min.isr": ("1", "there is one broker"),
    "transaction.state.log.num.partitions": ("1", "fewer files"),
    "share.coordinator.state.topic.replication.factor": ("1", "there is one broker"),
    "share.coordinator.state.topic.min.isr": ("1", "there is one broker"),
    "share.coordinator.state.topic.num.partitions": ("1", "fewer files"),
    "group.initial.rebalance.delay.ms": ("0", "a group's members are there from the start"),
    "broker.session.timeout.ms": ("60000", "a busy machine must not fence the only broker"),
    "log.retention.ms": ("-1", "records carry the scenario's time, which may be long ago"),
    "log.message.timestamp.after.max.ms": (
        str(2**63 - 1),
        "records carry the scenario's time, which may be far ahead",
    ),
    "message.max.bytes": ("33554432", "TiCDC's own bound for a message is 10 MB"),
    "replica.fetch.max.bytes": ("33554432", "the same"),
    "log.index.size.max.bytes": ("1048576", "hundreds of partitions would map 20 MB each"),
    "log.cleaner.dedupe.buffer.size": ("4194304", "128 MB by default, for topics of a few KB"),
    "leader.imbalance.check.interval.seconds": (
        "1",
        "5 minutes by default; a case waits until a broker that came back leads again",
    ),
    "log.cleaner.backoff.ms": ("500", "15 s by default; a case waits for the cleaner"),
    "num.network.threads": ("2", "few clients on few cores"),
    "num.io.threads": ("4", "few clients on few cores"),
}


def start(startup: Startup) -> Running:
    """Start a broker; raises SetupError when there is no suitable Java or it does not come up."""
    java = find_java("kafka", startup.env)
    classpath = ":".join(str(jar) for jar in startup.fetch("kafka"))
    made_from = [one.sha256 for one in locked("kafka")]
    home = startup.cache / "kafka"
    storage = once(
        home / f"storage-{key(*made_from)}",
        lambda there: _format(java, classpath, startup, there, _properties((9092, 9093), there)),
    )
    classes = ClassArchive.of(home, startup.data, str(java.home), java.version, *JVM, *made_from)

    def attempt(ports: Sequence[int]) -> Attempt:
        shutil.copytree(storage, startup.data / "log")
        properties = startup.directory / "server.properties"
        properties.write_text(_properties(ports, startup.data / "log"), encoding="ascii")
        address = Kafka(f"{HOST}:{ports[0]}")
        options = (*JVM, f"-Djava.io.tmpdir={startup.data}", classes.option)
        command = [str(java.executable), *options, *(() if startup.lasting else (QUICK,))]
        return Attempt(
            argv=[*command, "-cp", classpath, "kafka.Kafka", str(properties)],
            env=environment(startup.env),
            address=address,
            ready=lambda: _answers(address.bootstrap),
        )

    startup.report("starting", f"Java {java.version}")
    return classes.kept_from(launch(startup, 2, attempt))


def start_second(first: Running) -> Running:
    """Start another broker of the cluster of a running one; it returns when both are listed.

    Raises SetupError when it does not come up.
    """
    _impatient(first)
    directory = first.startup.directory.with_name("kafka-2")
    directory.mkdir(parents=True, exist_ok=True)
    startup = replace(first.startup, name="kafka-2", directory=directory, port=None)
    java = find_java("kafka", startup.env)
    classpath = ":".join(str(jar) for jar in startup.fetch("kafka"))
    made_from = [one.sha256 for one in locked("kafka")]
    lines = (first.startup.directory / "server.properties").read_text("ascii").splitlines()
    (voters,) = (line.partition("=")[2] for line in lines if line.startswith(f"{VOTERS}="))
    storage = once(
        startup.cache / "kafka" / f"second-{key(*made_from)}",
        lambda there: _format(java, classpath, startup, there, _second(9094, there, voters)),
    )

    home = startup.cache / "kafka"
    classes = ClassArchive.of(home, startup.data, str(java.home), java.version, *JVM, *made_from)
    known = [classes.option] if classes.made else []  # by a first broker, of another run

    def attempt(ports: Sequence[int]) -> Attempt:
        shutil.copytree(storage, startup.data / "log")
        properties = directory / "server.properties"
        properties.write_text(_second(ports[0], startup.data / "log", voters), encoding="ascii")
        command = [str(java.executable), *JVM, QUICK, f"-Djava.io.tmpdir={startup.data}", *known]
        address = Kafka(f"{HOST}:{ports[0]}")
        return Attempt(
            argv=[*command, "-cp", classpath, "kafka.Kafka", str(properties)],
            env=environment(startup.env),
            address=address,
            ready=lambda: _answers(address.bootstrap, brokers=2),
        )

    return launch(startup, 1, attempt)


def _impatient(first: Running) -> None:
    """Let the controller take a broker soon that was away; it has to start again for that.

    Until the session of its last life is over, a broker cannot register.
    """
    properties = first.startup.directory / "server.properties"
    text = properties.read_text("ascii")
    first.halt()
    properties.write_text(text + f"broker.session.timeout.ms={SESSION_MS}\n", encoding="ascii")
    first.revive()


def _properties(ports: Sequence[int], log_dir: Path) -> str:
    broker, controller = ports
    settings = {name: value for name, (value, _) in SETTINGS.items()}
    settings |= {
        "listeners": f"BROKER://{HOST}:{broker},CONTROLLER://{HOST}:{controller}",
        "advertised.listeners": f"BROKER://{HOST}:{broker}",
        VOTERS: f"{NODE_ID}@{HOST}:{controller}",
        "log.dirs": str(log_dir),
    }
    return _text(settings)


def _second(port: int, log_dir: Path, voters: str) -> str:
    """Return the properties of a broker that is no controller."""
    settings = {name: value for name, (value, _) in SETTINGS.items()}
    listener = f"BROKER://{HOST}:{port}"
    settings |= {
        "process.roles": "broker",
        "node.id": str(SECOND_ID),
        "listeners": listener,
        "advertised.listeners": listener,
        VOTERS: voters,
        "log.dirs": str(log_dir),
    }
    return _text(settings)


def _text(settings: Mapping[str, str]) -> str:
    return "".join(f"{name}={_escaped(value)}\n" for name, value in settings.items())


def _escaped(value: str) -> str:
    """Return a value as Java reads it out of a properties file, which it takes for Latin-1."""
    utf16 = value.replace("\\", "\\\\").encode("utf-16-be")
    units = (int.from_bytes(utf16[at : at + 2], "big") for at in range(0, len(utf16), 2))
    return "".join(chr(unit) if 0x20 <= unit < 0x7F else f"\\u{unit:04x}" for unit in units)


def _format(java: Java, classpath: str, startup: Startup, directory: Path, text: str) -> None:
    """Let Kafka's own tool format an empty storage; nothing in it depends on ports or paths."""
    startup.report("preparing", "formatting storage")
    properties = directory / "server.properties"
    properties.write_text(text, encoding="ascii")
    command = [str(java.executable), *JVM, QUICK, "-cp", classpath, "kafka.tools.StorageTool"]
    with spawn(
        [*command, "format", "-t", CLUSTER_ID, "-c", str(properties)],
        cwd=directory,
        env=environment(startup.env),
        stdout=startup.log,
        stderr=startup.log,
        scratch=[directory],
    ) as child:
        status = child.wait(FORMAT_DEADLINE_S)
    properties.unlink()
    if status or not (directory / "meta.properties").is_file():
        raise SetupError(
            f"Kafka's StorageTool {how_ended(status)}\n{log_end(startup.log)}",
            hint=f"the whole log is in {startup.log}",
        )


def _answers(bootstrap: str, *, brokers: int = 1) -> bool:
    """Return whether the broker lists itself, and as many as there are to be; a port says less."""
    host, _, port = bootstrap.partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=PROBE_TIMEOUT_S).close()
    except OSError:
        return False
    client = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    try:
        return len(client.list_topics(timeout=PROBE_TIMEOUT_S).brokers) >= brokers
    except KafkaException:
        return False
