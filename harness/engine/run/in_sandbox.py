"""Which consumers can run in a sandbox, and what is hidden from them there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.engine.catalogue.workspace import Workspace, bundled
from harness.errors import UsageError
from harness.runner.manifest import Consumer
from harness.runner.sandbox import Sandbox, refuse_where_none_is
from harness.services.settings import ADDRESS_OF, Settings


def in_sandbox(consumer: Consumer, space: Workspace, settings: Settings, *hidden: Path) -> Consumer:
    """Return the consumer in a sandbox; UsageError or SetupError where it cannot be.

    Besides what is right and the runs of the workspace, further directories are `hidden`.
    """
    refuse_outside(consumer, settings)
    refuse_where_none_is()
    roots = (space.golden, space.scenarios, bundled() / "golden", bundled() / "scenarios")
    # Where the roots are under Git, it has them all once more.
    gits = (root.absolute().parent / ".git" for root in roots)
    manifest = Path(consumer.target).absolute()
    shown = (str(manifest),) if consumer.target and manifest.is_file() else ()
    places = {str(one.absolute()) for one in (space.runs, *roots, *gits, *hidden)}
    return replace(consumer, sandbox=Sandbox(tuple(sorted(places)), shown))


def refuse_outside(consumer: Consumer, settings: Settings) -> None:
    """Raise UsageError for a consumer, or for services, that no sandbox can be about."""
    if consumer.image or consumer.attach is not None:
        raise UsageError(
            f"a sandbox is for a command, and {consumer.name} is none",
            hint="an image has its own directories already; a system that runs is not started here",
        )
    outside = [name for name in ADDRESS_OF if settings.backend(name) == "external"]
    if outside:
        raise UsageError(
            f"a sandbox lets a consumer reach this machine alone: {', '.join(outside)} is external",
            expected="embedded services",
        )
