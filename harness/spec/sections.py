"""Every section of the five source documents, and why some of them have no clause.

Law: a section either has clauses or says here why it needs none, so that nothing normative of a
document can be forgotten; a test holds the table and the clauses together.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.spec.documents import AVRO, AVRO_6_1, DDL, OPEN, VITESS, Page

_HEADING = "Only a heading: its subsections have the clauses."
_SAME = "Says what the present page says; a clause without versions holds for both."
_RUNNING = "How to install, reach or watch the connector; nothing that a stream shows."

# Document -> section -> why it has no clause; empty when it has some.
SECTIONS: Mapping[Page, Mapping[str, str]] = MappingProxyType(
    {
        OPEN: {
            "Overview": "",
            "Restrictions": "",
            "Message format": "",
            "Event format": _HEADING,
            "Event format, Row Changed Event": "",
            "Event format, DDL Event": "",
            "Event format, Resolved Event": "",
            "Examples of the Event stream output": "",
            "Protocol parsing for consumers": "Names sample parsers and states nothing.",
            "Column type code": "",
            "DDL type code": "",
            "Bit flags of columns": "",
            "Bit flags of columns, notes": "",
        },
        AVRO: {
            "TiCDC Avro Protocol": "",
            "Use Avro": "",
            "Definition of the data format": "",
            "Key data format": "",
            "Value data format": "",
            "TiDB extension fields": "",
            "Column data format": "",
            "DDL events and schema changes": "",
            "Consumer implementation": "",
            "Distinguish event types": "",
            "Topic distribution": "",
            "Compatibility": "",
        },
        AVRO_6_1: {
            "TiCDC Avro Protocol": "Introduces the format and states nothing of it.",
            "Use Avro": _SAME,
            "TiDB extension fields": "",
            "Definition of the data format": _SAME,
            "Key data format": _SAME,
            "Value data format": _SAME,
            "Column data format": "",
            "DDL events and schema changes": "",
            "Topic distribution": _SAME,
        },
        DDL: {
            "Changefeed DDL Replication": "Introduces the page and states nothing.",
            "DDL allow list": "",
            "DDL replication considerations": _HEADING,
            "Asynchronous execution of ADD INDEX and CREATE INDEX": "",
            "DDL replication considerations for renaming tables": _HEADING,
            "Rename a single table in a DDL statement": "",
            "Rename multiple tables in a DDL statement": "",
            "DDL statement considerations": "",
            "Notes on using event filter rules to filter DDL events": "",
        },
        VITESS: {
            "Overview": "",
            "How the connector works": _HEADING,
            "Snapshot": "",
            "Streaming changes": "",
            "Topics names": "",
            "Transaction metadata": "",
            "Ordered transaction metadata": "",
            "Efficient transaction metadata": "",
            "Data change events": "",
            "Change event keys": "",
            "Change event values": "",
            "create events": "",
            "update events": "",
            "Primary key updates": "",
            "delete events": "",
            "Tombstone events": "",
            "Data type mappings": _HEADING,
            "Basic types": "",
            "Temporal types": "",
            "Setting up Vitess": _RUNNING,
            "gRPC authentication": _RUNNING,
            "Deployment": _RUNNING,
            "Connector configuration example": "Shows properties that have their own section.",
            "Offset storage per task": "",
            "Adding connector configuration": _RUNNING,
            "Monitoring": _RUNNING,
            "Customized MBean names": _RUNNING,
            "Streaming metrics": _RUNNING,
            "Connector configuration properties": "",
            "Pass-through connector configuration properties": _RUNNING,
            "Behavior when things go wrong": "",
            "Configuration and startup errors": "",
            "Vitess becomes unavailable": "",
            "Invalid column name error": "",
            "Kafka Connect process stops gracefully": "",
            "Kafka Connect process crashes": "",
            "Kafka becomes unavailable": "",
            "Connector is stopped for a duration": "",
            "Connector fails before finishing the snapshot": "",
            "Limitations with earlier Vitess versions": "",
        },
    }
)
