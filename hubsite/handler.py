"""Django's ASGI handler, with one hop to a request thread for a whole request.

Django's own hops there and back for every middleware; that was most of the time of a small request. A call that waits
keeps Django's asynchronous way: it must not hold a thread.
"""

import re
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest

from hubsite.agent_calls import calls, is_waiting

PREFIX: Final = "/api/v1"


class _Synchronous(BaseHandler):
    """The middleware and views as one synchronous call."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware(is_async=False)


class HubHandler(ASGIHandler):
    """Serves a request on one request thread, from the first middleware to the last."""

    def __init__(self) -> None:
        super().__init__()
        self._synchronous = _Synchronous()
        templates = [PREFIX + call.http[1] for call in calls().values() if is_waiting(call)]
        self._waiting = re.compile("|".join(re.sub(r"\{\w+\}", "[^/]+", template) for template in templates))

    async def get_response_async(self, request: HttpRequest) -> Any:  # noqa: ANN401 - as in Django
        """Answer a request."""
        if self._waiting.fullmatch(request.path):
            return await super().get_response_async(request)
        return await sync_to_async(self._synchronous.get_response)(request)
