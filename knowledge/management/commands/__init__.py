"""Commands of the knowledge app."""
