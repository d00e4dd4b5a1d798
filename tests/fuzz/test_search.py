"""The search on a real database: mutants are found and shrunk, the right consumer is not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from harness.fuzz.memory import InMemory
from harness.fuzz.protocols import drawable
from harness.fuzz.search import Search, Searcher, SearchOptions
from harness.fuzz.trial import Trial
from harness.mutants.table import MUTANTS
from harness.record.lasting import Lasting, lasting
from harness.record.server import Upstream
from harness.services import start

pytestmark = pytest.mark.services

EXAMPLES = 30
# Of the themes: DDL, batches, duplicates, deletes, tombstones, updates, NULL; one seed for all.
SEED = 1
FOUND = (
    "add-column-is-null",
    "one-event-a-message",
    "first-of-a-batch-wins",
    "dedupe-by-key-only",
    "deletes-ignored",
    "null-value-skipped",
    "tombstone-npe",
    "unchanged-is-null",
    "null-is-zero",
    "old-row-wins",
)
# Every third at each push, all of them under the profile `nightly`.
EACH = 1 if settings().max_examples >= 1000 else 3
ROWS = 6


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lasting]:
    """Run one MariaDB, and one session on it, for all tests of this file."""
    run_dir = tmp_path_factory.mktemp("services")
    with start(["mariadb"], run_dir=run_dir, on_event=lambda _: None) as services:
        server = services.mariadb
        upstream = Upstream(server.host, server.port, server.user, server.password)
        with lasting(upstream) as session:
            yield session


def searched(
    database: Lasting,
    mutant: str | None,
    options: SearchOptions,
    memory: ExampleDatabase | None = None,
) -> Search:
    """Search with a mutant, or with the right consumer."""
    judge = InMemory(None if mutant is None else MUTANTS[mutant])
    return Searcher(Trial(database), judge, memory).run(options)


@pytest.mark.parametrize("name", FOUND[::EACH])
def test_a_mutant_is_found_and_shrunk(
    database: Lasting, name: str, record_property: pytest.RecordProperty
) -> None:
    """A wrong consumer fails a scenario of a few row changes, by its own defect."""
    mutant = MUTANTS[name]
    options = SearchOptions(mutant.protocols, SEED, None, 500, shrink_s=600, patience=30)
    found = searched(database, name, options)
    assert found.found is not None, f"not found in {found.tried} examples"
    failure = found.found.failure
    assert failure is not None
    assert any(map(mutant.named_by, failure.findings)), failure.what
    record_property("rows", found.found.rows)
    summary = f"{name}: {found.found.rows} rows after {found.tried} examples, {found.shrunk} tries"
    sys.stdout.write(f"{summary}\n")
    assert found.found.rows <= ROWS


@pytest.mark.parametrize("protocol", drawable())
def test_the_right_consumer_is_not_found(database: Lasting, protocol: str) -> None:
    """Over a fixed seed the reference consumer reaches what the database has."""
    found = searched(database, None, SearchOptions((protocol,), 1, None, EXAMPLES))
    assert found.found is None, found.found and found.found.failure
    assert found.tried == EXAMPLES


def test_a_finding_is_remembered(database: Lasting, tmp_path: Path) -> None:
    """What was found is tried first by the next run, whatever its seed."""
    memory = DirectoryBasedExampleDatabase(tmp_path)
    options = SearchOptions(("open",), 1, None, 500, patience=5)
    first = searched(database, "deletes-ignored", options, memory)
    options = replace(options, seed=99, remembered=True)
    again = searched(database, "deletes-ignored", options, memory)
    assert first.found is not None
    assert again.found is not None
    assert again.tried == 1
