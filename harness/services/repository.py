"""Where artifacts come from and where they are kept, as the user's environment says.

| setting | meaning |
| --- | --- |
| `HARNESS_CACHE_DIR` | the cache that all checkouts share; default: the platform's own |
| `HARNESS_MAVEN_MIRROR` | a Maven repository to ask instead of Maven Central |
| `~/.m2/settings.xml` | its `<mirror>` for central, and that mirror's `<server>` credentials |
| `~/.m2/repository` | artifacts there are reused when their sha256 is right |
| `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` | as everywhere |
| `REQUESTS_CA_BUNDLE`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE` | certificates to trust, as everywhere |
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import platformdirs

from harness.errors import UsageError

CENTRAL = "https://repo1.maven.org/maven2"


@dataclass(frozen=True, slots=True)
class Repository:
    """A remote repository (`url` without a closing slash), and the directories on this machine.

    `user` and `password` are None without authentication; `local` is Maven's own repository.
    """

    cache: Path
    url: str = CENTRAL
    user: str | None = None
    password: str | None = None
    local: Path | None = None
    ca_bundle: str | None = None


def repository(env: Mapping[str, str] = os.environ) -> Repository:
    """Return what the environment asks for; raises UsageError for an unreadable settings.xml."""
    home = Path(env["HOME"]) if "HOME" in env else Path.home()
    settings = _settings(home / ".m2" / "settings.xml")
    url, user, password = _mirror(settings, env)
    local = _text(settings, "localRepository")
    return Repository(
        cache=cache_directory(env),
        url=url.rstrip("/"),
        user=user,
        password=password,
        local=Path(_interpolated(local, env)) if local else home / ".m2" / "repository",
        ca_bundle=next(
            (env[n] for n in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE") if env.get(n)), None
        ),
    )


def cache_directory(env: Mapping[str, str] = os.environ) -> Path:
    """Return the directory of everything that is downloaded or prepared once."""
    named = env.get("HARNESS_CACHE_DIR")
    return (
        Path(named).expanduser().absolute()
        if named
        else platformdirs.user_cache_path("cdc-conformance")
    )


def _settings(path: Path) -> ET.Element:
    if not path.is_file():
        return ET.Element("settings")
    try:
        root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - the user's own file
    except (OSError, ValueError, ET.ParseError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}",
            expected="Maven's settings as XML",
            hint="mend it, or name a repository with HARNESS_MAVEN_MIRROR",
        ) from error
    for element in root.iter():  # with or without Maven's namespace
        element.tag = element.tag.rpartition("}")[2]
    return root


def _mirror(settings: ET.Element, env: Mapping[str, str]) -> tuple[str, str | None, str | None]:
    named = env.get("HARNESS_MAVEN_MIRROR")
    if named:
        return named, None, None
    for mirror in settings.findall("mirrors/mirror"):
        url = _text(mirror, "url")
        if (
            url
            and _text(mirror, "blocked") != "true"
            and _is_for_central(_text(mirror, "mirrorOf"))
        ):
            user, password = _credentials(settings, _text(mirror, "id"), env)
            return _interpolated(url, env), user, password
    return CENTRAL, None, None


def _is_for_central(mirror_of: str) -> bool:
    """Read `<mirrorOf>` as Maven does (Guide to Mirror Settings, Advanced Mirror Specification)."""
    names = [name.strip() for name in mirror_of.split(",")]
    return "!central" not in names and any(n in {"central", "*", "external:*"} for n in names)


def _credentials(
    settings: ET.Element, server_id: str, env: Mapping[str, str]
) -> tuple[str | None, str | None]:
    for server in settings.findall("servers/server"):
        user = _interpolated(_text(server, "username"), env)
        password = _interpolated(_text(server, "password"), env)
        if _text(server, "id") == server_id and user:
            return user, password
    return None, None


def _text(element: ET.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _interpolated(text: str, env: Mapping[str, str]) -> str:
    text = re.sub(r"\$\{env\.([^}]+)\}", lambda match: env.get(match[1], match[0]), text)
    return text.replace("${user.home}", env.get("HOME", str(Path.home())))
