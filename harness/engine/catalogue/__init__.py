"""Which scenarios there are, their plans, and their goldens on disk."""
