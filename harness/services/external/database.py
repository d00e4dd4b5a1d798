"""Somebody's MySQL-compatible server: MySQL, MariaDB or TiDB, named by a `mysql://` URL."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from harness.database.driver import connected, connector
from harness.errors import SetupError, UsageError
from harness.services.external.reached import Reached
from harness.services.launch import Startup
from harness.services.service import MariaDb
from harness.services.settings import Settings

DEFAULT_PORT = 3306
TIMEOUT_S = 8
DENIED = frozenset({1045, 1044})  # ER_ACCESS_DENIED_ERROR, ER_DBACCESS_DENIED_ERROR


def start(startup: Startup) -> Reached:
    """Return the server of the settings once it has let us in; raises SetupError, UsageError."""
    server = address(startup.settings)
    startup.report("starting", f"looking for {server}")
    probe(server)
    return Reached("mariadb", server, [(server.host, server.port)])


def address(settings: Settings) -> MariaDb:
    """Return the server of `database.url`; UsageError when that names none."""
    source = settings.source("database.url")
    expected = "mysql://user:password@host:port/"
    try:
        parts = urlsplit(settings.text("database.url"))
        port = parts.port or DEFAULT_PORT
    except ValueError as error:
        raise UsageError(f"{source}: database.url: {error}", expected=expected) from error
    if not parts.hostname or not parts.username or parts.path not in {"", "/"} or parts.query:
        raise UsageError(
            f"{source}: database.url must name a server and a user, nothing else",
            expected=expected,
            hint="scenarios name their databases themselves; a recording creates and drops them",
        )
    return MariaDb(parts.hostname, port, unquote(parts.username), unquote(parts.password or ""))


def probe(server: MariaDb) -> None:
    """Connect once; raises SetupError with the cause."""
    mysql = connector()
    try:
        connected(server, TIMEOUT_S).close()
    except (OSError, mysql.Error) as error:
        denied = getattr(error, "errno", None) in DENIED
        what = "refuses who we are" if denied else "cannot be reached"
        raise SetupError(
            f"the database at {server} {what}: {error}\n"
            f"    tried with: user={server.user}, password=***",
            hint="check user and password in database.url, and that the server lets this host in"
            if denied
            else "check that it runs, and host and port in database.url",
        ) from error
