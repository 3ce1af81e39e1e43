"""The ASGI application: MCP, Django and the websocket, each connection bound to one request thread.

Served by uvicorn (``manage.py serve``, or any ASGI server) and by daphne (``manage.py runserver``). Importing this
module takes the data directory's lock, so that whatever serves it serves alone.
"""

import importlib
import os
from typing import Any

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubsite.settings")
django_application: Any = get_asgi_application()

from hubsite import hub_lock, services  # noqa: E402 - Django must be set up first
from hubsite.executors import on_workers  # noqa: E402

hub_lock.take_or_exit()

_http = on_workers(django_application)


def _mounted(module: str) -> Any:
    try:
        return on_workers(importlib.import_module(module).application)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return _http


_mcp = _mounted("hubsite.mcp_server")
_live = _mounted("hubsite.live")


async def application(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Hand a connection to who serves it."""
    if scope["type"] == "lifespan":
        await services.lifespan(receive, send)
        return
    services.start()  # daphne has no lifespan
    if scope["type"] == "websocket":
        await _live(scope, receive, send)
    elif scope["path"].rstrip("/") == "/mcp":
        await _mcp(scope, receive, send)
    else:
        await _http(scope, receive, send)
