"""Somebody's schema registry: asked once for its subjects, with the account it was given."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

import certifi
import urllib3
from urllib3.exceptions import HTTPError, SSLError

from harness.errors import SetupError, UsageError
from harness.services.external.reached import Reached
from harness.services.launch import Startup
from harness.services.service import Registry
from harness.services.settings import Settings

TIMEOUT = urllib3.Timeout(total=8.0)
# Status -> what it means, and the next step.
REFUSALS: Mapping[int, tuple[str, str]] = {
    401: ("refuses who we are", "check registry.user and registry.password"),
    403: ("forbids us to list subjects", "give this user the right to read and write subjects"),
    404: (
        "has no /subjects",
        "give the base of the Confluent API: Apicurio has it under /apis/ccompat/v7",
    ),
}


def start(startup: Startup) -> Reached:
    """Return the registry of the settings once it has answered; raises SetupError, UsageError."""
    registry = address(startup.settings)
    startup.report("starting", f"looking for {registry.url}")
    probe(registry)
    parts = urlsplit(registry.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return Reached("registry", registry, [(parts.hostname or "", port)])


def address(settings: Settings) -> Registry:
    """Return the registry that the settings name; an account may stand in the URL as well."""
    parts = urlsplit(settings.text("registry.url"))
    host = parts.netloc.rpartition("@")[2]
    return Registry(
        url=f"{parts.scheme}://{host}{parts.path}".rstrip("/"),
        user=settings.text("registry.user") or parts.username or "",
        password=settings.text("registry.password") or parts.password or "",
        ca=settings.text("registry.ca"),
    )


def probe(registry: Registry) -> None:
    """Ask for the subjects; raises SetupError with the cause."""
    url = f"{registry.url}/subjects"
    try:
        with urllib3.PoolManager(ssl_context=tls_context(registry)) as http:
            answer = http.request(
                "GET", url, headers=headers(registry), timeout=TIMEOUT, retries=False
            )
            status, body = answer.status, answer.data
    except SSLError as error:
        raise _unusable(
            registry,
            f"does not come to terms over TLS: {error}",
            "name the file of its certificate authority with registry.ca",
        ) from error
    except HTTPError as error:
        raise _unusable(
            registry,
            f"cannot be reached: {error}",
            "check that it runs, that host and port are right, and that it speaks"
            f" {urlsplit(registry.url).scheme}",
        ) from error
    if status != 200:
        what, hint = REFUSALS.get(status, (f"answers {status}", "look at its log"))
        raise _unusable(registry, what, hint)
    if not _is_list(body):
        raise _unusable(registry, "answers, but not as a registry does", REFUSALS[404][1])


def headers(registry: Registry) -> dict[str, str]:
    """Return the headers that carry the account."""
    if not registry.user:
        return {}
    return dict(urllib3.make_headers(basic_auth=f"{registry.user}:{registry.password}"))


def tls_context(registry: Registry) -> ssl.SSLContext:
    """Return how its certificate is checked; UsageError for a file that holds none."""
    context = ssl.create_default_context()
    if not registry.ca:
        if not ssl.get_default_verify_paths().cafile:
            context.load_verify_locations(certifi.where())
        return context
    try:
        context.load_verify_locations(registry.ca)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            f"registry.ca: {registry.ca} cannot be read: {error}",
            expected="a file with certificates in PEM",
        ) from error
    return context


def _is_list(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), list)
    except ValueError:
        return False


def _unusable(registry: Registry, what: str, hint: str) -> SetupError:
    account = f"user={registry.user}, password=***" if registry.user else "no account"
    ca = f", ca={registry.ca}" if registry.ca else ""
    return SetupError(
        f"the schema registry at {registry.url} {what}\n    tried with: {account}{ca}", hint=hint
    )
