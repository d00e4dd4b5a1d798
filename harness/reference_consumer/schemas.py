"""Schemas by id, read from the registry that the job names."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from typing import Any

import orjson
import urllib3
from urllib3.exceptions import HTTPError

from harness.errors import REACH_REGISTRY, DecodingError, SchemaRefused, SetupError

TIMEOUT_S = 10.0
# A registry may be away for as long as its restart takes; within each of these tries are more.
RETRIES = urllib3.Retry(
    total=18, backoff_factor=0.2, backoff_max=2, status_forcelist=(500, 502, 503, 504)
)
NOT_FOUND = 404


class JobRegistry:
    """The registry of job.json; a schema is asked for once."""

    def __init__(self, registry: Mapping[str, Any], patience_s: float = 0) -> None:
        """Take the job's `registry`: url and client properties under Confluent's names.

        One that does not answer is asked again for `patience_s` seconds from now.
        """
        self._until = time.monotonic() + patience_s
        properties: Mapping[str, str] = registry["properties"]
        self._url = str(registry["url"]).rstrip("/")
        account = properties.get("basic.auth.user.info")
        self._headers = urllib3.make_headers(basic_auth=account) if account else {}
        ca = properties.get("schema.registry.ssl.truststore.location")
        context = ssl.create_default_context(cafile=ca) if ca else None
        self._http = urllib3.PoolManager(ssl_context=context, retries=RETRIES, timeout=TIMEOUT_S)
        self._known: dict[int, str] = {}

    def register(self, subject: str, schema: str) -> int:
        """Refuse: a consumer registers nothing."""
        raise SchemaRefused(f"a consumer has no schema to post under {subject}: {schema[:80]}")

    def schema(self, schema_id: int) -> str:
        """Return a schema's text.

        Raises DecodingError for an id that the registry does not know, SetupError when it does not
        answer.
        """
        known = self._known.get(schema_id)
        if known is None:
            known = self._known[schema_id] = self._asked(schema_id)
        return known

    def _asked(self, schema_id: int) -> str:
        url = f"{self._url}/schemas/ids/{schema_id}"
        while True:
            try:
                answer = self._http.request("GET", url, headers=self._headers)
                break
            except HTTPError as error:
                if time.monotonic() < self._until:
                    continue
                raise SetupError(
                    f"the registry does not answer {url}: {error}", hint=REACH_REGISTRY
                ) from error
        if answer.status == NOT_FOUND:
            raise DecodingError(f"unknown schema id {schema_id}")
        if answer.status != 200:
            raise SetupError(f"the registry answers {answer.status} to {url}", hint=REACH_REGISTRY)
        return str(orjson.loads(answer.data)["schema"])
