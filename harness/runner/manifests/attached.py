"""The key `attach` of a manifest: what is said of a running system, with every problem's place."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from harness.documents.yaml_file import YamlFile
from harness.errors import Problem
from harness.runner.attach import Attach, Server
from harness.runner.commands import Whereabouts
from harness.runner.manifests.files import AttachedSystem
from harness.runner.result import Holder

DEFAULT_PORT = 3306
URL = "mysql://user:password@host:port/"
# What holds the tables -> the keys that say where, and those that may be said besides.
KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Holder.FILES: (("directory",), ()),
    Holder.DATABASE: (("url-from", "database"), ("table",)),
}


def read_attach(
    file: YamlFile, system: AttachedSystem, beside: Whereabouts, problems: list[Problem]
) -> Attach | None:
    """Return what the manifest says of a running system; what is wrong is added to `problems`."""
    result = system.result
    found = _misplaced(file, result.holder)
    server = None
    if not found and result.holder is Holder.DATABASE:
        server = _server(file, result.url_from, beside, found)
    problems += found
    if found:
        return None
    return Attach(
        topics=system.topics,
        settle_s=system.settle,
        group=system.group,
        directory=result.directory and str(beside.directory / result.directory),
        server=server,
        database=result.database,
        table=result.table,
    )


def _keys(holder: Holder) -> str:
    needed, allowed = KEYS[holder]
    return ", ".join([f"`{key}`" for key in needed] + [f"perhaps `{key}`" for key in allowed])


def _misplaced(file: YamlFile, holder: Holder) -> list[Problem]:
    """Return a problem for each key of the result that is missing, or of the other holder."""
    written = file.data["attach"]["result"]
    needed, allowed = KEYS[holder]
    missing = [
        Problem(
            file.place(("attach", "result")),
            f"`{key}` is missing, for `in: {holder}`",
            expected=_keys(holder),
        )
        for key in needed
        if key not in written
    ]
    others = [
        Problem(
            file.place(("attach", "result", key)),
            f"`{key}` is not for `in: {holder}`",
            expected=_keys(holder),
        )
        for key in written
        if key not in {"in", *needed, *allowed}
    ]
    return [*missing, *others]


def _server(
    file: YamlFile, variable: str, beside: Whereabouts, problems: list[Problem]
) -> Server | None:
    """Return the server that a variable names; its value is never printed."""
    place = file.place(("attach", "result", "url-from"))
    value = beside.environment.get(variable, "")
    if not value:
        hint = f"export {variable}={URL}"
        problems.append(Problem(place, f"the variable {variable} is not set", hint=hint))
        return None
    try:
        parts = urlsplit(value)
        port = parts.port or DEFAULT_PORT
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme != "mysql" or not parts.hostname or not parts.username:
        what = f"the variable {variable} does not name a server and a user"
        problems.append(Problem(place, what, f"an address such as {URL}"))
        return None
    user, password = unquote(parts.username), unquote(parts.password or "")
    return Server(variable, parts.hostname, port, user, password)
