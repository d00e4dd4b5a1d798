"""Oracles: the vendors' own programs over the catalogue, their records beside ours.

Nothing else of the harness needs what is here: jars and packages are fetched, and verified, when an
oracle is asked.
"""
