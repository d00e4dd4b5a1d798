"""The key `attach` of a manifest: what is said of a running system, with every problem's place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.documents.yaml_file import YamlFile
from harness.errors import Problem
from harness.runner.attach import Attach, Server
from harness.runner.commands import Whereabouts
from harness.runner.result import Holder

SETTLE_S = 5.0
DEFAULT_PORT = 3306
URL = "mysql://user:password@host:port/"
# What holds the tables -> the keys that say where, and those that may be said besides.
KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Holder.FILES: (("directory",), ()),
    Holder.DATABASE: (("url-from", "database"), ("table",)),
}


def read_attach(source: YamlFile, beside: Whereabouts, problems: list[Problem]) -> Attach | None:
    """Return what the manifest says of a running system; what is wrong is added to `problems`."""
    row: Mapping[str, Any] = source.data["attach"]
    result: Mapping[str, Any] = row["result"]
    found = [*_misplaced(source, result)]
    server = None
    if not found and result["in"] == Holder.DATABASE:
        server = _server(source, result["url-from"], beside, found)
    if "result" in source.data:
        place = source.place(("result",))
        found.append(Problem(place, "`result` is of a command", hint="say it under `attach`"))
    problems += found
    if found:
        return None
    directory = result.get("directory", "")
    return Attach(
        topics=row["topics"],
        settle_s=float(row.get("settle", SETTLE_S)),
        group=row.get("group", ""),
        directory=directory and str(beside.directory / directory),
        server=server,
        database=result.get("database", ""),
        table=result.get("table", "{table}"),
    )


def _misplaced(source: YamlFile, result: Mapping[str, Any]) -> list[Problem]:
    """Return a problem for each key of the result that is missing, or of the other holder."""
    holder = result["in"]
    needed, allowed = KEYS[holder]
    missing = [
        Problem(source.place(("attach", "result")), f"`{key}` is missing, for `in: {holder}`")
        for key in needed
        if key not in result
    ]
    strange = [
        Problem(source.place(("attach", "result", key)), f"`{key}` is not for `in: {holder}`")
        for key in result
        if key not in {"in", *needed, *allowed}
    ]
    return [*missing, *strange]


def _server(
    source: YamlFile, variable: str, beside: Whereabouts, problems: list[Problem]
) -> Server | None:
    """Return the server that a variable names; its value is told to nobody."""
    place = source.place(("attach", "result", "url-from"))
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
