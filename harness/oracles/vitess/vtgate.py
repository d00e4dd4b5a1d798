"""A server that plays VTGate: it answers a connector's queries, and streams a script of events.

Each script has a server of its own, so that many keyspaces of one name are played at once. A stream
is sent once: a connector that comes back by itself is sent nothing new, and that it came is noted.
One that was stopped goes on where it asks to.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Self

import grpc

from harness.model.vstream import VStreamResponse
from harness.oracles.vitess.events import EventWriter
from harness.oracles.vitess.messages import Message, Messages
from harness.oracles.vitess.resume import behind

SERVICE: Final = "vtgateservice.Vitess"
HOST: Final = "127.0.0.1"
# A stream holds a thread for as long as its connector runs.
STREAMS: Final = 400
ASK_S: Final = 5.0
STOP_GRACE_S: Final = 1.0


@dataclass(slots=True)
class Script:
    """What one connector is to be sent, and what it has asked.

    `sent` are the responses that were sent in full, `opened` has the shards of each request for a
    stream, in the order of arrival. Once a connector has `stopped`, its new streams are sent what
    of `whole` is behind the positions that they ask for; `asked` has these, by shard.
    """

    keyspace: str
    shards: tuple[str, ...]
    tables: tuple[str, ...]
    responses: Sequence[VStreamResponse]
    queries: list[str] = field(default_factory=list[str])
    opened: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    sent: set[int] = field(default_factory=set[int])
    unanswered: list[str] = field(default_factory=list[str])
    whole: Sequence[VStreamResponse] = ()
    stopped: bool = False
    asked: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    @property
    def all_sent(self) -> bool:
        """Return whether every response was sent, to whichever stream it belongs."""
        return len(self.sent) == len(self.responses)


class VtGate:
    """The service for one script."""

    def __init__(self, messages: Messages, script: Script) -> None:
        """Take the messages of the connector's version, and what to tell it."""
        self._messages = messages
        self._writer = EventWriter(messages)
        self._script = script
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def execute(self, request: Message, context: object) -> Message:
        """Answer a query for databases, shards, tables or tablets."""
        del context
        query = str(request.query.sql)
        self._script.queries.append(query)
        answer = self._messages["vtgate.ExecuteResponse"]()
        for words, (columns, rows) in ANSWERS.items():
            if words in query.upper():
                answer.result.CopyFrom(self._writer.result(columns, rows(self._script)))
                break
        else:
            self._script.unanswered.append(query)
            answer.error.message = f"this server does not know the query {query!r}"
        return answer

    def vstream(self, request: Message, context: Any) -> Iterator[Message]:  # noqa: ANN401 - grpc has no types
        """Stream the responses that belong to the shards of a request, then nothing more."""
        script = self._script
        asked = {str(gtid.shard): str(gtid.gtid) for gtid in request.vgtid.shard_gtids}
        shards = tuple(str(gtid.shard) for gtid in request.vgtid.shard_gtids)
        ended = threading.Event()
        context.add_callback(ended.set)
        with self._lock:
            again = shards in script.opened
            script.opened.append(shards)
            if script.stopped:
                script.asked.append(asked)
                again = script.asked.count(asked) > 1
        responses = tuple(behind(script.whole, asked)) if script.stopped else script.responses
        for number, response in enumerate(responses):
            if again or (response.only_shard is not None and response.only_shard not in shards):
                continue
            if response.error is not None:
                script.sent.add(number)
                context.abort(_status(response.error.status), response.error.description)
            yield from self._writer.responses(response.events)
            script.sent.add(number)
        while not (ended.is_set() or self.stopped.is_set()):
            ended.wait(STOP_GRACE_S)


Rows = Callable[[Script], Sequence[tuple[str, ...]]]

# By what a query holds: the columns of its answer, and its rows.
ANSWERS: Mapping[str, tuple[tuple[str, ...], Rows]] = {
    "SHOW DATABASES": (("Database",), lambda script: [(script.keyspace,)]),
    "SHOW VITESS_SHARDS": (
        ("Shards",),
        lambda script: [(f"{script.keyspace}/{shard}",) for shard in script.shards],
    ),
    "SHOW VITESS_TABLETS": (
        ("Cell", "Keyspace", "Shard", "TabletType", "State", "Alias", "Hostname", "Time"),
        lambda script: [
            ("zone1", script.keyspace, shard, "PRIMARY", "SERVING", "zone1-1", "localhost", "")
            for shard in script.shards
        ],
    ),
    "SHOW TABLES": (("Tables",), lambda script: [(table,) for table in script.tables]),
}


class VtGates:
    """Servers side by side, one a script: a connector is told from others by its port."""

    def __init__(self, messages: Messages) -> None:
        """Take the messages of the connector's version."""
        self._messages = messages
        self._pool = ThreadPoolExecutor(STREAMS, "vtgate")
        self._running: list[tuple[VtGate, Any]] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Return the servers; the end of the block stops them."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all servers and their threads."""
        self.stop()
        self._pool.shutdown()

    def play(self, script: Script) -> int:
        """Serve a script from now on; return the port."""
        gate = VtGate(self._messages, script)
        server = grpc.server(self._pool, options=[("grpc.so_reuseport", 0)])
        names = ("vtgate.ExecuteRequest", "vtgate.VStreamRequest")
        execute, vstream = (self._messages[name].FromString for name in names)
        methods = {
            "Execute": grpc.unary_unary_rpc_method_handler(gate.execute, execute, _bytes),
            "VStream": grpc.unary_stream_rpc_method_handler(gate.vstream, vstream, _bytes),
        }
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, methods)])
        port = server.add_insecure_port(f"{HOST}:0")
        server.start()
        with self._lock:
            self._running.append((gate, server))
        return int(port)

    def stop(self) -> None:
        """Stop every server that plays."""
        for gate, _ in self._running:
            gate.stopped.set()
        for ended in [server.stop(STOP_GRACE_S) for _, server in self._running]:
            ended.wait()
        self._running.clear()


def serves(port: int) -> bool:
    """Return whether a server is there still; one that has no time to answer is."""
    try:
        socket.create_connection((HOST, port), timeout=ASK_S).close()
    except TimeoutError:
        return True
    except OSError:
        return False
    return True


def _bytes(message: Message) -> bytes:
    return bytes(message.SerializeToString())


def _status(name: str) -> Any:  # noqa: ANN401 - an enum of grpc's
    return grpc.StatusCode[name]
