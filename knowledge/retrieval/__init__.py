"""Retrieval of governed knowledge for recalls: the hub's own index, and a plane beside it if one is configured."""

from knowledge.retrieval.recalling import Recalled, RecallHit, check, recall

__all__ = ["RecallHit", "Recalled", "check", "recall"]
