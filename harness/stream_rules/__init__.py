"""What a protocol's MUST clauses of order, batches and partitions demand of any stream.

Each rule reads messages and decoded events, never the code that made them.
"""
