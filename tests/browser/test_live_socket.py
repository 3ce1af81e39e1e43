"""The websocket itself: who may listen, and what it says after an absence: no loss, no repeat (HUB-09)."""

import asyncio
import json
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.browser.conftest import Desk

type Note = dict[str, Any]


def open_socket(desk: Desk, *, origin: str | None = None, cookies: dict[str, str] | None = None) -> Any:
    cookie = "; ".join(f"{name}={value}" for name, value in (desk.cookies if cookies is None else cookies).items())
    url = desk.hub.url.replace("http", "ws") + "/live/"
    return connect(url, origin=origin or desk.hub.url, additional_headers={"Cookie": cookie}, proxy=None)  # type: ignore[arg-type]


async def listen(socket: ClientConnection, since: dict[str, str | None]) -> list[Note]:
    """Ask for groups; answers what was missed."""
    known = {group: seen for group, seen in since.items() if seen is not None}
    await socket.send(json.dumps({"listen": list(since), "since": known}))
    missed = []
    while (note := await hear(socket))["group"] != "welcome":
        missed.append(note)
    return missed


async def hear(socket: ClientConnection) -> Note:
    return dict(json.loads(await asyncio.wait_for(socket.recv(), 5)))


def events(notes: list[Note]) -> list[str]:
    return [note["event"] for note in notes]


async def test_hub_09_after_an_absence_exactly_what_was_missed_in_order(desk: Desk) -> None:
    group = f"project:{desk.project}"
    async with open_socket(desk) as socket:
        await listen(socket, {group: None})
        first = await asyncio.to_thread(desk.signal, "Heard")
        assert (await hear(socket))["event"] == first
    away = [await asyncio.to_thread(desk.signal, f"Away {number}") for number in range(5)]
    async with open_socket(desk) as socket:
        assert events(await listen(socket, {group: first})) == away
        later = await asyncio.to_thread(desk.signal, "Back")
        assert (await hear(socket))["event"] == later


async def test_hub_09_a_question_and_its_answer_are_missed_by_the_inbox_too(desk: Desk) -> None:
    before = await asyncio.to_thread(desk.signal, "Before")
    question = await asyncio.to_thread(desk.ask, "Missed?")
    async with open_socket(desk) as socket:
        assert events(await listen(socket, {"inbox": before})) == [question]
    body = {"body": "Yes."}
    answer = await asyncio.to_thread(lambda: desk.eli.post(f"/questions/{question}/answers", **body).json["event"])
    async with open_socket(desk) as socket:
        notes = await listen(socket, {"inbox": question, f"thread:{question}": question})
        assert notes == [{"group": f"thread:{question}", "event": answer}, {"group": "inbox", "event": question}]


async def test_hub_09_every_feed_includes_one_that_is_made_later(desk: Desk) -> None:
    async with open_socket(desk) as socket:
        await listen(socket, {"feeds": None})
        event = await asyncio.to_thread(desk.signal, "In every feed")
        assert (await hear(socket)) == {"group": f"project:{desk.project}", "event": event, "kind": "signal"}


async def test_hub_09_a_refused_write_is_never_announced(desk: Desk) -> None:
    group = f"project:{desk.project}"
    async with open_socket(desk) as socket:
        await listen(socket, {group: None})
        refused = await asyncio.to_thread(
            lambda: desk.dora.post(f"/projects/{desk.project}/signals", summary="x" * 2000, session=desk.session)
        )
        assert refused.status == 422
        after = await asyncio.to_thread(desk.signal, "After the refused one")
        assert (await hear(socket))["event"] == after


async def test_hum_01_only_signed_in_staff_listen(desk: Desk) -> None:
    async with open_socket(desk, cookies={}) as socket:
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 4401


async def test_hum_03_a_page_of_another_site_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidStatus):
        async with open_socket(desk, origin="http://evil.example"):
            pass


@pytest.mark.parametrize(
    "message",
    [
        "no json",
        "[]",
        '{"listen": "inbox"}',
        '{"listen": ["everything"]}',
        '{"listen": [1]}',
        '{"listen": [["a"]]}',
        '{"listen": ["project:../x"]}',
        '{"listen": ["inbox"], "since": {"inbox": "yesterday"}}',
        '{"listen": ["inbox"], "since": []}',
        json.dumps({"listen": [f"project:p{number}" for number in range(100)]}),
        json.dumps({"listen": ["project:" + "x" * 30_000]}),
    ],
)
async def test_hub_09_what_is_no_request_to_listen_ends_the_connection(desk: Desk, message: str) -> None:
    async with open_socket(desk) as socket:
        await socket.send(message)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(socket.recv(), 5)
        assert socket.close_code == 4400
