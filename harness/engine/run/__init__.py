"""Runs consumers over planned cases: batches, interactive, external topics, level decode."""
