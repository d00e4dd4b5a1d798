"""The proxy before a registry: what it passes on, and the trouble that it makes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import urllib3

from harness.services import Registry, fronted

SCHEMA = b'{"schema":"\\"int\\""}'
BODIES = {
    "/base/schemas/ids/1": SCHEMA,
    "/base/subjects/a/versions/1": b'{"id":1}',
    "/base/subjects/b/versions/1": b'{"id":2}',
}


class _Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer a schema at one path, and 404 elsewhere."""
        body = BODIES.get(self.path, SCHEMA)
        self.send_response(200 if self.path in BODIES else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as there
        """Say nothing."""


@pytest.fixture
def registry() -> Iterator[Registry]:
    """Yield a registry that has one schema."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Registry(f"http://127.0.0.1:{server.server_address[1]}/base")
    server.shutdown()
    server.server_close()


def asked(url: str, times: int) -> list[int]:
    """Return the statuses of so many questions."""
    with urllib3.PoolManager(retries=False) as http:
        return [http.request("GET", url).status for _ in range(times)]


def test_answers_are_passed_on(registry: Registry) -> None:
    """Without trouble the registry's own answers come, its refusals as well."""
    with fronted(registry) as front, urllib3.PoolManager(retries=False) as http:
        assert front.address.url != registry.url
        assert http.request("GET", f"{front.address.url}/schemas/ids/1").data == SCHEMA
        assert asked(f"{front.address.url}/schemas/ids/2", 1) == [404]


def test_errors_come_first_as_often_as_the_seed_says(registry: Registry) -> None:
    """Each path is answered 500 from one time to so many, then for good; the seed decides."""
    drawn = set()
    for seed in range(8):
        counts = []
        for _ in range(2):
            with fronted(registry) as front:
                front.begin(0.0, 3, seed)
                statuses = asked(f"{front.address.url}/schemas/ids/1", 5)
            counts.append(statuses.count(500))
            assert statuses == sorted(statuses, reverse=True)
            assert statuses[-1] == 200
        assert counts[0] == counts[1]
        drawn.add(counts[0])
    assert drawn == {1, 2, 3}


def test_a_forgotten_schema_is_unknown(registry: Registry) -> None:
    """Its id is answered 404, whatever follows in the path, and so is a subject that has it."""
    with fronted(registry) as front, urllib3.PoolManager(retries=False) as http:
        url = f"{front.address.url}/schemas/ids/1"
        assert asked(url, 1) == [200]
        front.forget(1)
        for path in (url, f"{url}?fetchMaxId=false", f"{url}/versions"):
            answer = http.request("GET", path)
            assert (answer.status, answer.json()["error_code"]) == (404, 40403)
        assert asked(f"{front.address.url}/subjects/b/versions/1", 1) == [200]
        assert asked(f"{front.address.url}/subjects/a/versions/1", 1) == [404]


def test_answers_come_late(registry: Registry) -> None:
    """A client whose patience is shorter has no answer."""
    with fronted(registry) as front, urllib3.PoolManager(retries=False) as http:
        front.begin(0.5, 0, 0)
        url = f"{front.address.url}/schemas/ids/1"
        with pytest.raises(urllib3.exceptions.TimeoutError):
            http.request("GET", url, timeout=0.1)
        assert http.request("GET", url).status == 200


def test_a_registry_that_is_gone_is_a_bad_gateway() -> None:
    """The front answers 502 where nobody stands behind it."""
    with fronted(Registry("http://127.0.0.1:1")) as front:
        assert asked(f"{front.address.url}/schemas/ids/1", 1) == [502]
