"""What agents can call of brains, pages and documents; importing it registers them."""

from knowledge.agent_calls import brains, documents

__all__ = ["brains", "documents"]
