"""The clauses of the source documents: what a stream promises, each with a permanent id.

Law: a clause says one thing, in our own words, and names the place where the document says it. Ids
are cited by scenarios, verdicts and lists of known failures, so an id is never reused or renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.model.columns import ColumnKind
from harness.spec.avro_messages import AVRO_MESSAGE_CLAUSES
from harness.spec.avro_registry import AVRO_REGISTRY_CLAUSES
from harness.spec.avro_schemas import AVRO_SCHEMA_CLAUSES
from harness.spec.avro_types import AVRO_VALUE_CLAUSES
from harness.spec.changefeed import CHANGEFEED_CLAUSES
from harness.spec.changefeed_ddl import CHANGEFEED_DDL_CLAUSES
from harness.spec.changefeed_filters import CHANGEFEED_FILTER_CLAUSES
from harness.spec.changefeed_matrix import CHANGEFEED_MATRIX_CLAUSES
from harness.spec.changefeed_routing import CHANGEFEED_ROUTING_CLAUSES
from harness.spec.clause import Clause, Level, Source
from harness.spec.connect import CONNECT_CLAUSES
from harness.spec.duties import DUTY_CLAUSES, TYPES_BY_PROTOCOL
from harness.spec.kafka import KAFKA_CLAUSES
from harness.spec.open_codes import CODE_CLAUSES, TYPE_CLAUSES
from harness.spec.open_dialects import OPEN_DIALECT_CLAUSES
from harness.spec.open_encoder import OPEN_ENCODER_CLAUSES
from harness.spec.open_protocol import OPEN_CLAUSES
from harness.spec.open_values import OPEN_VALUE_CLAUSES
from harness.spec.operations import OPERATIONS_CLAUSES
from harness.spec.registry import REGISTRY_CLAUSES
from harness.spec.vitess_documented import VITESS_DOCUMENTED_CLAUSES
from harness.spec.vitess_envelope import VITESS_ENVELOPE_CLAUSES
from harness.spec.vitess_events import VITESS_EVENT_CLAUSES
from harness.spec.vitess_failures import VITESS_FAILURE_CLAUSES
from harness.spec.vitess_keys import VITESS_KEY_CLAUSES
from harness.spec.vitess_ordered import VITESS_ORDERED_CLAUSES
from harness.spec.vitess_settings import VITESS_SETTING_CLAUSES
from harness.spec.vitess_stream import VITESS_STREAM_CLAUSES
from harness.spec.vitess_temporal import VITESS_TEMPORAL_CLAUSES
from harness.spec.vitess_transactions import VITESS_TRANSACTION_CLAUSES
from harness.spec.vitess_types import VITESS_VALUE_CLAUSES

__all__ = [
    "CLAUSES",
    "DUTY_CLAUSES",
    "TABLES",
    "TYPES_BY_PROTOCOL",
    "TYPE_CLAUSES",
    "Clause",
    "Level",
    "Source",
    "duty_clause",
    "governs",
    "type_clause",
]

# Every table of clauses, in the order in which a newcomer should meet them.
TABLES: tuple[Mapping[str, Clause], ...] = (
    KAFKA_CLAUSES,
    CONNECT_CLAUSES,
    REGISTRY_CLAUSES,
    OPERATIONS_CLAUSES,
    CHANGEFEED_DDL_CLAUSES,
    CHANGEFEED_MATRIX_CLAUSES,
    CHANGEFEED_FILTER_CLAUSES,
    CHANGEFEED_ROUTING_CLAUSES,
    OPEN_CLAUSES,
    CODE_CLAUSES,
    CHANGEFEED_CLAUSES,
    OPEN_ENCODER_CLAUSES,
    OPEN_VALUE_CLAUSES,
    OPEN_DIALECT_CLAUSES,
    AVRO_MESSAGE_CLAUSES,
    AVRO_SCHEMA_CLAUSES,
    AVRO_VALUE_CLAUSES,
    AVRO_REGISTRY_CLAUSES,
    VITESS_ENVELOPE_CLAUSES,
    VITESS_EVENT_CLAUSES,
    VITESS_KEY_CLAUSES,
    VITESS_VALUE_CLAUSES,
    VITESS_TEMPORAL_CLAUSES,
    VITESS_TRANSACTION_CLAUSES,
    VITESS_ORDERED_CLAUSES,
    VITESS_STREAM_CLAUSES,
    VITESS_FAILURE_CLAUSES,
    VITESS_SETTING_CLAUSES,
    VITESS_DOCUMENTED_CLAUSES,
)

CLAUSES: Mapping[str, Clause] = MappingProxyType(
    {identifier: clause for table in TABLES for identifier, clause in table.items()}
)

# A layer that protocols share -> the protocols whose streams it governs.
_SHARED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "kafka": frozenset({"open", "avro", "vitess"}),
        "changefeed": frozenset({"open", "avro"}),
        "registry": frozenset({"avro", "vitess"}),
        "connect": frozenset({"vitess"}),
    }
)


def duty_clause(protocol: str, duty: str) -> str:
    """Return the id of the clause behind a consumer's duty; empty when the protocol has none."""
    return DUTY_CLAUSES.get(protocol, {}).get(duty, "")


def type_clause(protocol: str, kind: ColumnKind) -> str:
    """Return the clause id of a column type's values; KeyError for an unknown protocol."""
    return TYPES_BY_PROTOCOL[protocol][kind]


def governs(clause: Clause, protocol: str) -> bool:
    """Tell whether a clause speaks of a protocol's streams."""
    return protocol in _SHARED.get(clause.protocol, {clause.protocol})
