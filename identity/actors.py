"""From a credential to an actor: the only places an actor is made (IDN-01)."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from core import limits, live
from core.actor import Actor
from core.errors import HubError
from core.gate import write_if_free
from identity.models import Agent

PREFIX: Final = "hub_"
FIX: Final = (
    "Send the header 'Authorization: Bearer hub_...' with this agent's token. "
    "Staff issue one in the admin (Agents, 'Issue token') or with 'manage.py create_agent NAME'."
)


def digest(secret: str) -> str:
    """Answer the digest a token is stored as. 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def agent_from_token(authorization: str | None) -> Actor:
    """Answer the agent behind an ``Authorization`` header; `unauthenticated`, with the fix, when there is none.

    The lookup is by digest through a unique index, so its time tells nothing of the stored tokens.
    """
    scheme, _, secret = (authorization or "").strip().partition(" ")
    if scheme.lower() != "bearer" or not secret.strip().startswith(PREFIX):
        raise HubError("unauthenticated", f"No agent token was sent. {FIX}", header="Authorization")
    now = timezone.now()
    unseen_since = connection.ops.adapt_datetimefield_value(now - timedelta(seconds=limits.TOUCH_SECONDS))
    with connection.cursor() as cursor:
        cursor.execute(_OF_TOKEN, [unseen_since, digest(secret.strip())])
        row = cursor.fetchone()
    if row is None:
        raise HubError("unauthenticated", f"This token is unknown or was revoked. {FIX}", header="Authorization")
    key, name, trusted, token, due = row
    if due:
        _seen(key, name, now)
    return Actor("agent", name, key, bool(trusted), token)


# Every call of every agent runs this. Written out, it takes a twentieth of what the ORM takes to build the same query.
# A token's first call is always noted: somebody is waiting to see it.
_OF_TOKEN: Final = """
    SELECT agent.id, agent.name, agent.trusted, token.id,
        agent.last_seen_at IS NULL OR agent.last_seen_at < token.created_at OR agent.last_seen_at <= %s
    FROM identity_token token JOIN identity_agent agent ON agent.id = token.agent_id
    WHERE token.digest = %s AND token.revoked_at IS NULL
"""  # noqa: S105 - a query, no secret


def _seen(agent: int, name: str, now: datetime) -> None:
    """Note that the agent called, at most once a minute; a store too busy for it never fails the call (IDN-02)."""
    write_if_free(lambda: Agent.objects.filter(pk=agent).update(last_seen_at=now))
    live.announce("agents", agent=name)


def human_from_request(request: HttpRequest) -> Actor:
    """Answer the signed-in person; `unauthenticated` for nobody, `forbidden` for who is not active staff."""
    user = request.user
    if not user.is_authenticated:
        raise HubError("unauthenticated", "Sign in first.")
    if not (user.is_active and user.is_staff):
        raise HubError("forbidden", "Only staff may do this.")
    return Actor("human", user.get_username(), user.pk, trusted=True)
