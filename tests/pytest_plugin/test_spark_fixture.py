"""`harness_spark`: a session with Kafka's connector, or a skip that says what is missing."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project

TEST = "def test_it(harness_spark): assert harness_spark.range(3).count() == 3\n"


def test_without_pyspark_it_skips(project: Project) -> None:
    """The reason names the extra that brings PySpark."""
    project.write("conftest.py", "import sys\nsys.modules['pyspark'] = None\n")
    project.write("test_it.py", TEST)
    done = project.outside("-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["SKIPPED*PySpark is missing: pip install*"])


@pytest.mark.spark
def test_without_java_it_skips(project: Project) -> None:
    """The reason names the Java that was looked for."""
    project.monkeypatch.setenv("JAVA_HOME", str(project.path / "nowhere"))
    project.monkeypatch.setenv("PATH", str(project.path))
    project.write("test_it.py", TEST)
    done = project.outside("-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["SKIPPED*no suitable Java*"])


@pytest.mark.spark
def test_it_reads_kafka(project: Project) -> None:
    """The session has the connector: it reads a topic of the session's own Kafka."""
    project.write(
        "test_it.py",
        """
        import confluent_kafka
        from confluent_kafka.admin import AdminClient, NewTopic

        def test_it(harness_spark, harness_services):
            address = harness_services.kafka.bootstrap
            admin = AdminClient(harness_services.kafka.client)
            admin.create_topics([NewTopic("t", 1, 1)])["t"].result(30)
            producer = confluent_kafka.Producer(harness_services.kafka.client)
            producer.produce("t", b"value", b"key")
            assert producer.flush(30) == 0
            options = {"kafka.bootstrap.servers": address, "subscribe": "t",
                       "startingOffsets": "earliest"}
            read = harness_spark.read.format("kafka").options(**options).load()
            assert [bytes(row.value) for row in read.collect()] == [b"value"]

        def test_again(harness_spark):
            assert harness_spark.range(3).count() == 3
        """,
    )
    project.outside().assert_outcomes(passed=2)
