"""A Kafka Connect worker of our own: started, asked over REST, stopped."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

from adapter import JSON, Json

START_S = 300.0  # on a busy machine
REQUEST_S = 300.0
JAVA = ("java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


class RefusedError(Exception):
    """What the worker says of a connector that it does not take."""


class Worker:
    """The worker of one job; a context manager."""

    def __init__(self, order: Json, home: Path) -> None:
        """Write the worker's properties; `home` holds its jars."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.home = home
        work = Path(order["work_dir"])
        self.properties = work / "worker.properties"
        lines = {
            **order["kafka"]["java"],
            "key.converter": JSON,
            "value.converter": JSON,
            "offset.storage.file.filename": str(work / "offsets.dat"),
            "offset.flush.interval.ms": "1000",
            "plugin.path": str(home / "plugins"),
            "plugin.discovery": "only_scan",
            "listeners": self.url,
            "consumer.auto.offset.reset": "earliest",
            # After a kill the group waits for the dead worker: 45 s where nothing is said.
            "consumer.session.timeout.ms": "6000",
            "consumer.heartbeat.interval.ms": "2000",
        }
        lines |= {f"consumer.{name}": value for name, value in order["kafka"]["java"].items()}
        del lines["isolation.level"]
        self.properties.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        main = "org.apache.kafka.connect.cli.ConnectStandalone"
        command = [*JAVA, "-cp", f"{self.home / 'worker'}/*", main, str(self.properties)]
        self.process = subprocess.Popen(command)
        deadline = time.monotonic() + START_S
        while True:
            try:
                self.ask("GET", "/connectors")
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return self

    def __exit__(self, *_: object) -> None:
        """Stop it; what it has written is written."""
        self.process.kill()
        self.process.wait()

    def create(self, name: str, config: dict[str, str]) -> None:
        """Create a connector; raises RefusedError."""
        try:
            self.ask("PUT", f"/connectors/{name}/config", config)
        except urllib.error.HTTPError as error:
            raise RefusedError(" ".join(error.read().decode().split())) from None

    def failures(self) -> dict[str, str]:
        """Return the cause of each connector that has failed, itself or a task of it."""
        found = {}
        for name, answer in self.ask("GET", "/connectors?expand=status").items():
            for part in (answer["status"]["connector"], *answer["status"]["tasks"]):
                if part["state"] == "FAILED":
                    found[name] = _cause(part.get("trace", ""))
        return found

    def committed(self, name: str) -> dict[tuple[str, int], int]:
        """Return the position that a connector has committed, by topic and partition."""
        answer = self.ask("GET", f"/connectors/{name}/offsets")
        return {
            (o["partition"]["kafka_topic"], o["partition"]["kafka_partition"]): o["offset"][
                "kafka_offset"
            ]
            for o in answer["offsets"]
        }

    def ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Ask the worker; raises OSError."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=REQUEST_S) as answer:
            return json.load(answer)


def _cause(trace: str) -> str:
    """Return the deepest cause of a stack trace, and where it was thrown."""
    causes = re.findall(
        r"^Caused by: (.*(?:\n(?!\s+at |Caused by).*)*)\n\s+at (.*)$", trace, re.MULTILINE
    )
    if not causes:
        return " ".join(trace.splitlines()[:1])
    said, place = causes[-1]
    return f"{' '.join(said.split())[:600]} (at {place.partition('(')[2].rstrip(')')})"
