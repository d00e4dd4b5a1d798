"""A real registry as encoders know one: evolutions, refusals, ids, and a registry in trouble."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import urllib3

from harness.codecs.avro.codec import BoundAvro, bind
from harness.ddl import Catalogue
from harness.engine.run import leftovers
from harness.errors import DecodingError, SchemaRefused, SetupError, SourceStopped
from harness.model.change import Op
from harness.model.record import Origin
from harness.model.source_events import RowEvent
from harness.model.values import Row
from harness.services import Registry, start
from harness.services.ports import HOST
from harness.services.schemas import HttpRegistry
from harness.sources.tidb.mounter import source_table
from harness.wire.registry import MemoryRegistry
from harness.wire.registry_http import register_body, versions_path
from tests.wire.evolutions import ACCEPTED, OLD, REFUSED, UNREADABLE

services = pytest.mark.services
LEVEL = '{"compatibility": "BACKWARD"}'
CONTENT = {"Content-Type": "application/vnd.schemaregistry.v1+json"}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Generator[Registry]:
    """Run one embedded registry, which refuses what is not BACKWARD compatible."""
    run_dir = tmp_path_factory.mktemp("schemas")
    with start(["registry"], run_dir=run_dir, on_event=lambda _: None) as running:
        url = f"{running.registry.url}/config"
        assert urllib3.request("PUT", url, body=LEVEL, headers=CONTENT).status == 200
        yield running.registry


def verdict_and_ids(
    registry: HttpRegistry | MemoryRegistry, subject: str, *texts: str
) -> tuple[str, list[int]]:
    """Return what came of registering these texts: `accepted` or `refused`, and the ids."""
    ids: list[int] = []
    try:
        for text in texts:
            ids.append(registry.register(subject, text))  # noqa: PERF401  (a refusal may follow)
    except SchemaRefused:
        return "refused", ids
    return "accepted", ids


@services
@pytest.mark.parametrize("path", ["", "/"])
def test_the_base_answers_as_ticdc_demands(real: Registry, path: str) -> None:
    """TiCDC's client takes exactly `{}` at the base for a registry, and no subject comes of it."""
    answer = urllib3.request("GET", f"{real.url}{path}")
    assert (answer.status, answer.data) == (200, b"{}")
    subjects = urllib3.request("GET", f"{real.url}/subjects").json()
    assert "base" not in subjects


def alike(ids: list[int]) -> list[int]:
    """Return ids by when each was first seen, so that two registries' can be compared."""
    return [ids.index(one) for one in ids]


STORIES = {**ACCEPTED, **REFUSED, **{wrong: (OLD, text) for wrong, text in UNREADABLE.items()}}


@services
@pytest.mark.parametrize("story", STORIES)
def test_memory_and_real_agree(real: Registry, story: str) -> None:
    """Whatever happens to a schema, the registry in memory says what the real one says."""
    texts = STORIES[story]
    subject = story.replace(" ", "-")
    verdict, ids = verdict_and_ids(HttpRegistry(real), subject, *texts)
    assert (verdict, alike(ids)) == _by_memory(subject, *texts)
    for schema_id, text in zip(ids, texts, strict=False):
        assert HttpRegistry(real).schema(schema_id) == text


def _by_memory(subject: str, *texts: str) -> tuple[str, list[int]]:
    verdict, ids = verdict_and_ids(MemoryRegistry(), subject, *texts)
    return verdict, alike(ids)


@services
@pytest.mark.parametrize("story", REFUSED)
def test_what_is_refused_is_not_stored(real: Registry, story: str) -> None:
    """After a refusal a subject has the version that it had, and no other."""
    subject = f"refused-{story.replace(' ', '-')}"
    assert verdict_and_ids(HttpRegistry(real), subject, *REFUSED[story])[0] == "refused"
    assert urllib3.request("GET", f"{real.url}{versions_path(subject)}").json() == [1]


@services
def test_one_text_has_one_id(real: Registry) -> None:
    """A text has one id in whatever subject, and an older version's text its old id."""
    registry = HttpRegistry(real)
    first = registry.register("one-value", OLD)
    assert registry.register("two-value", OLD) == first
    added = ACCEPTED["a nullable column is added"][1]
    assert registry.register("one-value", added) != first
    assert registry.register("one-value", OLD) == first


@services
def test_subjects_go_with_the_run(real: Registry) -> None:
    """Subjects of the run's prefix are deleted for good, in either spelling; others stay."""
    registry = HttpRegistry(real)
    ours = ("run.7-0001.t-key", "run.7-0001.t-value", "run_7-0001_t-value")
    for subject in (*ours, "run.77-value"):
        registry.register(subject, OLD)
    assert set(ours) <= set(registry.subjects())
    assert leftovers.subjects_left(real, "run.7-") == ""
    assert [one for one in registry.subjects() if one.startswith("run")] == ["run.77-value"]
    assert urllib3.request("GET", f"{real.url}/subjects/{ours[0]}/versions").status == 404


def test_subjects_that_cannot_be_seen_are_said() -> None:
    """A registry that is gone at the end of a run breaks nothing, and is named."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leftovers, "TIMEOUT_S", 0.2)
        left = leftovers.subjects_left(Registry(f"http://{HOST}:9"), "run.7-")
    assert left.startswith("keeps subjects of this run (run.7-…): the schema registry at http://")


@services
def test_unknown_ids(real: Registry) -> None:
    """An id that nobody was given is malformed input, not a failure of the registry."""
    with pytest.raises(DecodingError, match="987654321"):
        HttpRegistry(real).schema(987654321)
    assert urllib3.request("GET", f"{real.url}/schemas/ids/987654321").status == 404


CREATE = "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)"
STEPS = (
    "ALTER TABLE shop.t ADD COLUMN w INT",
    "ALTER TABLE shop.t ADD INDEX iv (v)",
    "ALTER TABLE shop.t ADD COLUMN x VARCHAR(5) NOT NULL DEFAULT 'x'",
    "ALTER TABLE shop.t DROP COLUMN w",
)
REFUSED_STEP = "ALTER TABLE shop.t ADD COLUMN y INT NOT NULL"


def inserts(*statements: str) -> Iterator[RowEvent]:
    """Yield one insert for each version of the table that the statements make."""
    catalogue = Catalogue.with_schemas("shop")
    for number, sql in enumerate(statements):
        catalogue = catalogue.apply(sql).catalogue
        found = catalogue.find("shop", "t")
        assert found is not None
        values = {"id": number, "v": 1, "w": 2, "x": "x", "y": 3}
        row: Row = tuple(values[column.name] for column in found.columns)
        origin = Origin(1, 0, number, "insert")
        yield RowEvent(Op.INSERT, source_table(found), None, row, 7, "shop_t", 0, origin, number)


def ids(wire: BoundAvro, *statements: str) -> list[int]:
    """Return the ids of the values' schemas, record by record, each of which decodes."""
    found: list[int] = []
    for record in wire.encode(inserts(*statements)):
        assert record.value_schema is not None
        found.append(record.value_schema.id)
        (event,) = wire.decode(record.key, record.value)
        assert event.after is not None
        assert event.after["v"] == 1
    return found


@services
def test_a_table_evolves(real: Registry) -> None:
    """A compatible change gives a new id, a new index the old one; memory numbers alike."""
    by_real = ids(bind({}, "current", HttpRegistry(real)), CREATE, *STEPS)
    by_memory = ids(bind({}, "current"), CREATE, *STEPS)
    assert alike(by_real) == alike(by_memory) == [0, 1, 1, 3, 4]


@services
def test_an_incompatible_change_stops_the_changefeed(real: Registry) -> None:
    """A NOT NULL column without a default cannot be added: 409, and the changefeed's error."""
    wire = bind({}, "current", HttpRegistry(real))
    with pytest.raises(SourceStopped, match="409") as caught:
        ids(wire, CREATE, REFUSED_STEP)
    assert caught.value.code == "ErrAvroSchemaAPIError"
    with pytest.raises(SourceStopped) as said:
        ids(bind({}, "current"), CREATE, REFUSED_STEP)
    assert said.value.code == caught.value.code


class Troubled(BaseHTTPRequestHandler):
    """Answers what it was told to, in order, the last one for ever."""

    answers: list[tuple[int, bytes]]
    bodies: list[tuple[str, str]]

    def do_POST(self) -> None:
        """Answer a registration."""
        size = int(self.headers["Content-Length"])
        self.bodies.append((self.path, self.rfile.read(size).decode()))
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@contextmanager
def troubled(*answers: tuple[int, bytes]) -> Generator[tuple[Registry, list[tuple[str, str]]]]:
    """Run a registry that gives these answers; yield its address, and the paths and bodies."""
    bodies: list[tuple[str, str]] = []
    handler = type("Told", (Troubled,), {"answers": list(answers), "bodies": bodies})
    with ThreadingHTTPServer((HOST, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield Registry(f"http://{HOST}:{server.server_port}"), bodies
        server.shutdown()
        thread.join()


def test_trouble_is_retried() -> None:
    """A registry that answers 5xx is asked again, with the same body, after longer pauses."""
    pauses: list[float] = []
    with troubled((500, b""), (503, b""), (200, b'{"id": 7}')) as (address, bodies):
        registry = HttpRegistry(address, clock=lambda: 0.0, sleep=pauses.append)
        assert registry.register("t-value", OLD) == 7
        assert registry.schema(7) == OLD
    assert bodies == [("/subjects/t-value/versions", register_body(OLD))] * 3
    assert json.loads(bodies[0][1]) == {"schema": OLD}
    assert pauses == sorted(pauses) == [0.1, 0.2]


@pytest.mark.parametrize("status", [400, 409, 422])
def test_refusals_are_not_retried(status: int) -> None:
    """A 4xx fails at once, with the registry's own words, and is an error of the changefeed."""
    with troubled((status, b'{"message": "no schema"}')) as (address, bodies):
        with pytest.raises(SchemaRefused, match=rf"{status} .* no schema"):
            HttpRegistry(address).register("t-value", OLD)
        assert len(bodies) == 1
        with pytest.raises(SourceStopped, match="no schema") as stopped:
            ids(bind({}, "current", HttpRegistry(address)), CREATE, *STEPS)
        assert stopped.value.code == "ErrAvroSchemaAPIError"
        assert len(bodies) == 2


def test_patience_ends() -> None:
    """A registry that never recovers, or is not there, is the environment's fault."""
    times = iter(range(100))
    with troubled((500, b"")) as (address, _):
        registry = HttpRegistry(
            address, patience_s=3, clock=lambda: float(next(times)), sleep=lambda _: None
        )
        with pytest.raises(SetupError, match="answers 500"):
            registry.register("t-value", OLD)
    with pytest.raises(SetupError, match="cannot be reached"):
        HttpRegistry(address, patience_s=0).register("t-value", OLD)


@pytest.mark.parametrize("answer", [b"{}", b"[]", b"<html>", b'{"id": 0}', b'{"id": "1"}'])
def test_answers_without_an_id(answer: bytes) -> None:
    """An answer that gives no id is the registry's fault."""
    with troubled((200, answer)) as (address, _), pytest.raises(SetupError, match="schema id"):
        HttpRegistry(address).register("t-value", OLD)
