"""A registry that is away is waited for as long as the job lets a consumer wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import urllib3

from harness.errors import SetupError
from harness.reference_consumer import schemas
from harness.reference_consumer.schemas import JobRegistry
from harness.services.ports import free_ports

AWAY_S = 1.0


class Answers(BaseHTTPRequestHandler):
    """A registry with one schema."""

    def do_GET(self) -> None:
        """Answer with it."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"schema": "the one"}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def away(port: int) -> Generator[None]:
    """Let a registry come up on a port after a while."""
    servers: list[HTTPServer] = []

    def serve() -> None:
        time.sleep(AWAY_S)
        servers.append(HTTPServer(("127.0.0.1", port), Answers))
        servers[0].serve_forever(0.05)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        while not servers:
            time.sleep(0.05)
        servers[0].shutdown()
        servers[0].server_close()
        thread.join()


def test_a_registry_that_is_long_away_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than a client's own tries take; without patience it gives up after those."""
    monkeypatch.setattr(schemas, "RETRIES", urllib3.Retry(total=1, backoff_factor=0.05))
    (port,) = free_ports(1, None)
    job = {"url": f"http://127.0.0.1:{port}", "properties": {}}
    with away(port):
        with pytest.raises(SetupError, match="the registry does not answer"):
            JobRegistry(job).schema(1)
        assert JobRegistry(job, 60).schema(1) == "the one"
