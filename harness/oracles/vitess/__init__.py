"""Debezium's Vitess connector in a real Kafka Connect, against a server that plays VTGate."""
