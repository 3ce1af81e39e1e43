"""The keeper of the door for writes: rights from `identity.access`, idempotency keys from their table."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from core import idempotency, limits
from core.actor import Actor
from core.errors import HubError
from core.operation import Right
from identity.access import authorized
from identity.models import IdempotencyKey
from projects.models import Project


class IdentityKeeper:
    """Decides and remembers for `core.operation`."""

    def authorize(self, actor: Actor, place: str, right: Right) -> Project:
        """Answer the project; see `identity.access.authorized`. A person must be active staff still."""
        if not actor.is_agent:
            self.authorize_staff(actor)
        return authorized(actor, place, right)

    def authorize_staff(self, actor: Actor) -> None:
        """Refuse anyone but the hub and people who are active staff."""
        if actor.kind == "hub":
            return
        if actor.is_agent or actor.key is None or not _active_staff(actor.key):
            raise HubError("forbidden", "Only staff may do this.")

    def authorize_subject(self, actor: Actor, subject: int) -> bool:
        """Tell whether `actor` is the hub, or the person `subject` and active staff still."""
        if actor.kind == "hub":
            return True
        return not actor.is_agent and actor.key == subject and _active_staff(subject)

    def recall(self, actor: Actor, key: str, fingerprint: str) -> dict[str, Any] | None:
        """Answer the stored result of this actor's key, `conflict` when the call was another; else claim the key.

        The claim is a row of this transaction, so a second call with the key waits here until the first has committed
        and then finds its result. PostgreSQL has no gate that would make it wait.
        """
        keys = IdempotencyKey.objects.select_for_update()
        claim = {"fingerprint": fingerprint, "result": {}, "created_at": timezone.now()}
        row, claimed = keys.get_or_create(actor=str(actor), key=key, defaults=claim)
        if claimed:
            return None
        if row.created_at <= _horizon():
            IdempotencyKey.objects.filter(pk=row.pk).update(**claim)
            return None
        idempotency.replayed(key, row.fingerprint, fingerprint)
        return dict(row.result)

    def seen(self, actor: Actor, key: str, fingerprint: str) -> dict[str, Any] | None:
        """Answer what `recall` would, outside a transaction and without claiming the key."""
        row = IdempotencyKey.objects.filter(actor=str(actor), key=key, created_at__gt=_horizon()).first()
        if row is None:
            return None
        idempotency.replayed(key, row.fingerprint, fingerprint)
        return dict(row.result)

    def remember(self, actor: Actor, key: str, fingerprint: str, result: dict[str, Any]) -> None:
        """Keep the result for a day, under the key that `recall` claimed for this call."""
        IdempotencyKey.objects.filter(actor=str(actor), key=key, fingerprint=fingerprint).update(result=result)


def _active_staff(user: int) -> bool:
    return get_user_model().objects.filter(pk=user, is_active=True, is_staff=True).exists()


def _horizon() -> datetime:
    return timezone.now() - timedelta(hours=limits.IDEMPOTENCY_HOURS)


def is_known(actor: Actor, key: str | None) -> bool:
    """Tell whether the hub store holds a result under the actor's key."""
    rows = IdempotencyKey.objects.filter(actor=str(actor), created_at__gt=_horizon())
    return key is not None and rows.filter(key=key).exists()


def forget_old_keys() -> int:
    """Drop keys past their day; answers how many."""
    return IdempotencyKey.objects.filter(created_at__lte=_horizon()).delete()[0]
