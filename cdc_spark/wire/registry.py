"""Schemas by id, read from a registry over HTTP and kept by each worker process.

What an id names never changes, so it is asked for once a process. A registry that is away for
a while is waited for; one that does not come back is nobody's poison message but an error. An
id that it does not know is wrong with the message.

Source: Confluent Schema Registry API, §Schemas (by id, by GUID).
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import unquote, urlsplit, urlunsplit
from uuid import UUID

import urllib3
from urllib3.exceptions import HTTPError

from cdc_spark.errors import DecodingError, RegistryAwayError, SetupError, UsageError
from cdc_spark.wire.header_ids import guid_of

TIMEOUT_S = 10.0  # for one answer
# A registry in a container that restarts needs a minute; `WAIT` among the properties says another.
WAIT, WAIT_S = "schema.registry.wait.s", "90"
_PAUSE_S, _PAUSE_MAX_S = 0.2, 5.0
ONCE = urllib3.Retry(connect=0, read=0, status=0, other=0, redirect=5)
NOT_FOUND, FINE = 404, 200
_TROUBLE = frozenset({429, 500, 502, 503, 504})
AWAY = "the schema registry does not answer"
_AGAIN = "start the query again once it does: nothing was applied behind this message"
_LONGER = f"the property {WAIT} says how long it is waited for"
_ACCOUNT = "basic.auth.user.info"
_CA = "schema.registry.ssl.truststore.location"


class Registry:
    """One registry; schemas are remembered by their ids."""

    def __init__(self, url: str, properties: Mapping[str, str]) -> None:
        """Take its address, which may hold an account, and properties by Confluent's names.

        One is ours: `WAIT`, the seconds for which a registry that does not answer is waited for.
        """
        parts = urlsplit(url)
        account = properties.get(_ACCOUNT)
        if parts.username is not None:
            account = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        host = parts.netloc.rpartition("@")[2]
        self._url = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self._headers = urllib3.make_headers(basic_auth=account) if account else {}
        ca = properties.get(_CA)
        context = ssl.create_default_context(cafile=ca) if ca else None
        self._http = urllib3.PoolManager(ssl_context=context, retries=ONCE, timeout=TIMEOUT_S)
        self._wait_s = waited_for(properties)
        self._known: dict[int, str] = {}

    def schema(self, schema_id: int) -> str:
        """Return a schema's text.

        Raises DecodingError for an id that the registry does not know, RegistryAwayError when it
        does not answer.
        """
        text = self._known.get(schema_id)
        if text is None:
            text = self._known[schema_id] = self._asked(schema_id)
        return text

    def _asked(self, schema_id: int) -> str:
        guid = guid_of(schema_id)
        url = (
            f"{self._url}/schemas/guids/{guid}" if guid else f"{self._url}/schemas/ids/{schema_id}"
        )
        try:
            answer = self._answer(url)
        except HTTPError as error:
            raise RegistryAwayError(
                f"{AWAY} {url}, for {self._wait_s:g} s: {error}", hint=f"{_AGAIN}; {_LONGER}"
            ) from error
        if answer.status == NOT_FOUND:
            raise DecodingError(f"the registry knows no schema of id {guid or schema_id}")
        if answer.status != FINE:
            raise RegistryAwayError(f"{AWAY} {url} but with status {answer.status}", hint=_AGAIN)
        try:
            return str(json.loads(answer.data)["schema"])
        except (ValueError, KeyError, TypeError) as error:
            raise RegistryAwayError(f"{AWAY} {url} with a schema", hint=_AGAIN) from error

    def _answer(self, url: str) -> urllib3.BaseHTTPResponse:
        """Return an answer; one of trouble, or HTTPError, when there was nothing else in time."""
        until, pause = monotonic() + self._wait_s, _PAUSE_S
        while True:
            last = monotonic() + pause >= until
            try:
                answer = self._http.request("GET", url, headers=self._headers)
            except HTTPError:
                if last:
                    raise
            else:
                if last or answer.status not in _TROUBLE:
                    return answer
            sleep(pause)
            pause = min(2 * pause, _PAUSE_MAX_S)


def waited_for(properties: Mapping[str, str]) -> float:
    """Return for how many seconds a registry is waited for; raises UsageError for no number."""
    text = properties.get(WAIT, WAIT_S)
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise UsageError(f"{WAIT} is {text!r}", expected="seconds, 0 or more")
    return seconds


class Kept:
    """Schemas that were kept in a file: a JSON object of their texts by id."""

    def __init__(self, path: Path) -> None:
        """Read the file; SetupError when it is not there or is something else."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            self._texts = {_name(name): str(text) for name, text in found.items()}
        except (OSError, ValueError, AttributeError) as error:
            raise SetupError(
                f"the file of schemas {path} cannot be read: {error}",
                expected="a JSON object of schemas by their ids or GUIDs",
            ) from error

    def schema(self, schema_id: int) -> str:
        """Return a schema's text; DecodingError for an id that the file does not have."""
        name = guid_of(schema_id) or str(schema_id)
        if name not in self._texts:
            raise DecodingError(f"the file of schemas has none of id {name}")
        return self._texts[name]


def _name(name: str) -> str:
    return str(int(name)) if name.isdigit() else str(UUID(name))


def registry(url: str, properties: Mapping[str, str]) -> Registry | Kept:
    """Return this process's own registry at an address; `file:` and a path is a file of schemas."""
    return _registry(url, tuple(sorted(properties.items())))


@lru_cache(maxsize=16)
def _registry(url: str, properties: tuple[tuple[str, str], ...]) -> Registry | Kept:
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Kept(Path(unquote(parts.path)))
    return Registry(url, dict(properties))
