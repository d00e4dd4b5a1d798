"""The scenario here is of a protocol that this environment does not have: its test runs it."""

collect_ignore = ["scenarios", "installed"]
