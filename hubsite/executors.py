"""The request threads: a few long-lived threads, each with its persistent database connection.

Django's own ASGI handler starts a thread, and so opens a database connection, for every request. Here whatever a
request runs through ``sync_to_async`` goes to the next free of the hub's threads, first come, first served: one that
waits for a file that is held keeps nobody else waiting (KNB-08), and a long poll holds none.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from asgiref.sync import ThreadSensitiveContext
from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope
from django.conf import settings
from django.db import close_old_connections, connections


class RequestThreads(ThreadPoolExecutor):
    """Threads that look after their connection before each call.

    asgiref asks for an executor of one thread because code may rely on the thread it began on. Nothing here does: no
    transaction outlasts a call, and what a request keeps is in its context, which asgiref carries along.
    """

    def __init__(self, size: int, name: str = "muster-request") -> None:
        super().__init__(size, thread_name_prefix=name)
        self._size = size

    def submit[**P, R](self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Queue a call; the thread that takes it first drops a connection that broke."""

        def run() -> R:
            close_old_connections()
            return fn(*args, **kwargs)

        return super().submit(run)

    def close(self) -> None:
        """End the threads and the database connections they hold."""
        everyone = threading.Barrier(self._size)

        def part() -> None:
            everyone.wait(timeout=10)  # so that each thread takes one
            connections.close_all()

        with suppress(RuntimeError):  # the interpreter is ending and has stopped the threads itself
            for _ in range(self._size):
                super().submit(part)
        self.shutdown(wait=True)


_SLOW: Final = 2
_pools: dict[str, RequestThreads] = {}


def request_threads() -> RequestThreads:
    """Answer this process's request threads; the first call starts them."""
    return _pool("muster-request", settings.HUB_EXECUTORS)


def _pool(name: str, size: int) -> RequestThreads:
    if name not in _pools:
        _pools[name] = RequestThreads(size, name)
    return _pools[name]


async def run_sync[**P, R](function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run `function` on a request thread, for what is served outside Django's handler."""
    return await asyncio.wrap_future(request_threads().submit(function, *args, **kwargs))


async def run_slow[**P, R](function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run `function` on one of a few threads for what takes long, so that no request thread is held by it."""
    return await asyncio.wrap_future(_pool("muster-slow", _SLOW).submit(function, *args, **kwargs))


def on_request_threads(application: ASGI3Application) -> ASGI3Application:
    """Serve an ASGI application with its synchronous code on the request threads."""

    async def serve(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        async with ThreadSensitiveContext(executor=request_threads()):
            await application(scope, receive, send)

    return serve


def shut_down() -> None:
    """End the threads."""
    while _pools:
        _pools.popitem()[1].close()
