"""The least an ASGI application can do: read the body, answer JSON. What the hub costs is measured against it."""

from typing import Any

BODY = b'{"status": "ok"}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
    """Answer every request alike."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
