"""A call that waits holds no thread, and ends when its client leaves (INB-04)."""

import asyncio
import threading
from typing import Any

from asgiref.sync import async_to_sync

from core.calls import Arguments, Call
from core.errors import HubError
from hubsite.mcp_server import McpEndpoint
from tests.agent.conftest import Mcp, on_this_thread
from tests.world import AgentWithToken

CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe"}}'


class Waiter:
    """A waiting call that can be watched."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.released = asyncio.Event()
        self.outcome = ""
        self.thread: int | None = None

    def call(self) -> Call:
        return Call("probe", "Probe", "Waits.", ("GET", "/probe"), Arguments, self.run, None, True, False, True)  # noqa: FBT003

    async def run(self, *_: object) -> dict[str, Any]:
        self.thread = threading.get_ident()
        self.started.set()
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.outcome = "cancelled"
            raise
        self.outcome = "answered"
        return {"done": True}


def waiting(ada: AgentWithToken) -> tuple[Waiter, Mcp]:
    waiter = Waiter()
    return waiter, Mcp(McpEndpoint({"probe": waiter.call()}, on_this_thread), ada.token)


def test_inb_04_a_client_that_leaves_ends_its_wait(ada: AgentWithToken) -> None:
    waiter, mcp = waiting(ada)
    answer = async_to_sync(mcp.exchange)([CALL], hang_up=waiter.started)
    assert (waiter.outcome, answer.status) == ("cancelled", 0)


def test_inb_04_others_are_answered_meanwhile(ada: AgentWithToken) -> None:
    waiter, mcp = waiting(ada)

    async def both() -> tuple[Any, Any]:
        first = asyncio.ensure_future(mcp.exchange([CALL]))
        await waiter.started.wait()
        ping = await mcp.exchange([b'{"jsonrpc":"2.0","id":2,"method":"ping"}'])
        waiter.released.set()
        return await first, ping

    waited, ping = async_to_sync(both)()
    assert ping.result == {}
    assert waited.result["structuredContent"] == {"done": True}
    assert waiter.outcome == "answered"


def test_inb_04_a_wait_can_be_refused(ada: AgentWithToken) -> None:
    async def refuse(*_: object) -> dict[str, Any]:
        raise HubError("expired", "Too late.")

    call = Call("probe", "Probe", "Waits.", ("GET", "/probe"), Arguments, refuse, None, True, False, True)  # noqa: FBT003
    mcp = Mcp(McpEndpoint({"probe": call}, on_this_thread), ada.token)
    assert mcp.tool("probe")["structuredContent"]["code"] == "expired"
