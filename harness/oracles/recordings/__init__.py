"""Streams that others recorded from a real TiCDC or Debezium, beside ours."""
