"""Debezium's MariaDB connector beside a MariaDB that runs each scenario's SQL."""
