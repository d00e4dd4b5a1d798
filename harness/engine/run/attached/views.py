"""Where the tables of a running system are looked at: files, or a database that is only read."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from harness.engine.plan.case import Plan
from harness.engine.sink.reading import TooMuch
from harness.engine.sink.session import Refused, Session
from harness.engine.sink.shapes import schemas, shapes
from harness.engine.sink.sink import TableReader
from harness.model.observed import Observed, Outcome
from harness.runner.attach import Attach, filled, word
from harness.runner.contract import results
from harness.runner.result import Holder, Maker, Result
from harness.services.service import MariaDb

DONE = Observed(Outcome.DONE)


class View(Protocol):
    """Looks at the tables of one case."""

    def look(self, plan: Plan) -> Observed:
        """Return the tables as they are now; an outcome `invalid` when they cannot be read."""
        ...


class Files:
    """Looks at files below a directory a case."""

    def __init__(self, attach: Attach, run: str) -> None:
        """Take the pattern of the directories."""
        self._pattern = filled(attach.directory, run=run)

    def look(self, plan: Plan) -> Observed:
        """Return what the files hold; there are none before the system writes any."""
        return results.read_tables(Path(filled(self._pattern, case=word(plan.case.id))))


class Database:
    """Looks at tables of a server, in a session that may not write."""

    def __init__(self, session: Session, attach: Attach, run: str) -> None:
        """Take the session, and the patterns of databases and tables."""
        self._session = session
        self._database = filled(attach.database, run=run)
        self._table = filled(attach.table, run=run)

    def look(self, plan: Plan) -> Observed:
        """Return what the tables hold; a table that is not there yet is lacking."""
        case = word(plan.case.id)
        databases = {
            schema: filled(self._database, case=case, schema=schema) for schema in schemas(plan)
        }
        result = Result(Holder.DATABASE, Maker.OWN, filled(self._table, case=case))
        try:
            return TableReader(self._session, result).read(shapes(plan), databases, DONE)
        except (Refused, TooMuch) as error:
            return Observed(Outcome.INVALID, f"in the database: {error}")


@contextmanager
def view(attach: Attach, run: str) -> Generator[View]:
    """Yield the view of a running system; SetupError when its database cannot be reached."""
    server = attach.server
    if server is None:
        yield Files(attach, run)
        return
    address = MariaDb(server.host, server.port, server.user, server.password)
    session = Session(address, read_only=True)
    try:
        yield Database(session, attach, run)
    finally:
        session.close()
