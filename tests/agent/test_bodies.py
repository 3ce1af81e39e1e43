"""Request bodies are read no further than their limit, before Django spools them to disk (issue 2: bad input)."""

import json
import socket
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from core.errors import HubError
from hubsite.bodies import limited
from hubsite.problems import MEDIA_TYPE
from tests.running import Hub

type Message = dict[str, Any]


class Spool:
    """An application that reads whole bodies before it answers."""

    def __init__(self) -> None:
        self.body = b""

    async def __call__(self, _: object, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})


def serve(application: Any, chunks: list[bytes], length: str | None = None) -> tuple[list[Message], int]:
    """Send chunks to an application limited to 10 bytes; answers what it sent and how many chunks it read."""
    sent: list[Message] = []
    waiting = list(chunks)

    async def receive() -> Message:
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-length", length.encode())] if length else []
    async_to_sync(limited(application, 10))({"type": "http", "headers": headers}, receive, send)
    return sent, len(chunks) - len(waiting)


def test_agt_01_a_body_within_the_limit_passes() -> None:
    spool = Spool()
    sent, _ = serve(spool, [b"12345", b"67890"], "10")
    assert (spool.body, sent[0]["status"]) == (b"1234567890", 200)


def test_agt_01_a_body_declared_too_large_is_not_read() -> None:
    spool = Spool()
    sent, read = serve(spool, [b"x"], "11")
    assert (sent[0]["status"], read, spool.body) == (413, 0, b"")


def test_agt_01_a_body_that_grows_is_cut_at_the_limit() -> None:
    spool = Spool()
    sent, read = serve(spool, [b"123456"] * 9)
    assert (sent[0]["status"], read, spool.body) == (413, 2, b"123456")
    assert (b"content-type", MEDIA_TYPE.encode()) in sent[0]["headers"]
    problem = json.loads(sent[1]["body"])
    assert (problem["code"], problem["details"]) == ("payload_too_large", {"field": "body", "limit": 10})


def test_agt_01_an_answer_that_has_begun_is_not_begun_again() -> None:
    async def early(_: object, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()

    with pytest.raises(HubError):
        serve(early, [b"x" * 11])


def test_agt_01_a_running_hub_refuses_before_the_body_comes(hub: Hub) -> None:
    for path in ("/api/v1/projects/nix/signals", "/mcp"):
        with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as client:
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            client.sendall(f"{head}Content-Length: 9000000\r\n\r\n".encode())
            answer = b""
            while b"payload_too_large" not in answer and (part := client.recv(65536)):
                answer += part
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"payload_too_large" in answer
