"""``manage.py serve``: what ``make run`` starts."""

import signal
import socket
import sys
from types import FrameType
from typing import Any, Final

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from core.live import STOPPING, board
from hubsite import hub_lock, startup

# What uvicorn itself exits with when it could not listen.
_NOT_STARTED: Final = 3


class Command(BaseCommand):
    """Migrate, see that somebody can sign in, and serve."""

    help = "Serve the hub: pages, agent API, MCP, live updates and jobs, in one process."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own declaration

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, when not where HUB_HOST and HUB_PORT say."""
        parser.add_argument("--host", default=settings.HUB_HOST)
        parser.add_argument("--port", type=int, default=settings.HUB_PORT)

    def handle(self, *_: Any, host: str, port: int, **__: Any) -> None:  # noqa: ANN401 - Django's own signature
        """Start, serve, stop."""
        address = settings.HUB_URL or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        signal.signal(signal.SIGTERM, _leave)
        signal.signal(signal.SIGINT, _leave)
        if hub_lock.needs_lock():
            try:
                hub_lock.hub_lock().take(address)
            except hub_lock.HeldElsewhereError as refusal:
                raise CommandError(str(refusal)) from None
        settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        startup.migrate()
        self._greet(address, startup.first_admin())
        connections.close_all()
        config = uvicorn.Config(
            "hubsite.asgi:application",
            host=host,
            port=port,
            loop="uvloop",
            http="httptools",
            ws="websockets-sansio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            # Longer than clients keep idle connections, or a request meets a connection that is just closing.
            timeout_keep_alive=75,
            timeout_graceful_shutdown=5,
        )
        server = _Server(config)
        server.run()
        if not server.started:
            sys.exit(_NOT_STARTED)

    def _greet(self, address: str, admin: startup.NewAdmin | None) -> None:
        """Say where the hub is and how to come in."""
        sign_in = f"sign in at {address}/"
        if admin:
            password = f"the password {admin.generated} (shown this once)" if admin.generated else "HUB_ADMIN_PASSWORD"
            sign_in += f" as {admin.name} with {password}"
        self.stdout.write(
            f"Muster serves {address}, data in {settings.DATA_DIR}\n"
            f"  People: {sign_in}\n"
            "  Agents: manage.py create_project SLUG, then manage.py create_agent NAME, whose last line is the token\n"
            "    for HUB_TOKEN. Claude Code, for example, connects with\n"
            '    claude mcp add --transport http --scope project --header "Authorization: Bearer $HUB_TOKEN" '
            f"hub {address}/mcp\n"
            f"  Other clients: {address}/connect/ and {address}/SKILL.md",
        )
        self.stdout.flush()


class _Server(uvicorn.Server):
    """A server that answers who waits for an answer before it stops, so that nobody's connection just ends."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: let waits end, then finish what is underway."""
        board.post({"group": STOPPING})
        await super().shutdown(sockets)


def _leave(_: int, __: FrameType | None) -> None:
    """End well: uvicorn has finished its requests when it passes the signal on to here."""
    sys.exit(0)
