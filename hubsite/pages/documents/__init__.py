"""Governed knowledge in the browser (GOV-01..09)."""
