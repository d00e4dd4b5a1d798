"""Maintenance: `python -m harness.oracles.mariadb.lock` resolves the root and writes `jars.lock`.

Maven must be installed, as for the services' own lock. The worker and the converter are those of
the Vitess oracle's lock.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from harness.oracles.vitess.lock import OF_WORKER
from harness.services.lock import Group, write

LOCK = Path(__file__).with_name("jars.lock")
# The last release of this connector that Maven Central has.
VERSION = "3.3.0.Final"
CONNECTOR = f"io.debezium:debezium-connector-mariadb:{VERSION}"
GROUP = f"mariadb-{VERSION}"
# The MySQL connector follows a MariaDB as well, without its GTIDs.
MYSQL_VERSION = "3.3.1.Final"
MYSQL_CONNECTOR = f"io.debezium:debezium-connector-mysql:{MYSQL_VERSION}"
MYSQL_GROUP = f"mysql-{MYSQL_VERSION}"
GROUPS: Mapping[str, Group] = {
    GROUP: Group(roots=(CONNECTOR,), dropped=OF_WORKER),
    MYSQL_GROUP: Group(roots=(MYSQL_CONNECTOR,), dropped=OF_WORKER),
}


def main() -> int:
    """Write the lock file; return the exit code."""
    return write(LOCK, GROUPS, "harness.oracles.mariadb.lock")


if __name__ == "__main__":
    sys.exit(main())
