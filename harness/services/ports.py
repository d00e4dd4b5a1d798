"""Ports on 127.0.0.1, free at the moment of asking.

Between choosing a port and the service's own bind somebody else may take it, and nothing can
prevent that: whoever starts a service tries again with other ports.
"""

from __future__ import annotations

import socket

from harness.errors import SetupError

HOST = "127.0.0.1"


def free_ports(count: int, asked: int | None = None) -> tuple[int, ...]:
    """Return `count` different free ports, the first of them `asked` when that is not None.

    Raises SetupError when the port that was asked for is in use.
    """
    sockets = [_bound(asked if position == 0 and asked else 0) for position in range(count)]
    ports = tuple(int(each.getsockname()[1]) for each in sockets)
    for each in sockets:
        each.close()
    return ports


def in_use(port: int) -> SetupError:
    """Return the error for a port that the user named and somebody else has."""
    return SetupError(
        f"port {port} on {HOST} is in use",
        expected="a free port",
        hint=f"end the program that has it (`lsof -i :{port}` names it), or name another port",
    )


def _bound(port: int) -> socket.socket:
    each = socket.socket()
    # As the services do: a port whose last connection is in TIME_WAIT is free.
    each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        each.bind((HOST, port))
    except OSError as error:
        each.close()
        raise in_use(port) from error
    return each
