"""What a consumer needs before it can start, and what takes part in a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from harness.engine.catalogue.workspace import in_ci
from harness.errors import SetupError
from harness.model.events import ServiceChanged
from harness.model.finding import Judgement, Verdict
from harness.runner import container
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import ServiceEvent, find_java, jars, sparks
from harness.services.repository import cache_directory
from harness.services.spark_python import spark_python

ARCHIVES = "HARNESS_SPARK_ARCHIVES"
SINK = "HARNESS_SPARK_SINK"
REMOTE = "HARNESS_SPARK_REMOTE"
RELEASE = "HARNESS_SPARK_RELEASE"
# What PySpark wants for a session of Spark Connect.
CONNECT = ("grpcio", "grpcio-status", "googleapis-common-protos")
SPARK = frozenset({"spark", "spark-delta"})
PACKAGES = ("cdc-conformance", "pyspark", "confluent-kafka")


def ready(consumer: Consumer, on_event: Callable[[ServiceChanged], None]) -> Consumer:
    """Return the consumer with all that its start needs: Docker, a fit Java, Spark's jars.

    Raises SetupError when something is missing and cannot be fetched.
    """
    if consumer.image:
        container.require(consumer.image)
    if consumer.name not in SPARK:
        return consumer
    return _on_spark(consumer, lambda event: on_event(service_changed(event)))


def _on_spark(consumer: Consumer, on_event: Callable[[ServiceEvent], None]) -> Consumer:
    """Return the bundled Spark consumer with its interpreter, its Java and its jars."""
    own, asked = sparks.installed(), consumer.environment.get(RELEASE)
    if not (own or asked):
        raise SetupError(
            f"the consumer `{consumer.name}` needs PySpark, which is not installed",
            hint="pip install 'cdc-conformance[spark]', or --spark VERSION",
        )
    release = sparks.known(asked) if asked else sparks.own()
    sink = consumer.environment.get(SINK) or os.environ.get(SINK, "")
    chosen = {SINK: sink} if sink else {}
    if consumer.environment.get(REMOTE):
        _require_connect()
        return replace(consumer, environment={**consumer.environment, **chosen})
    argv, path = consumer.argv, consumer.environment.get("PYTHONPATH")
    if release != own:
        python = spark_python(release, _package(), on_event=on_event)
        argv, path = (str(python.executable), *argv[1:]), str(python.path)
    groups = ("spark", "delta") if sink == "delta" else ("spark",)
    paths = [path for group in groups for path in jars(f"{group}-{release}", on_event=on_event)]
    added = {
        **_archives(),
        **consumer.environment,
        **({"PYTHONPATH": path} if path else {}),
        "JAVA_HOME": str(find_java("spark").home),
        **chosen,
        "HARNESS_SPARK_JARS": os.pathsep.join(str(path) for path in paths),
    }
    return replace(consumer, argv=argv, environment=added)


def _package() -> Path:
    """Return the directory of the Spark library, which is not imported here."""
    spec = find_spec("cdc_spark")
    assert spec is not None and spec.submodule_search_locations, "installed with the harness"  # noqa: PT018 - one fact
    return Path(spec.submodule_search_locations[0])


def _require_connect() -> None:
    """Raise SetupError without what PySpark wants for a session of Spark Connect."""
    missing = [name for name in CONNECT if _version(name) is None]
    if missing:
        raise SetupError(
            f"--spark-remote needs {missing[0]}, which is not installed",
            hint="pip install 'cdc-conformance[connect]'",
        )


def _archives() -> dict[str, str]:
    """Let Spark keep an archive of its classes in the cache: every later start takes half as long.

    Making it takes the first run 18 s, which a machine of one run, such as a CI job's, never gets
    back; there it is made only when HARNESS_SPARK_ARCHIVES names a directory.
    """
    named = os.environ.get(ARCHIVES)
    if named is None and not in_ci(os.environ):
        named = str(cache_directory() / "spark")
    return {ARCHIVES: named} if named else {}


def undeclared(consumer: Consumer, case: Case) -> Verdict:
    """Return the verdict on a case that the consumer's own declaration rules out."""
    detail = f"needs protocol:{case.protocol}, which {consumer.name} does not declare"
    return Verdict(case.id, Judgement.NOT_APPLICABLE, (), detail)


def service_changed(event: ServiceEvent) -> ServiceChanged:
    """Return a service's event as an event of the run."""
    return ServiceChanged(
        event.service, event.state, event.detail, event.seconds, event.done, event.total
    )


def versions(consumer: Consumer) -> dict[str, str]:
    """Return the versions of what takes part: packages as installed, the consumer as it says."""
    own = {consumer.name: consumer.version} if consumer.version else {}
    found = {name: have for name in PACKAGES if (have := _version(name)) is not None}
    asked = consumer.environment.get(RELEASE)
    return found | ({"pyspark": asked} if asked else {}) | own


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
