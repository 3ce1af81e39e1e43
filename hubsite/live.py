"""Live updates: a websocket that tells a browser which ids changed (HUB-09).

The browser says which groups its page shows and the newest event each has seen. It gets what was committed since,
then every note as it comes; what it does with one is to fetch its fragment anew, under its own rights.
"""

import asyncio
import json
from typing import Any, Final

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import URLRouter
from django.urls import path

from core.errors import HubError
from core.live import Note, board
from hubsite.live_groups import FEEDS, PROJECTS, asked_for, expanded, missed
from hubsite.origins import check_origin

MESSAGE_CHARS: Final = 20_000
BAD_MESSAGE: Final = 4400
SIGNED_OUT: Final = 4401
NOT_STAFF: Final = 4403
TOO_SLOW: Final = 4408
CATCH_UP: Final = 4409

_open: set["LiveConsumer"] = set()


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels ships no types
    """One browser page. Active staff only; what it hears are ids."""

    async def connect(self) -> None:
        """Take the page in; another site's page is refused before the handshake, a signed-out one told why."""
        self._pumps: dict[str, asyncio.Task[None]] = {}
        self._loop = asyncio.get_running_loop()
        try:
            check_origin({name.decode("latin-1"): value.decode("latin-1") for name, value in self.scope["headers"]})
        except HubError:
            await self.close()
            return
        await self.accept()
        user = self.scope["user"]
        if not user.is_authenticated:
            await self.close(SIGNED_OUT)
        elif not (user.is_active and user.is_staff):
            await self.close(NOT_STAFF)
        else:
            _open.add(self)

    def ask_back(self) -> None:
        """Close the socket, from any thread, so that the browser comes back."""
        asyncio.run_coroutine_threadsafe(self.close(CATCH_UP), self._loop)

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - channels' signature
        """Stop listening."""
        _open.discard(self)
        for pump in self._pumps.values():
            pump.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:  # noqa: ARG002
        """Listen to the groups the page names, beside those it listens to already."""
        if self not in _open:
            return
        wanted = _parsed(text_data or "")
        if wanted is None:
            await self.close(BAD_MESSAGE)
            return
        groups = await database_sync_to_async(expanded)(wanted)
        self._listen(groups, every_project=FEEDS in wanted)

    def _listen(self, groups: dict[str, str | None], *, every_project: bool) -> None:
        new = {group: since for group, since in groups.items() if group not in self._pumps}
        if new:
            pump = asyncio.create_task(self._pump(new, every_project=every_project))
            self._pumps |= dict.fromkeys(new, pump)

    async def _pump(self, groups: dict[str, str | None], *, every_project: bool) -> None:
        """Send what was missed, then what comes. Subscribed before the read, so nothing falls between the two."""
        with board.listen(*groups) as notes:
            told = set()
            for note in await database_sync_to_async(missed)(groups):
                told.add((note["group"], note.get("event")))
                await self._tell(note)
            await self._tell({"group": "welcome"})
            while True:
                note = await notes.next()
                if notes.overflowed:
                    await self.close(TOO_SLOW)
                    return
                if every_project and note["group"] == PROJECTS and "project" in note:
                    self._listen({f"project:{note['project']}": ""}, every_project=False)
                # An event is told once; an inbox item changes more than once, so its notes are all told.
                if note["group"] == "inbox" or (note["group"], note.get("event")) not in told:
                    await self._tell(note)

    async def _tell(self, note: Note) -> None:
        await self.send(text_data=json.dumps(note))


def _parsed(text: str) -> dict[str, str | None] | None:
    if len(text) > MESSAGE_CHARS:
        return None
    try:
        message = json.loads(text)
    except ValueError:
        return None
    return asked_for(message.get("listen"), message.get("since", {})) if isinstance(message, dict) else None


def ask_back() -> None:
    """Close every socket of this process, from any thread: each browser comes back and catches up by id."""
    for consumer in list(_open):
        consumer.ask_back()


websocket_urlpatterns = [path("live/", LiveConsumer.as_asgi())]
_router = AuthMiddlewareStack(URLRouter(websocket_urlpatterns))


async def application(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - an ASGI application
    """Serve the websocket; any other path is refused."""
    if scope["path"] != "/live/":
        await receive()
        await send({"type": "websocket.close"})
        return
    await _router(scope, receive, send)
