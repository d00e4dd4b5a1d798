"""`harness services`: what the embedded services need."""

from __future__ import annotations

import click


@click.group("services", short_help="Fetch what the embedded services need.")
def command() -> None:
    """See to the embedded services: Kafka, MariaDB and Spark's connector."""


@command.command("fetch")
def fetch() -> int:
    """Download and verify everything into the cache, for a first run without a network.

    Copy the cache to the other machine and let HARNESS_CACHE_DIR name it there.
    """
    from rich.console import Console

    from harness.services import ServiceEvent, fill_cache

    console = Console(stderr=True)
    with console.status("fetching") as status:

        def heard(event: ServiceEvent) -> None:
            if event.total:
                done, total = event.done / 1e6, event.total / 1e6
                status.update(f"fetching {event.service}: {done:.0f} of {total:.0f} MB")

        cache = fill_cache(on_event=heard)
    click.echo(f"everything is in {cache}")
    return 0
