"""VTGate's messages, as the connector's own client describes them.

The client's jar holds Vitess's `.proto` files; `protoc` makes a descriptor of them, from which
protobuf makes the classes at run time. So the server speaks what the connector was built with, and
no generated code is kept.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from harness.errors import SetupError
from harness.process import spawn

ROOT = "vtgateservice.proto"
COMPILE_S = 60.0
CLIENT = "vitess-grpc-client"
DESCRIPTORS = "vitess.pb"

# A message class that protobuf has made; it has no types.
Message = Any


class Messages:
    """The message classes of Vitess's protocol, by their full names."""

    def __init__(self, descriptors: bytes) -> None:
        """Make the classes of a serialised set of descriptors."""
        found = descriptor_pb2.FileDescriptorSet.FromString(descriptors)
        pool = descriptor_pool.DescriptorPool()
        for file in found.file:
            pool.AddSerializedFile(file.SerializeToString())
        self._pool = pool
        self._made: Callable[[Any], Message] = message_factory.GetMessageClass

    def __getitem__(self, name: str) -> Message:
        """Return the class of a message such as `vtgate.VStreamResponse`."""
        return self._made(self._pool.FindMessageTypeByName(name))

    def number(self, enum: str, name: str) -> int | None:
        """Return the number of an enum's value, None where this version has none of that name."""
        values = self._pool.FindEnumTypeByName(enum).values_by_name
        return int(values[name].number) if name in values else None


def client_of(jars: Sequence[Path]) -> Path:
    """Return the jar of Vitess's gRPC client among a connector's jars."""
    return next(jar for jar in jars if jar.name.startswith(CLIENT))


def describe(client: Path, protoc: Path, directory: Path) -> None:
    """Compile the protocol of a client's jar into `directory`; SetupError when it fails.

    `protoc` is copied, because a downloaded file is not executable.
    """
    with zipfile.ZipFile(client) as packed:
        for name in packed.namelist():
            if "/" not in name and name.endswith(".proto"):
                (directory / name).write_bytes(packed.read(name))
    program = directory / "protoc"
    program.write_bytes(protoc.read_bytes())
    program.chmod(0o755)
    out = directory / DESCRIPTORS
    command = [str(program), f"-I{directory}", "--include_imports", f"--descriptor_set_out={out}"]
    log = directory / "protoc.log"
    with spawn([*command, ROOT], cwd=directory, env={}, stdout=log, stderr=log) as child:
        status = child.wait(COMPILE_S)
    program.unlink()
    if status:
        raise SetupError(
            f"protoc ended with exit code {status} on {client.name}\n{log.read_text()}",
            hint="report this: the version's protocol is not what the oracle expects",
        )
