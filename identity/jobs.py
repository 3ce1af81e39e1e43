"""Housekeeping of identity."""

from core.jobs import every
from identity.keeper import forget_old_keys

every(3600)(forget_old_keys)
