"""From a credential to an actor: the only places an actor is made (IDN-01)."""

import hashlib
from datetime import timedelta
from typing import Final

from django.http import HttpRequest
from django.utils import timezone

from core import limits, live
from core.actor import Actor
from core.errors import HubError
from core.gate import write_if_free
from identity.models import Agent, Token

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
    unrevoked = Token.objects.filter(digest=digest(secret.strip()), revoked_at__isnull=True)
    token = unrevoked.select_related("agent").first()
    if token is None:
        raise HubError("unauthenticated", f"This token is unknown or was revoked. {FIX}", header="Authorization")
    _seen(token)
    return Actor("agent", token.agent.name, token.agent.pk, token.agent.trusted)


def _seen(token: Token) -> None:
    """Note that the agent called, at most once a minute; a store too busy for it never fails the call (IDN-02).

    A token's first call is always noted and announced: somebody is waiting to see it.
    """
    now, seen = timezone.now(), token.agent.last_seen_at
    if seen and seen >= token.created_at and now - seen < timedelta(seconds=limits.TOUCH_SECONDS):
        return
    write_if_free(lambda: Agent.objects.filter(pk=token.agent_id).update(last_seen_at=now))
    live.announce("agents", agent=token.agent.name)


def human_from_request(request: HttpRequest) -> Actor:
    """Answer the signed-in person; `unauthenticated` for nobody, `forbidden` for who is not active staff."""
    user = request.user
    if not user.is_authenticated:
        raise HubError("unauthenticated", "Sign in first.")
    if not (user.is_active and user.is_staff):
        raise HubError("forbidden", "Only staff may do this.")
    return Actor("human", user.get_username(), user.pk, trusted=True)
