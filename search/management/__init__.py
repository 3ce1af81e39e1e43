"""Commands of search."""
