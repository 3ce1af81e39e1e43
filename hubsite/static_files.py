"""WhiteNoise between async views: a sync middleware would hold a request thread for as long as a long poll waits."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc] - whitenoise ships no types for it
    """Serve static files without leaving the event loop for what is not one."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Serve a static file, or pass the request on."""
        return super().__call__(request)  # type: ignore[no-any-return]
