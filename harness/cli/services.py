"""`harness services`: a warm set for the author's loop, and what the embedded services need."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options
from harness.errors import UsageError

if TYPE_CHECKING:  # imported when a command needs it
    from harness.services.warm import State

NAMES = ("kafka", "registry", "mariadb")
WARM_BY_DEFAULT = ("kafka", "mariadb")  # what `run` and `record` use
NOTHING = 3


@click.group("services", short_help="Keep services warm; fetch what the embedded ones need.")
def command() -> None:
    """See to the embedded services: Kafka, the schema registry, MariaDB, Spark's connector."""


@command.command("fetch")
@click.option(
    "--oracles", is_flag=True, help="Vendors' programs in every release too, for `harness oracle`."
)
def fetch(oracles: bool) -> int:  # noqa: FBT001
    """Download and verify everything into the cache, for a first run without a network.

    Copy the cache to the other machine and let HARNESS_CACHE_DIR name it there.
    """
    from rich.console import Console

    from harness.oracles.jars import Jars
    from harness.oracles.mariadb import lock as mariadb
    from harness.oracles.vitess import lock as vitess
    from harness.services import ServiceEvent, fill_cache

    console = Console(stderr=True)
    with console.status("fetching") as status:

        def heard(event: ServiceEvent) -> None:
            if event.total:
                done, total = event.done / 1e6, event.total / 1e6
                status.update(f"fetching {event.service}: {done:.0f} of {total:.0f} MB")

        cache = fill_cache(on_event=heard)
        for lock in (vitess, mariadb) if oracles else ():
            for group in lock.GROUPS:
                Jars(lock.LOCK, heard).group(group)
    click.echo(f"everything is in {cache}")
    return 0


@command.command("up")
@click.option(
    "--only",
    metavar="NAME,…",
    default=",".join(WARM_BY_DEFAULT),
    show_default=True,
    help=f"Which services: {', '.join(NAMES)}.",
)
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Such as warm.idle-hours=1."
)
def up(only: str, pairs: tuple[str, ...]) -> int:
    """Start services that stay, for this directory; runs here use them from then on.

    They end with `harness services down`, when .harness/services is removed, or after
    `warm.idle-hours` (8) without a run.
    """
    from harness.services import settings, warm

    wanted = tuple(filter(None, only.split(",")))
    unknown = [name for name in wanted if name not in NAMES]
    if unknown or not wanted:
        raise UsageError(
            f"there is no service {unknown[0]!r}" if unknown else "--only names no service",
            expected=f"some of {', '.join(NAMES)}, with commas between",
        )
    began = time.monotonic()
    state, fresh = warm.up(_directory(), wanted, settings(options.name_values(pairs)))
    seconds = time.monotonic() - began
    click.echo(f"up after {seconds:.1f} s:" if fresh else "up already:")
    _show(state)
    return 0


@command.command("status")
@options.as_json
def status(json_: bool) -> int:  # noqa: FBT001
    """Return whether a warm set is up, and where; exit 3 when runs would not use one."""
    import orjson

    from harness.services import warm

    state = warm.read(_directory())
    trouble = "none was started here" if state is None else state.trouble()
    if json_:
        addresses = () if state is None else state.addresses.items()
        shown = {name: str(one) for name, one in addresses}
        document = {"up": not trouble, "trouble": trouble, "services": shown}
        click.echo(orjson.dumps(document).decode())
    elif state is None or trouble:
        click.echo(f"no warm set: {trouble}; `harness services up` starts one")
    else:
        click.echo("up:")
        _show(state)
    return NOTHING if trouble else 0


@command.command("down")
def down() -> int:
    """End the warm set of this directory; nothing happens when there is none."""
    from harness.services import warm

    click.echo("down" if warm.down(_directory()) else "there was no warm set")
    return 0


def _directory() -> Path:
    """Return where this directory's warm set keeps its state."""
    from harness.services.source import DIRECTORY

    return options.space(None, None).runs / DIRECTORY


def _show(state: State) -> None:
    for name, address in state.addresses.items():
        click.echo(f"  {name:10}{address}")
    hours = state.idle_hours
    click.echo(
        f"  ends with `harness services down`, or after {hours:g} hours without a run"
        if hours
        else "  ends with `harness services down`"
    )
