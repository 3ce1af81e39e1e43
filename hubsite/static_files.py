"""WhiteNoise between async views: a sync middleware would hold a request thread for as long as a long poll waits."""

import gzip
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from whitenoise.middleware import WhiteNoiseFileResponse, WhiteNoiseMiddleware

COMPRESSED = ("text/", "application/javascript", "image/svg")


class StaticMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise ships no types for it
    """Serve static files without leaving the event loop for what is not one."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Serve a static file, or pass the request on."""
        response: HttpResponseBase | Awaitable[HttpResponseBase] = super().__call__(request)
        if not isinstance(response, WhiteNoiseFileResponse):
            return response
        whole = _whole(request, response)
        return _ready(whole) if iscoroutinefunction(self) else whole


async def _ready(response: HttpResponseBase) -> HttpResponseBase:
    return response


def _whole(request: HttpRequest, response: WhiteNoiseFileResponse) -> HttpResponse:
    """Answer a file from memory, compressed where that helps: they are few and small, and no thread has to read on."""
    content = b"".join(response.streaming_content)
    response.close()
    whole = HttpResponse(content, status=response.status_code, headers=dict(response.items()))
    if response.status_code == 200 and content and whole["Content-Type"].startswith(COMPRESSED):  # noqa: PLR2004
        patch_vary_headers(whole, ["Accept-Encoding"])
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            whole.content = _compressed(content)
            whole["Content-Encoding"] = "gzip"
            whole["Content-Length"] = str(len(whole.content))
    return whole


@lru_cache(maxsize=64)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)
