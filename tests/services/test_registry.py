"""The embedded registry does what Confluent's does; an external one is let in or told why not."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import urllib3

from harness.engine.run.jobs import registry_job
from harness.errors import HarnessError, SetupError, UsageError
from harness.services import Registry, Services, settings, start
from harness.services.ports import HOST, free_ports

pytestmark = pytest.mark.services

FIRST = {"type": "record", "name": "t", "fields": [{"name": "a", "type": "int"}]}
INCOMPATIBLE = {"type": "record", "name": "t", "fields": [{"name": "a", "type": "string"}]}
CONTENT = {"Content-Type": "application/vnd.schemaregistry.v1+json"}


@pytest.fixture(scope="module")
def registry(shared: Callable[..., Services]) -> Registry:
    """Return an embedded registry for all tests of this file."""
    return shared("registry").registry


def send(method: str, url: str, document: object = None) -> tuple[int, Any]:
    """Return the status and the document that the registry answers."""
    body = None if document is None else json.dumps(document)
    answer = urllib3.request(method, url, body=body, headers=CONTENT, timeout=20)
    return answer.status, answer.json()


def test_schemas_come_back_by_id(registry: Registry) -> None:
    """A registered schema is found by the id that a record would carry."""
    subject = f"{registry.url}/subjects/t-value"
    status, answer = send("POST", f"{subject}/versions", {"schema": json.dumps(FIRST)})
    assert status == 200
    _, found = send("GET", f"{registry.url}/schemas/ids/{answer['id']}")
    assert json.loads(found["schema"]) == FIRST


def test_backward_incompatible_schemas_are_refused(registry: Registry) -> None:
    """With BACKWARD compatibility a schema that cannot read old records gets 409."""
    subject = f"{registry.url}/subjects/compatible-value"
    assert send("POST", f"{subject}/versions", {"schema": json.dumps(FIRST)})[0] == 200
    config = f"{registry.url}/config/compatible-value"
    assert send("PUT", config, {"compatibility": "BACKWARD"})[0] == 200
    assert send("POST", f"{subject}/versions", {"schema": json.dumps(INCOMPATIBLE)})[0] == 409


def test_a_registry_that_goes_away_answers_nothing_wrong_and_forgets_nothing(
    tmp_path: Path,
) -> None:
    """In an orderly end it would say 500, or worse, to who asks for a schema that it has."""
    said: set[int] = set()
    over = threading.Event()

    def ask(url: str) -> None:
        with urllib3.PoolManager(retries=False, timeout=5) as http:
            while not over.is_set():
                with suppress(urllib3.exceptions.HTTPError):
                    said.add(http.request("GET", url).status)

    with start(["registry"], run_dir=tmp_path, on_event=lambda _: None) as services:
        subject = f"{services.registry.url}/subjects/t-value"
        _, made = send("POST", f"{subject}/versions", {"schema": json.dumps(FIRST)})
        with ThreadPoolExecutor(4) as pool:
            try:
                url = f"{services.registry.url}/schemas/ids/{made['id']}"
                for _ in range(4):
                    pool.submit(ask, url)
                for number in range(3):
                    later = {**FIRST, "name": f"t{number}"}
                    _, new = send(
                        "POST", f"{subject}{number}/versions", {"schema": json.dumps(later)}
                    )
                    services.halt("registry")
                    assert services._ours("registry").child.poll() == -signal.SIGKILL
                    services.revive("registry")
                    known = send("GET", f"{services.registry.url}/schemas/ids/{new['id']}")
                    assert json.loads(known[1]["schema"]) == later
            finally:
                over.set()
    assert said == {200}


def looked_for(tmp_path: Path, **values: str) -> Registry:
    """Return the external registry of these settings, `registry_url` and so on."""
    options = {name.replace("_", "."): value for name, value in values.items()}
    found = settings(options, env={}, here=tmp_path)
    with start(["registry"], run_dir=tmp_path, on_event=lambda _: None, settings=found) as services:
        services.check()
        return services.registry


def refused(tmp_path: Path, **values: str) -> HarnessError:
    """Return the error that these settings end with; no password is in it."""
    with pytest.raises(HarnessError) as caught:
        looked_for(tmp_path, **values)
    assert "Pa55" not in str(caught.value)
    return caught.value


def test_an_external_registry_is_found(registry: Registry, tmp_path: Path) -> None:
    """The address is the base of the Confluent API; anything below it is told so."""
    assert looked_for(tmp_path, registry_url=registry.url + "/").url == registry.url
    error = refused(tmp_path, registry_url=registry.url.removesuffix("/apis/ccompat/v7"))
    assert isinstance(error, SetupError)
    assert "/apis/ccompat/v7" in error.hint


def test_nobody_there_is_said(tmp_path: Path) -> None:
    """A closed port is named, with the account that was tried."""
    (port,) = free_ports(1)
    url = f"http://me:Pa55@{HOST}:{port}"
    error = refused(tmp_path, registry_url=url)
    assert isinstance(error, SetupError)
    assert f"{HOST}:{port}" in error.what
    assert "user=me, password=***" in error.what


class Guarded(BaseHTTPRequestHandler):
    """Answers whoever is `me`, as a registry behind a gateway would."""

    def do_GET(self) -> None:
        """Answer an empty list, or 401."""
        known = urllib3.make_headers(basic_auth="me:Pa55")["authorization"]
        fit = self.headers.get("Authorization") == known
        self.send_response(200 if fit else 401)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@contextmanager
def gateway() -> Generator[str]:
    """Run a server that asks who you are; yield its host and port."""
    with ThreadingHTTPServer((HOST, 0), Guarded) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"{HOST}:{server.server_port}"
        server.shutdown()
        thread.join()


def test_accounts_are_used(tmp_path: Path) -> None:
    """An account in settings or URL is sent, and handed to consumers; a wrong one is said."""
    with gateway() as place:
        found = looked_for(
            tmp_path, registry_url=f"http://{place}", registry_user="me", registry_password="Pa55"
        )
        assert looked_for(tmp_path, registry_url=f"http://me:Pa55@{place}") == found
        assert registry_job(found).properties["basic.auth.user.info"] == "me:Pa55"
        error = refused(tmp_path, registry_url=f"http://you:Pa55@{place}")
        assert "refuses who we are" in error.what
        assert "registry.password" in error.hint


def test_tls_is_said(tmp_path: Path) -> None:
    """A registry that speaks no TLS is no https one; a file that holds no certificate is named."""
    with gateway() as place:
        error = refused(tmp_path, registry_url=f"https://{place}")
        assert isinstance(error, SetupError)
        assert "TLS" in error.what
        assert "registry.ca" in error.hint
        (tmp_path / "ca.pem").write_text("nothing")
        error = refused(
            tmp_path, registry_url=f"https://{place}", registry_ca=str(tmp_path / "ca.pem")
        )
        assert isinstance(error, UsageError)
        assert "ca.pem" in error.what
