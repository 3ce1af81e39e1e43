"""Commands beside the hub."""
