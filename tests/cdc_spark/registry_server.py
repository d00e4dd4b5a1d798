"""A schema registry that answers by id, over HTTP; a GUID is the id in 128 bits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from uuid import UUID

from tests.cdc_spark.avro_messages import Publisher


@contextmanager
def published(source: Publisher) -> Iterator[str]:
    """Serve what a publisher has registered; give the registry's address."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer with a schema, or that there is none."""
            name = self.path.rpartition("/")[2]
            number = UUID(name).int if "/guids/" in self.path else int(name)
            known = number in source.texts
            self.send_response(source.trouble or (200 if known else 404))
            self.end_headers()
            self.wfile.write(json.dumps({"schema": source.texts.get(number, "")}).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
