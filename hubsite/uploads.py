"""Artifacts too large for a JSON call: a form whose file goes to the disk as it arrives (ART-01, AGT-02).

At the ASGI level, before Django's handler, which would spool the body twice. Who may not publish is refused before a
byte of the body is read. What is slow (parsing, hashing, writing, syncing) runs on threads of its own: neither the
event loop nor the request threads wait for it.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from artifacts.agent_calls import Publishing, Updating
from artifacts.blobs import Incoming, receiving
from core import limits
from core.actor import Actor
from core.calls import Arguments, Call, Json
from core.errors import HubError, invalid
from core.json_values import check_storable, parse
from core.operation import Right
from hubsite import agent_calls, executors, problems
from hubsite.agent_schemas import input_schema
from hubsite.bodies import ClientGoneError, Receive, Scope, Send, declared_length, respond
from hubsite.forms import FILE, Form, boundary_of
from hubsite.mcp.jsonrpc import encode
from identity.access import authorized

PREFIX: Final = "/api/v1"
MOST_BYTES: Final = limits.ARTIFACT_BYTES + 1024 * 1024
"""A whole body: the content, the fields and what stands between them."""
_BATCH: Final = 256 * 1024


def _publish(actor: Actor, arguments: Publishing | Updating, incoming: Incoming) -> Json:
    return arguments.publish(actor, incoming)


def _upload(name: str, title: str, path: str, arguments: type[Arguments], description: str) -> Call:
    return Call(
        name,
        title,
        description,
        ("POST", path),
        arguments,
        _publish,
        session="own",
        read_only=False,
        destructive=False,
        idempotent=False,
    )


UPLOADS: Final = (
    _upload(
        "artifact_publish_upload",
        "Upload an artifact",
        "/projects/{project}/artifacts/upload",
        Publishing,
        "The same as artifact_publish, with the content as a file, up to 50 MiB.",
    ),
    _upload(
        "artifact_update_upload",
        "Upload a new version",
        "/artifacts/{artifact}/versions/upload",
        Updating,
        "The same as artifact_update, with the content as a file, up to 50 MiB.",
    ),
)
_PATHS: Final = [(re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", PREFIX + call.http[1])), call) for call in UPLOADS]


def is_upload(path: str) -> bool:
    """Tell whether an address takes uploads."""
    return path.endswith("/upload") and any(pattern.fullmatch(path) for pattern, _ in _PATHS)


class _Request:
    """One request to an address of `UPLOADS`."""

    def __init__(self, scope: Scope) -> None:
        found = ((pattern.fullmatch(scope["path"]), call) for pattern, call in _PATHS)
        match, self.call = next((match, call) for match, call in found if match)
        self.scope = scope
        self.in_path: dict[str, str] = match.groupdict()
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}

    def check_method(self) -> None:
        """Refuse any but POST."""
        if self.scope["method"] != "POST":
            message = f"This address takes POST, not {self.scope['method']}."
            raise HubError("method_not_allowed", message, allow=["POST"])

    def authenticate(self) -> Actor:
        """Answer who uploads."""
        return agent_calls.authenticate(self.headers.get("authorization"))

    def check_right(self) -> None:
        """Refuse who may not publish there. Runs on a request thread."""
        actor = self.authenticate()
        check_storable(self.in_path)
        place = self.call.arguments.model_construct(None, **self.in_path).place(actor)
        authorized(actor, str(place), Right.WRITE)

    def check_length(self) -> None:
        """Refuse a body that declares itself too large."""
        length = declared_length(self.scope)
        if length is not None and length > MOST_BYTES:
            raise _too_large()

    def arguments(self, fields: dict[str, str]) -> Json:
        """Answer the call's arguments, those from the path with those of the form, to be validated."""
        twice = sorted(fields.keys() & self.in_path.keys())
        if twice:
            raise invalid(twice[0], f"{twice[0]} is in the path already.")
        known = input_schema(self.call)["properties"]
        return {name: _value(name, text, known.get(name, {})) for name, text in fields.items()} | self.in_path

    def publish(self, form: Form, incoming: Incoming) -> Json:
        """Publish what was read. Runs on an upload thread."""
        with problems.only_refusals(self.call.name):
            given = self.arguments(form.fields())
            actor = self.authenticate()  # again: the token may have been revoked while the body came
            ready = agent_calls.prepared(actor, self.call, given)
            incoming.finish()
            return agent_calls.run(ready, self.call, incoming)


class UploadEndpoint:
    """The ASGI application. `run_sync` says where work on the database runs, `run_slow` where work on the bytes."""

    def __init__(
        self,
        run_sync: agent_calls.RunSync = executors.run_sync,
        run_slow: agent_calls.RunSync = executors.run_slow,
    ) -> None:
        self._run_sync = run_sync
        self._run_slow = run_slow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; nobody, when the client went away."""
        try:
            with problems.only_refusals("upload"):
                answer = await self._answer(_Request(scope), receive)
        except HubError as error:
            await respond(
                send, error.status, problems.MEDIA_TYPE, problems.encoded_problem(error), problems.headers(error)
            )
            return
        if answer is not None:
            await respond(send, 200, "application/json", encode(answer), {"Cache-Control": "no-store"})

    async def _answer(self, request: _Request, receive: Receive) -> Json | None:
        request.check_method()
        await self._run_sync(request.check_right)
        boundary = boundary_of(request.headers.get("content-type", ""))
        request.check_length()
        try:
            async with self._receiving() as incoming:
                form = Form(boundary, incoming.write)
                await self._read(receive, form)
                return await self._on_upload_thread(lambda: request.publish(form, incoming))
        except ClientGoneError:
            return None

    async def _read(self, receive: Receive, form: Form) -> None:
        """Read the body, a batch at a time."""
        batch, size, is_more = bytearray(), 0, True
        while is_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            batch += message.get("body", b"")
            is_more = bool(message.get("more_body"))
            if len(batch) >= _BATCH or not is_more:
                size += len(batch)
                if size > MOST_BYTES:
                    raise _too_large()
                chunk = bytes(batch)
                batch.clear()
                await self._on_upload_thread(lambda chunk=chunk: form.write(chunk))  # type: ignore[misc]

    @asynccontextmanager
    async def _receiving(self) -> AsyncIterator[Incoming]:
        """`artifacts.blobs.receiving`, its steps on an upload thread: they reach disk and database."""
        block = receiving()
        incoming = await self._on_upload_thread(block.__enter__)
        try:
            yield incoming
        except BaseException as error:
            leave = error
            await self._on_upload_thread(lambda: block.__exit__(type(leave), leave, leave.__traceback__))
            raise
        await self._on_upload_thread(lambda: block.__exit__(None, None, None))

    async def _on_upload_thread[R](self, work: Callable[[], R]) -> R:
        """Wait for `work` to its end, even when this request is cancelled: a thread cannot be stopped in its middle."""
        running: asyncio.Future[R] = asyncio.ensure_future(_awaited(self._run_slow(work)))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait({running})
            raise


async def _awaited[R](work: Awaitable[R]) -> R:
    return await work


def _value(name: str, text: str, schema: Json) -> Any:  # noqa: ANN401 - any JSON value
    """Answer a field's value: an object comes as JSON, anything else as it is written."""
    if schema.get("type") != "object":
        return text
    try:
        return parse(text.encode())
    except ValueError as error:
        raise invalid(name, f"{name} is not valid JSON: {error}") from None


def _too_large() -> HubError:
    limit = limits.ARTIFACT_BYTES
    return HubError("payload_too_large", f"{FILE} must be at most {limit} bytes.", field=FILE, limit=limit)


application: Final = UploadEndpoint()
"""What `hubsite.asgi` mounts."""
