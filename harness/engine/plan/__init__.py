"""One case, planned from files alone: pure, before any service is up."""
