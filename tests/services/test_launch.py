"""Starting a service process, with small real ones in the place of big ones."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from harness.errors import ServiceLost, SetupError
from harness.services.download import Interrupted
from harness.services.embedded.mariadb import _explained
from harness.services.launch import Attempt, Startup, launch, tail
from harness.services.ports import HOST, free_ports
from harness.services.prepared import key, once
from harness.services.service import Kafka
from harness.services.settings import settings

SERVER = """
import socket, sys, time
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try:
    listener.bind(("127.0.0.1", int(sys.argv[1])))
except OSError:
    print("Address already in use", *["in an orderly end"] * 1000, sep="\\n", flush=True)
    raise SystemExit(1)
listener.listen()
print("listening", flush=True)
while True:
    listener.accept()[0].close()
"""


# One that takes its time to end, and writes once more.
SLOW_TO_END = (
    """
import signal, time
def end(*_):
    time.sleep(1)
    open("late", "w").close()
    raise SystemExit
signal.signal(signal.SIGTERM, end)
"""
    + SERVER
)
# Removes data, and is interrupted at the first file.
REMOVES = """
import sys
from pathlib import Path
from harness.services.launch import _removed
left = ["an interrupt"]
def interrupt(event, _):
    if event == "os.remove" and left:
        left.clear()
        raise KeyboardInterrupt
sys.addaudithook(interrupt)
_removed(Path(sys.argv[1]))
"""


@pytest.fixture
def startup(tmp_path: Path) -> Startup:
    """Return a startup of a service called `thing`."""
    return Startup(
        name="thing",
        directory=tmp_path,
        cache=tmp_path / "cache",
        env={},
        fetch=lambda _: (),
        report=lambda *_: None,
        given_up=threading.Event(),
    )


def answers(port: int) -> bool:
    """Return whether somebody accepts connections there."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def attempt_of(
    code: str, ready: Callable[[int], bool] = answers
) -> Callable[[Sequence[int]], Attempt]:
    """Return an attempt that runs Python code with the port as its argument."""
    return lambda ports: Attempt(
        argv=[sys.executable, "-c", code, str(ports[0])],
        env={},
        address=Kafka(f"{HOST}:{ports[0]}"),
        ready=lambda: ready(ports[0]),
    )


def test_an_interrupted_removal_is_finished_at_the_end(tmp_path: Path) -> None:
    """Ctrl-C in the middle leaves nothing on the disk either."""
    for name in "abc":
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "file").touch()
    words = [sys.executable, "-c", REMOVES, str(tmp_path / "data")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "KeyboardInterrupt" in done.stderr
    assert not (tmp_path / "data").exists()


def test_an_interrupted_stop_waits_for_the_end(startup: Startup) -> None:
    """What the service still writes while it ends is removed too."""
    running = launch(startup, 1, attempt_of(SLOW_TO_END))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        running.stop()
    assert running.child.poll() == 0
    assert not startup.data.exists()


def test_a_service_that_answers_is_running_until_stopped(startup: Startup) -> None:
    """Its log is kept, its data directory goes."""
    running = launch(startup, 1, attempt_of(SERVER))
    running.check()
    assert startup.data.is_dir()
    running.stop()
    assert not startup.data.exists()
    assert startup.log.read_text() == "listening\n"


def test_a_service_that_ends_shows_its_log(startup: Startup) -> None:
    """The error has exit code, the end of the log, and where all of it is; the data goes."""
    code = "print(*range(100), sep='\\n', flush=True); raise SystemExit('out of luck')"
    with pytest.raises(SetupError) as caught:
        launch(startup, 1, attempt_of(code))
    message = str(caught.value)
    assert "exit code 1 while it started" in message
    assert "out of luck" in message
    assert str(startup.log) in message
    assert not re.search(r"\| 3\n", message)
    assert not startup.data.exists()


def test_a_service_that_dies_later_is_noticed(startup: Startup) -> None:
    """Check raises with the signal that killed it and its last words."""
    running = launch(startup, 1, attempt_of(SERVER))
    running.child.signal(9)
    running.child.wait(10)
    with pytest.raises(SetupError, match="killed by signal 9 in the middle of the run") as caught:
        running.check()
    assert "listening" in str(caught.value)
    running.stop()


def test_a_service_that_never_answers_is_ended(startup: Startup) -> None:
    """It has as long as the setting says, which is named, and the process does not stay."""
    hasty = replace(startup, settings=settings({"start.wait-seconds": "0.5"}, env={}))
    with pytest.raises(
        SetupError, match=r"(?s)thing gave no answer in 0\.5 s.*`start.wait-seconds`"
    ):
        launch(hasty, 1, attempt_of(SERVER, lambda _: False))


def test_taken_ports_are_replaced(startup: Startup) -> None:
    """When somebody else was faster, other ports are tried, each on fresh data.

    However much is said after that.
    """
    tried: list[int] = []
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()

        def attempt(ports: Sequence[int]) -> Attempt:
            assert not list(startup.data.iterdir())
            (startup.data / "used").touch()
            tried.append(ports[0])
            port = other.getsockname()[1] if len(tried) < 3 else ports[0]
            return attempt_of(SERVER, lambda _: len(tried) == 3 and answers(port))([port])

        running = launch(startup, 1, attempt)
    running.stop()
    assert len(tried) == 3


def test_what_is_killed_while_it_starts_is_started_again(startup: Startup) -> None:
    """Nothing was lost by then; what is killed each time is not tried for ever."""
    tried: list[int] = []

    def attempt(ports: Sequence[int]) -> Attempt:
        tried.append(ports[0])
        code = SERVER if len(tried) == 3 else "import os; os.kill(os.getpid(), 9)"
        return attempt_of(code)(ports)

    launch(startup, 1, attempt).stop()
    assert len(tried) == 3
    with pytest.raises(SetupError, match="killed by signal 9 5 times while it started"):
        launch(startup, 1, attempt_of("import os; os.kill(os.getpid(), 9)"))


def test_a_killed_guardian_is_a_lost_service(startup: Startup) -> None:
    """It takes the service along, who needed it hears so, and its data goes all the same."""
    running = launch(startup, 1, attempt_of(SERVER))
    os.kill(psutil.Process(running.child.pid).ppid(), signal.SIGKILL)
    psutil.wait_procs([psutil.Process(running.child.pid)], 10)
    with pytest.raises(ServiceLost, match="the process that guards python"):
        running.check()
    running.stop()
    assert not startup.data.exists()


@pytest.mark.parametrize("whom", ["the service", "its guardian"])
def test_what_a_signal_halts_is_let_go_on(startup: Startup, whom: str) -> None:
    """A halted service, or its guardian, goes on, and the run hears of it."""
    heard: list[str] = []
    startup = replace(startup, report=lambda state, detail: heard.append(f"{state}: {detail}"))
    running = launch(startup, 1, attempt_of(SERVER))
    service = psutil.Process(running.child.pid)
    process = service if whom == "the service" else service.parent()
    assert process is not None
    process.suspend()
    until(lambda: process.status() == psutil.STATUS_STOPPED)
    running.check()
    until(lambda: process.status() != psutil.STATUS_STOPPED)
    running.stop()
    (one,) = heard
    assert re.fullmatch(r"continued: .*python\S* was halted by a signal, and goes on", one)


def until(true: Callable[[], bool]) -> None:
    """Wait until something is true, for 10 s at most."""
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_port_that_was_asked_for_must_be_free(startup: Startup) -> None:
    """The port is named, and no other is taken instead."""
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        asked = Startup(**{**{n: getattr(startup, n) for n in startup.__slots__}, "port": port})
        with pytest.raises(SetupError, match=f"port {port} on 127.0.0.1 is in use") as caught:
            launch(asked, 1, attempt_of(SERVER))
    assert f"lsof -i :{port}" in str(caught.value)


def test_giving_up_ends_what_is_starting(startup: Startup) -> None:
    """Ctrl-C while a service starts: it is stopped and not waited for."""
    timer = threading.Timer(0.3, startup.given_up.set)
    timer.start()
    with pytest.raises(Interrupted):
        launch(startup, 1, attempt_of(SERVER, lambda _: False))
    timer.join()
    assert not startup.data.exists()


@pytest.mark.parametrize(
    ("log", "named"),
    [
        (
            "mariadbd: error: libsystemd.so.0: cannot open shared object file: x",
            "libsystemd.so.0",
        ),
        ("/x/mariadbd: /lib64/libm.so.6: version `GLIBC_2.17' not found", "GLIBC_2.17"),
        ("sh: exec: line 0: /x/bin/mariadbd: not found", "loader of glibc"),
    ],
)
def test_a_missing_system_library_is_named(startup: Startup, log: str, named: str) -> None:
    """What the system's loader says becomes an error with the library and where to get it."""
    startup.log.write_text(f"some line\n{log}\n")
    error = _explained(startup, SetupError("thing ended with exit code 127"))
    assert named in error.what
    assert "apt-get install" in error.hint
    startup.log.write_text("InnoDB is unhappy\n")
    assert _explained(startup, error) is error
    assert "--upstream" in str(_explained(startup, OSError(8, "Exec format error")))


def test_free_ports_are_free_and_different() -> None:
    """Several at once are never the same."""
    ports = free_ports(20)
    assert len(set(ports)) == 20
    assert not any(answers(port) for port in ports)


def test_the_end_of_a_log_is_bounded(tmp_path: Path) -> None:
    """A log of any size and any bytes gives its last lines; a missing one gives nothing."""
    log = tmp_path / "log"
    log.write_bytes(b"\xff" * 1_000_000 + b"\n" + b"line\n" * 30)
    assert tail(log).splitlines() == ["line"] * 20
    assert tail(tmp_path / "none") == ""


def test_what_is_prepared_once_is_whole_or_absent(tmp_path: Path) -> None:
    """A failing maker leaves nothing; a second call after success makes nothing."""
    target = tmp_path / "deep" / key("a", "b")
    calls: list[Path] = []

    def fails(directory: Path) -> None:
        (directory / "half").touch()
        raise SetupError("no")

    def makes(directory: Path) -> None:
        calls.append(directory)
        (directory / "whole").touch()

    with pytest.raises(SetupError, match="no"):
        once(target, fails)
    assert not target.exists()
    for _ in range(2):
        assert (once(target, makes) / "whole").exists()
    assert len(calls) == 1
    assert {path.name for path in target.parent.iterdir()} == {target.name, f"{target.name}.lock"}


def test_what_cannot_be_prepared_is_a_setup_error(tmp_path: Path) -> None:
    """An error of the system while preparing names the directory and the setting."""

    def fails(directory: Path) -> None:
        raise OSError(28, "No space left on device", str(directory))

    with pytest.raises(SetupError, match="No space left") as caught:
        once(tmp_path / "x", fails)
    assert "HARNESS_CACHE_DIR" in str(caught.value)


def test_keys_depend_on_every_part() -> None:
    """Neither order nor boundaries of the parts are lost."""
    assert len({key("a", "b"), key("b", "a"), key("ab"), key("ab", ""), key("a", "b", "c")}) == 5


def test_halted_and_revived(startup: Startup) -> None:
    """A halted service is not taken for dead, and comes back at its address with its data."""
    running = launch(startup, 1, attempt_of(SERVER))
    assert isinstance(running.address, Kafka)
    port = int(running.address.bootstrap.partition(":")[2])
    (startup.data / "kept").touch()
    running.halt()
    running.check()
    assert not answers(port)
    running.revive()
    running.check()
    assert answers(port)
    assert (startup.data / "kept").exists()
    running.stop()
    assert not startup.data.exists()
