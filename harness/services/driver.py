"""MySQL's driver, which comes with the extra `upstream`: only who uses a database needs it."""

from __future__ import annotations

from typing import Any

from harness.errors import SetupError

HINT = "pip install 'cdc-conformance[upstream]'"


def connector() -> Any:  # noqa: ANN401 - the module, which has no types of its own
    """Return the module `mysql.connector`; raises SetupError when it is not installed."""
    try:
        import mysql.connector  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        raise SetupError(
            "a database needs mysql-connector-python, which is not installed", hint=HINT
        ) from error
    return mysql.connector
