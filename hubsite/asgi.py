"""The ASGI application: MCP, uploads, Django and the websocket, each connection bound to one request thread.

Served by uvicorn (``manage.py serve``, or any ASGI server) and by daphne (``manage.py runserver``). Importing this
module takes the data directory's lock, so that whatever serves it serves alone.
"""

import os

import django
from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubsite.settings")
django.setup(set_prefix=False)

from hubsite import hub_lock, live, mcp_server, services, uploads  # noqa: E402 - Django must be set up first
from hubsite.bodies import limited  # noqa: E402
from hubsite.executors import on_request_threads  # noqa: E402
from hubsite.handler import HubHandler  # noqa: E402

hub_lock.take_or_exit()

_http = on_request_threads(limited(HubHandler()))
_mcp = on_request_threads(mcp_server.application)
_live = on_request_threads(live.application)


async def application(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Hand a connection to who serves it."""
    if scope["type"] == "lifespan":
        await services.lifespan(receive, send)
        return
    services.start()  # daphne has no lifespan
    if scope["type"] == "websocket":
        await _live(scope, receive, send)
    elif scope["path"] in {"/mcp", "/mcp/"}:
        await _mcp(scope, receive, send)
    elif uploads.is_upload(scope["path"]):
        await uploads.application(scope, receive, send)
    else:
        await _http(scope, receive, send)
