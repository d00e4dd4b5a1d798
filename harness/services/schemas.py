"""A real schema registry as encoders and decoders know one, asked as TiCDC asks it.

A refusal (4xx) fails at once, a registry in trouble (5xx, no answer) is asked again with growing
pauses. TiCDC asks for ever; we stop when our patience ends.

Source: tiflow c7b2588 pkg/sink/codec/avro/confluent_schema_registry.go `Register`, `Lookup`,
`httpRetry`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

import urllib3
from urllib3.exceptions import HTTPError

from harness.errors import DecodingError, SchemaRefused, SetupError
from harness.services.external.registry import headers, tls_context
from harness.services.service import Registry
from harness.wire.registry import Compatibility
from harness.wire.registry_http import (
    ACCEPT,
    CONTENT_TYPE,
    register_body,
    schema_path,
    versions_path,
)

TIMEOUT = urllib3.Timeout(total=8.0)
LEVEL_PATH = "/config"
SUBJECTS_PATH = "/subjects"
ITEMS = ""  # under which an answer that is a list is kept
PATIENCE_S = 20.0
PAUSE_S, PAUSE_MAX_S = 0.1, 2.0


class HttpRegistry:
    """One registry; schemas are asked for once."""

    def __init__(
        self,
        registry: Registry,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the address and account, and how long a registry in trouble is asked again."""
        self._registry = registry
        self._patience_s = patience_s
        self._clock = clock
        self._sleep = sleep
        self._http = urllib3.PoolManager(ssl_context=tls_context(registry))
        self._schemas: dict[int, str] = {}

    def register(self, subject: str, schema: str) -> int:
        """Return the schema's id under a subject.

        Raises SchemaRefused when the registry refuses it, SetupError when it cannot be asked.
        """
        status, answer = self._ask("POST", versions_path(subject), register_body(schema))
        if status != 200:
            raise SchemaRefused(
                f"the registry answers {status} to the schema of subject {subject!r}:"
                f" {_said(answer)}",
                hint="409 says not compatible, 422 not a schema",
            )
        found = answer.get("id")
        if not isinstance(found, int) or found < 1:
            raise self._unusable(f"gives the schema id {found!r}")
        self._schemas[found] = schema
        return found

    def schema(self, schema_id: int) -> str:
        """Return a schema's text; DecodingError for an unknown id, SetupError without an answer."""
        known = self._schemas.get(schema_id)
        if known is not None:
            return known
        status, answer = self._ask("GET", schema_path(schema_id), None)
        if status == 404:
            raise DecodingError(f"unknown schema id {schema_id}")
        found = answer.get("schema")
        if status != 200 or not isinstance(found, str):
            raise self._unusable(f"answers {status} to schema id {schema_id}: {_said(answer)}")
        self._schemas[schema_id] = found
        return found

    def require(self, level: Compatibility) -> None:
        """Set the level of every subject without one of its own; Apicurio has none until then."""
        body = json.dumps({"compatibility": level.value})
        status, answer = self._ask("PUT", LEVEL_PATH, body)
        if status != 200:
            raise self._unusable(f"answers {status} to the level {level.value}: {_said(answer)}")

    def subjects(self) -> Sequence[str]:
        """Return the names of all subjects; SetupError when it cannot be asked."""
        status, answer = self._ask("GET", SUBJECTS_PATH, None)
        found = answer.get(ITEMS)
        if status != 200 or not isinstance(found, list):
            raise self._unusable(f"answers {status} to {SUBJECTS_PATH}: {_said(answer)}")
        return [str(one) for one in cast("list[object]", found)]

    def remove(self, subject: str) -> None:
        """Delete a subject for good, in the two steps that Confluent's asks for."""
        path = versions_path(subject).removesuffix("/versions")
        for query in ("", "?permanent=true"):
            status, answer = self._ask("DELETE", path + query, None)
            if status not in {200, 204, 404}:  # one that knows no steps has none left to delete
                raise self._unusable(f"answers {status} to DELETE {path}: {_said(answer)}")

    def _ask(self, method: str, path: str, body: str | None) -> tuple[int, dict[str, Any]]:
        """Return status and answer; ask again while the registry is in trouble."""
        ends = self._clock() + self._patience_s
        pause = PAUSE_S
        while True:
            trouble, status, answer = self._once(method, path, body)
            if not trouble:
                return status, answer
            if self._clock() + pause > ends:
                raise self._unusable(trouble)
            self._sleep(pause)
            pause = min(pause * 2, PAUSE_MAX_S)

    def _once(self, method: str, path: str, body: str | None) -> tuple[str, int, dict[str, Any]]:
        """Return what is in the way, "" for an answer, and the answer."""
        sent = {"Accept": ACCEPT, "Content-Type": CONTENT_TYPE, **headers(self._registry)}
        try:
            answer = self._http.request(
                method,
                f"{self._registry.url}{path}",
                body=None if body is None else body.encode(),
                headers=sent,
                timeout=TIMEOUT,
                retries=False,
            )
        except HTTPError as error:
            return f"cannot be reached: {error}", 0, {}
        if answer.status >= 500:
            return f"answers {answer.status}", 0, {}
        return "", answer.status, _document(answer.data)

    def _unusable(self, what: str) -> SetupError:
        return SetupError(
            f"the schema registry at {self._registry.url} {what}", hint="look at its log"
        )


def _document(body: bytes) -> dict[str, Any]:
    try:
        found: object = json.loads(body)
    except ValueError:
        return {}
    if isinstance(found, list):
        return {ITEMS: found}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _said(answer: dict[str, Any]) -> str:
    return str(answer.get("message") or "no reason given")[:500]
