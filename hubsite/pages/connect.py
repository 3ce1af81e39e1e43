"""Connecting an agent: create it, see its token once, copy one line, watch its first call arrive (OPS-01)."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError, not_found
from hubsite.origins import hub_url
from hubsite.pages.clients import clients
from identity.models import Agent, Token
from identity.operations import create_agent, issue_token
from identity.pages import human_page, page

LISTED: Final = 100


@human_page
def connect(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show how to connect: one agent, or a new one."""
    name = request.GET.get("agent", "")
    return _page(request, _agent(name) if name else None)


@require_POST
@human_page
def connect_new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Create an agent, or issue a new token to one there is; its token is shown in this answer alone (IDN-02)."""
    name = request.POST.get("name", "").strip()
    try:
        if request.POST.get("again") != "1":
            create_agent(actor, name=name)
        issued = issue_token(actor, name=name)
    except HubError as refusal:
        return _page(request, None, status=refusal.status, refusal=refusal, name=name)
    return _page(request, _agent(name), secret=issued.secret)


@human_page
def connect_check(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Show whether an agent has called with its token, for live updates."""
    agent = _agent(name)
    return page(request, "hubsite/connect.html#check", agent=agent, checked=_checked(agent))


def _agent(name: str) -> Agent:
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        raise not_found("agent")
    return agent


def _page(request: HttpRequest, agent: Agent | None, *, status: int = 200, **more: Any) -> HttpResponse:  # noqa: ANN401
    address = hub_url(request.scheme or "http", request.get_host())
    return page(
        request,
        "hubsite/connect.html",
        place="connect",
        title="Connect an agent",
        status=status,
        agent=agent,
        checked=_checked(agent) if agent else None,
        agents=Agent.objects.order_by("name")[:LISTED],
        address=address,
        clients=clients(address, more.get("secret")),
        **more,
    )


def _checked(agent: Agent) -> str:
    """Answer ``none`` without a token, ``waiting`` for the first call with it, or ``called``."""
    token = Token.objects.filter(agent=agent, revoked_at__isnull=True).first()
    if token is None:
        return "none"
    return "called" if agent.last_seen_at and agent.last_seen_at >= token.created_at else "waiting"


ROUTES = [
    ("connect/", connect, "connect"),
    ("connect/new/", connect_new, "connect-new"),
    ("connect/<str:name>/check/", connect_check, "connect-check"),
]
