"""Thousands of tests are collected without work that nobody needs.

The collector of garbage rests meanwhile, for none of them is any: to look for some takes half of
the collection's time, and again a part of each test that comes. The harness is imported as it is:
pytest would rewrite the assertions of a plugin's whole package, 750 modules in each worker of a
fresh clone, and no test fails by them.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # what needs no service is collected without them
    from harness.services import Services

MARKERS = frozenset({"scaffolds", "services", "spark"})
gc.disable()

# A shell's `&` and `nohup` start us with signals ignored, and children would inherit that: tests
# that end one by such a signal would wait for ever. A handler is not inherited, the default is.
for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, lambda _number, _frame: None),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


def pytest_configure(config: pytest.Config) -> None:
    """Leave the harness's assertions as they are; pytest has no option for it."""
    hook = config.pluginmanager.rewrite_hook  # without that set under --assert=plain
    getattr(hook, "_must_rewrite", set[str]()).discard("harness")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let `no_cover` stop all tracing in a worker of xdist too.

    pytest-cov 7.1.0 begins to trace there twice: when the worker's plugins are loaded, which nobody
    reads, and when its session starts. `no_cover` stops the second alone, and the first goes on.
    """
    cov = session.config.pluginmanager.get_plugin("_cov")
    if (
        cov is not None
        and cov.cov_controller is not None
        and hasattr(session.config, "workerinput")
    ):
        cov.cov_controller.cov.stop()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over files without a test of the marker that `-m` begins with: thousands of tests."""
    wanted, *others = str(config.option.markexpr).split(" ")
    if wanted not in MARKERS or "or" in others or collection_path.suffix != ".py":
        return None
    return f"mark.{wanted}" not in collection_path.read_text("utf-8") or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Refuse a marker that is not written in the test's file: `-m` would pass over the test."""
    for marker in item.iter_markers():
        if marker.name in MARKERS and f"mark.{marker.name}" not in text_of(item.path):
            raise pytest.UsageError(f"{item.nodeid}: write pytest.mark.{marker.name} in its file")


@cache
def text_of(path: Path) -> str:
    """Return what is in a file of tests."""
    return path.read_text("utf-8")


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but never look at what was collected as tests."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Services]]:
    """Return what starts services by name, each once a worker, for files that need no fresh ones.

    Topics, subjects and databases of other tests may be there.
    """
    from harness.services import Services, start  # noqa: PLC0415 - as above

    with ExitStack() as stack:
        running = Services({})

        def wanted(*names: str) -> Services:
            nonlocal running
            lacking = [name for name in names if not running.has(name)]
            if lacking:
                run_dir = tmp_path_factory.mktemp("shared")
                started = start(lacking, run_dir=run_dir, on_event=lambda _: None)
                running = running.joined(stack.enter_context(started))
            return running

        yield wanted


@pytest.fixture
def shared_services(shared: Callable[..., Services], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands use services that run already, where a test promises nothing of theirs."""
    running = shared("kafka", "registry")
    monkeypatch.setenv("HARNESS_KAFKA_BOOTSTRAP_SERVERS", running.kafka.bootstrap)
    monkeypatch.setenv("HARNESS_REGISTRY_URL", running.registry.url)
