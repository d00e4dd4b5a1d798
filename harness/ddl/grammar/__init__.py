"""SQL text to syntax tree: recursive descent over TiDB's, MySQL's and MariaDB's DDL grammar."""

from __future__ import annotations
