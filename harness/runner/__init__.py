"""Starts a consumer by the contract, supervises it, and reads its results."""
