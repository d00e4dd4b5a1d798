"""Leaders that move between two brokers: one ends, the other leads, and the first comes back.

All partitions are led by the second broker at first, and have a replica on the first one, which is
the controller as well and stays.
"""

from __future__ import annotations

from harness.engine.deliver.fault_context import FaultContext
from harness.engine.deliver.producer import until
from harness.faults.actions import ElectLeader, EndLeader
from harness.services import SECOND_BROKER

FIRST, SECOND = 1, 2  # the brokers' ids
REPLICAS = (SECOND, FIRST)


def end_leader(context: FaultContext, action: EndLeader) -> None:
    """End the leader under a consumer that is at work; return when the other broker leads."""
    del action
    context.caught_up()
    context.renew()
    context.own_services.halt(SECOND_BROKER)
    _led_by(context, FIRST)


def elect_leader(context: FaultContext, action: ElectLeader) -> None:
    """Start the broker again, and let it lead once its replicas have all that was written."""
    del action
    context.caught_up()
    context.own_services.revive(SECOND_BROKER)
    # The controller looks every second whether the first replica, once in sync, leads.
    _led_by(context, SECOND)
    context.renew()


def _led_by(context: FaultContext, broker: int) -> None:
    until(
        lambda: _leaders(context) == {broker},
        f"broker {broker} does not come to lead {', '.join(context.names.values())}",
    )


def _leaders(context: FaultContext) -> set[int]:
    """Return the ids of the brokers that lead the delivery's partitions."""
    return {
        int(one.leader) for name in context.names.values() for one in context.partitions_of(name)
    }
