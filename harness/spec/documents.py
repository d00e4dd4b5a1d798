"""The documents and source trees that clauses are read from, each with its public address.

A clause names the place where it stands: a section of a page, or a file of a source tree that is
pinned to a commit or a tag, so that the line is still there tomorrow.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.spec.clause import Source


@dataclass(frozen=True, slots=True)
class Page:
    """A document on the web; `url` is what an anchor or a path is appended to."""

    title: str
    url: str

    def section(self, name: str, place: str) -> Source:
        """Return a section of the page by its name and its anchor or path."""
        return Source(self.title, name, f"{self.url}{place}")


@dataclass(frozen=True, slots=True)
class Tree:
    """A public source tree at one commit; `root` is where its paths begin."""

    title: str
    url: str
    root: str = ""

    def file(self, path: str, line: int | None = None) -> Source:
        """Return a file of the tree, at a line when one is given."""
        place = path if line is None else f"{path}:{line}"
        anchor = "" if line is None else f"#L{line}"
        return Source(self.title, place, f"{self.url}/{self.root}{path}{anchor}")


_PINGCAP = "https://docs.pingcap.com/tidb"
_DEBEZIUM = "https://debezium.io/documentation/reference/3.3"
_CONFLUENT = "https://docs.confluent.io/platform/current"

OPEN = Page("TiCDC Open Protocol", f"{_PINGCAP}/stable/ticdc-open-protocol#")
AVRO = Page("TiCDC Avro Protocol", f"{_PINGCAP}/stable/ticdc-avro-protocol#")
AVRO_6_1 = Page("TiCDC Avro Protocol, 6.1", f"{_PINGCAP}/v6.1/ticdc-avro-protocol#")
DDL = Page("Changefeed DDL Replication", f"{_PINGCAP}/stable/ticdc-ddl#")
FILTER = Page("Changefeed Log Filters", f"{_PINGCAP}/stable/ticdc-filter#")
TABLE_FILTER = Page("Table Filter", f"{_PINGCAP}/stable/table-filter#")
SINK_KAFKA = Page("Replicate Data to Kafka", f"{_PINGCAP}/stable/ticdc-sink-to-kafka#")
VITESS = Page("Debezium connector for Vitess, 3.3", f"{_DEBEZIUM}/connectors/vitess.html#")
SMT = Page("Debezium transformations", f"{_DEBEZIUM}/transformations/")
KAFKA = Page("Apache Kafka documentation", "https://kafka.apache.org/documentation/#")
CONFLUENT = Page("Confluent Schema Registry", f"{_CONFLUENT}/schema-registry/")
CONFLUENT_CONNECT = Page("Confluent converters", f"{_CONFLUENT}/schema-registry/connect.html")
AVRO_SPECIFICATION = Page(
    "Apache Avro specification", "https://avro.apache.org/docs/1.12.0/specification/#"
)

_GITHUB = "https://github.com"
TIFLOW = Tree("tiflow c7b2588", f"{_GITHUB}/pingcap/tiflow/blob/c7b2588ef6")
TICDC = Tree("ticdc b813e76", f"{_GITHUB}/pingcap/ticdc/blob/b813e76f9d")
TIDB_CODE = Tree("TiDB source", f"{_GITHUB}/pingcap/tidb/blob/master")
KAFKA_CODE = Tree("Apache Kafka 4.1.0 source", f"{_GITHUB}/apache/kafka/blob/4.1.0")
VITESS_CODE = Tree(
    "debezium-connector-vitess 3.3.1",
    f"{_GITHUB}/debezium/debezium-connector-vitess/blob/v3.3.1.Final",
    "src/main/java/io/debezium/connector/vitess/",
)
DEBEZIUM_CODE = Tree(
    "debezium-core 3.3.1",
    f"{_GITHUB}/debezium/debezium/blob/v3.3.1.Final",
    "debezium-core/src/main/java/io/debezium/",
)
