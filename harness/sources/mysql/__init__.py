"""The source simulator of MariaDB and MySQL: their binary log."""
