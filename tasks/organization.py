"""Who this hub is (TSK-02). A delegation holds on the hub that issued it, and a contribution is keyed by it."""

from core import ids
from tasks.models import Organization


def organization() -> str | None:
    """Answer the hub's key; None while nothing was ever issued."""
    return Organization.objects.values_list("key", flat=True).first()


def made() -> str:
    """Answer the hub's key, made in the caller's transaction if this is the first time it is asked for."""
    known = organization()
    if known is None:
        Organization.objects.bulk_create([Organization(key=str(ids.fresh()))], ignore_conflicts=True)
        known = Organization.objects.values_list("key", flat=True).get()
    return known
