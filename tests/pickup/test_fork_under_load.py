"""SES-05: however much is written, a fork holds both pages in step and the whole log; the SDK reads the copy."""

import json

import pytest

import agentfs
from projects.models import Project
from sessions_app.operations import put_entry
from tests.agentfs import child
from tests.brains import begin, brain_file
from tests.inprocess import HttpTools
from tests.racing import Meanwhile
from tests.world import AgentWithToken

FORKS = 20
READ_WITH_THE_SDK = """
    import asyncio, json, sys
    from agentfs_sdk import AgentFS, AgentFSOptions

    async def main():
        agent = await AgentFS.open(AgentFSOptions(path=sys.argv[1]))
        pages = [await agent.fs.read_file(path) for path in ("/left.md", "/right.md")]
        calls = await agent.tools.get_recent(0)
        print(json.dumps({"pages": pages, "ids": [call.id for call in calls], "key": await agent.kv.get("state")}))
        await agent.close()

    asyncio.run(main())
"""


@pytest.mark.django_db(transaction=True)
def test_ses_05_twenty_forks_under_load_are_consistent_and_the_sdk_reads_them(
    project: Project, ada: AgentWithToken, ben: AgentWithToken
) -> None:
    tools = HttpTools(ada.token)
    source, rounds = begin(tools, "main", left="start", right="start"), list[bytes]()
    tools("brain_put", session=source, path="/kv/state", content={"n": 1}, store="session").done()
    brain = agentfs.open_file(brain_file(source), synchronous="NORMAL")

    def write_in_step() -> bool:
        content = f"round {len(rounds)} ".encode() * 2000
        with brain.writing() as both:  # the owner's two writes, in one transaction of the file
            both.put("/fs/left.md", content, actor="ada")
            both.put("/fs/right.md", content, actor="ada")
        rounds.append(content)
        return True

    def write_alone() -> bool:
        put_entry(ada.actor, "atlas", session=source, path="/fs/other.md", content=b"x")
        return True

    forks: list[str] = []
    with Meanwhile(write_in_step, write_in_step, write_in_step, write_alone):
        while len(forks) < FORKS:
            name = {"project": "atlas", "name": f"f{len(forks)}", "from": {"session": source}}
            forks.append(HttpTools(ben.token)("session_start", **name)["session"])
    assert len(rounds) > FORKS  # there was load
    for fork in forks:
        with agentfs.open_file(brain_file(fork), synchronous="NORMAL").reading() as copy:
            assert copy.get("/fs/left.md").content == copy.get("/fs/right.md").content
            assert len(copy.log(limit=1_000_000)) == copy.last_log_id()
    agentfs.close_all()
    seen = json.loads(child.run(READ_WITH_THE_SDK, brain_file(forks[-1])))
    assert seen["pages"][0] == seen["pages"][1]
    assert seen["key"] == {"n": 1}
    assert max(seen["ids"]) == len(seen["ids"])
