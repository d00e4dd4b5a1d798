"""A consumer's way to the schema registry: a thin proxy that passes questions on, or troubles them.

It asks the real registry and gives its answer as it is, later or not at once. Producers go to the
registry itself.

Source: Confluent Schema Registry API, §Schemas: a question may be answered 500 with error code
50001 (backend data store); TiCDC asks again then (tiflow c7b2588
pkg/sink/codec/avro/confluent_schema_registry.go `httpRetry`).
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import urllib3
from urllib3.exceptions import HTTPError

from harness.services.ports import HOST
from harness.services.service import Registry

UNKNOWN, ERROR, AWAY = 404, 500, 502
BROKEN = b'{"error_code":50001,"message":"Error in the backend data store"}'
FORGOTTEN = b'{"error_code":40403,"message":"Schema not found"}'
BY_ID = re.compile(r"/schemas/ids/(\d+)(?:[/?]|$)")
BY_SUBJECT = "/subjects/"
PASSED_ON = ("Accept", "Authorization", "Content-Type")
TIMEOUT_S = 10.0


class RegistryFront:
    """Stands before one registry; `address` is where a consumer reaches it."""

    def __init__(self, registry: Registry, port: int) -> None:
        """Take the registry, and the port of the front."""
        parts = urlsplit(registry.url)
        self._behind = f"{parts.scheme}://{parts.netloc}"
        here = urlunsplit((parts.scheme, f"{HOST}:{port}", parts.path, "", ""))
        self.address = replace(registry, url=here)
        self._http = urllib3.PoolManager(retries=False, timeout=TIMEOUT_S)
        self._lock = threading.Lock()
        self._late_s, self._errors, self._random = 0.0, 0, Random(0)
        self._left: dict[str, int] = {}
        self._forgotten: set[int] = set()

    def forget(self, schema_id: int) -> None:
        """Answer 404 from now on to whoever asks for a schema, by its id or by its subject."""
        with self._lock:
            self._forgotten.add(schema_id)

    def begin(self, late_s: float, errors: int, seed: int) -> None:
        """Answer from now on after so long, and each path up to `errors` times with 500 first."""
        with self._lock:
            self._late_s, self._errors, self._random = late_s, errors, Random(seed)
            self._left.clear()

    def answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        """Return status, content type and body for a question."""
        with self._lock:
            late_s = self._late_s
            if path not in self._left:
                self._left[path] = self._random.randint(1, self._errors) if self._errors else 0
            failing = self._left[path] > 0
            self._left[path] -= failing
        time.sleep(late_s)
        if failing:
            return ERROR, "application/json", BROKEN
        asked = BY_ID.search(path)
        if asked and int(asked[1]) in self._forgotten:
            return UNKNOWN, "application/json", FORGOTTEN
        try:
            said = self._http.request(
                method, f"{self._behind}{path}", body=body or None, headers=headers
            )
        except HTTPError:
            return AWAY, "application/json", BROKEN
        if self._forgotten and BY_SUBJECT in path and self._gives_away(said.data):
            return UNKNOWN, "application/json", FORGOTTEN
        return said.status, said.headers.get("Content-Type", "application/json"), said.data

    def _gives_away(self, body: bytes) -> bool:
        """Return whether an answer about a subject has a schema that is forgotten."""
        try:
            found: Any = json.loads(body)
        except ValueError:
            return False
        return (
            isinstance(found, dict) and cast("dict[str, Any]", found).get("id") in self._forgotten
        )


@contextmanager
def fronted(registry: Registry) -> Generator[RegistryFront]:
    """Yield a front before a registry on this machine without encryption, until the block ends."""
    fronts: list[RegistryFront] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
            status, kind, body = fronts[0].answer(
                self.command, self.path, headers, self.rfile.read(length)
            )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = _pass_on  # noqa: N815 - names of the standard library

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as there
            """Say nothing: a client that hangs up is no event of ours."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a client may hang up
    front = RegistryFront(registry, int(server.server_address[1]))
    fronts.append(front)
    thread = threading.Thread(target=server.serve_forever, name="registry-front", daemon=True)
    thread.start()
    try:
        yield front
    finally:
        server.shutdown()
        thread.join(TIMEOUT_S)
        server.server_close()
