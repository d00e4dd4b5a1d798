"""MySQL's driver, which comes with the extra `upstream`: only who uses a database needs it.

One place connects. One driver everywhere, the pure one and not whichever was compiled; and a
collation that every server knows, for the driver's own default is unknown to MariaDB.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from harness.errors import SetupError

HINT = "pip install 'cdc-conformance[upstream]'"
CHARACTER_SET, COLLATION = "utf8mb4", "utf8mb4_bin"


class Address(Protocol):
    """Where a server is, and who we are there."""

    @property
    def host(self) -> str:
        """Return its host."""
        ...

    @property
    def port(self) -> int:
        """Return its port."""
        ...

    @property
    def user(self) -> str:
        """Return the account's name."""
        ...

    @property
    def password(self) -> str:
        """Return the account's password, "" for none."""
        ...


def connector() -> Any:  # noqa: ANN401 - the module, which has no types of its own
    """Return the module `mysql.connector`; raises SetupError when it is not installed."""
    try:
        import mysql.connector  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        raise SetupError(
            "a database needs mysql-connector-python, which is not installed", hint=HINT
        ) from error
    return mysql.connector


def require_recording() -> None:
    """Raise SetupError where the driver, or what reads binary logs, is not installed."""
    connector()
    try:
        import_module("pymysqlreplication")
    except ModuleNotFoundError as error:
        raise SetupError(
            "a binary log needs mysql-replication, which is not installed", hint=HINT
        ) from error


def connected(
    server: Address,
    timeout_s: int,
    statement_s: int | None = None,
    **more: Any,  # noqa: ANN401 - the driver's own
) -> Any:  # noqa: ANN401 - the driver has no types
    """Return a connection to a server; raises the driver's `Error` and OSError as they come.

    `timeout_s` bounds the connecting, `statement_s` each reading and writing afterwards; `more` are
    the driver's own arguments.
    """
    return connector().connect(
        host=server.host,
        port=server.port,
        user=server.user,
        password=server.password,
        charset=CHARACTER_SET,
        collation=COLLATION,
        connection_timeout=timeout_s,
        read_timeout=statement_s,
        write_timeout=statement_s,
        use_pure=True,
        **more,
    )
