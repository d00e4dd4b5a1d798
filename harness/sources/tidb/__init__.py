"""The simulator of a TiDB changefeed: filters, routing, keys, splits and commit timestamps."""
