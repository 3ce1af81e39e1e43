"""The request threads: a few long-lived single-thread executors, each with its persistent database connection.

Django's own ASGI handler starts a thread, and so opens a database connection, for every request. Here a request is
bound to one of the executors for its whole life; what it runs through ``sync_to_async`` runs on that thread, in order.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from asgiref.sync import ThreadSensitiveContext
from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope
from django.conf import settings
from django.db import close_old_connections, connections


class Worker(ThreadPoolExecutor):
    """One request thread, which knows how much waits for it."""

    def __init__(self, number: int) -> None:
        super().__init__(max_workers=1, thread_name_prefix=f"muster-request-{number}")
        self.requests = 0
        self.queued = 0
        self._guard = threading.Lock()

    def submit[**P, R](self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Queue a call."""
        with self._guard:
            self.queued += 1
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self._done)
        return future

    def _done(self, _: Future[Any]) -> None:
        with self._guard:
            self.queued -= 1

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Count a request bound to this thread."""
        self.requests += 1
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            self.requests -= 1


_current: ContextVar[Worker | None] = ContextVar("muster_worker", default=None)
_workers: list[Worker] = []


def least_loaded() -> Worker:
    """Answer the thread with the least work queued, then with the fewest requests bound (a long poll binds, idle)."""
    if not _workers:
        _workers.extend(Worker(number) for number in range(settings.HUB_EXECUTORS))
    return min(_workers, key=lambda worker: (worker.queued, worker.requests))


async def run_sync[**P, R](function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run `function` on the request's thread, for what is served outside Django's handler.

    That handler's signals would otherwise see to connections that broke.
    """
    worker = _current.get() or least_loaded()

    def run() -> R:
        close_old_connections()
        return function(*args, **kwargs)

    return await asyncio.get_running_loop().run_in_executor(worker, run)


def on_workers(application: ASGI3Application) -> ASGI3Application:
    """Serve an ASGI application with every connection bound to one request thread."""

    async def serve(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        worker = least_loaded()
        with worker.serving():
            async with ThreadSensitiveContext(executor=worker):
                await application(scope, receive, send)

    return serve


def shut_down() -> None:
    """End the request threads and the database connections they hold."""
    while _workers:
        worker = _workers.pop()
        with suppress(RuntimeError):  # the interpreter is ending and has stopped the threads itself
            worker.submit(connections.close_all)
        worker.shutdown(wait=True)
