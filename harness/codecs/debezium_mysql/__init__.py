"""Debezium for MariaDB and MySQL: the connector behind the binary log, byte by byte."""
