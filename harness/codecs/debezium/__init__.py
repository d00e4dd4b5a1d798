"""TODO harness/codecs/debezium."""
