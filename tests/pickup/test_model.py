"""SES-02..05, SES-08: two agents and a human take sessions through their lives as a plain model says they may."""

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import agentfs
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session
from tests.brains import brain_file
from tests.inprocess import HttpTools, HumanApi, Outcome
from tests.world import AgentWithToken, make_project

AGENTS = st.sampled_from(["ada", "ben"])
NAMES = st.sampled_from(["one", "two"])
PATHS = st.sampled_from(["/fs/a.md", "/fs/b.md"])
PROJECTS = count()


@dataclass
class Modelled:
    """What a session is."""

    id: str
    owner: str
    name: str
    live: bool = True
    source: "Modelled | None" = None
    marked: bool = False
    due: bool = False
    gone: bool = False
    pages: dict[str, str] = field(default_factory=dict)
    writes: int = 0

    @property
    def there(self) -> bool:
        """Whether anyone can see it."""
        return not self.marked and not self.gone


class Lives(RuleBasedStateMachine):
    """Each rule makes a call through a face and says what it must come to."""

    tools: dict[str, HttpTools]
    human: HumanApi

    @initialize()
    def begin(self) -> None:
        self.project = make_project(f"m{next(PROJECTS)}").slug
        self.sessions: list[Modelled] = []

    def teardown(self) -> None:
        close_due_prunes()
        agentfs.close_all()

    # What the model knows

    def holder(self, agent: str, name: str, but: Modelled | None = None) -> Modelled | None:
        """Answer the session that holds an agent's name, marked or not."""
        held = (s for s in self.sessions if s.owner == agent and s.name == name and not s.gone and s is not but)
        return next(held, None)

    def close_what_is_due(self) -> int:
        due = [s for s in self.sessions if s.due and not s.gone]
        for session in due:
            session.gone = True
        return len(due)

    def add(self, answer: Outcome, owner: str, name: str, source: Modelled | None = None) -> None:
        self.sessions.append(Modelled(answer["session"], owner, name, source=source))

    def any(self, data: st.DataObject) -> Modelled:
        return data.draw(st.sampled_from(self.sessions))

    # What may be done

    @rule(agent=AGENTS, name=NAMES)
    def start_or_resume(self, agent: str, name: str) -> None:
        self.close_what_is_due()  # before a name is looked at
        held = self.holder(agent, name)
        answer = self.tools[agent]("session_start", project=self.project, name=name)
        if held is None:
            assert answer["resumed"] is False
            self.add(answer, agent, name)
        elif held.marked:
            assert answer.code == "conflict"
        else:
            assert (answer["session"], answer["resumed"]) == (held.id, True)
            held.live = True

    @precondition(lambda self: self.sessions)
    @rule(data=st.data(), agent=AGENTS, name=NAMES, mode=st.sampled_from([None, None, "adopt", "fork"]))
    def pick_up(self, data: st.DataObject, agent: str, name: str, mode: str | None) -> None:
        self.close_what_is_due()
        source = self.any(data)
        given = {"project": self.project, "name": name, "from": {"session": source.id, "mode": mode}}
        answer = self.tools[agent]("session_start", **given)
        really = "fork" if source.live else "adopt"
        if not source.there:
            assert answer.code == "not_found"
        elif mode not in (None, really) or self.holder(agent, name, but=None if source.live else source):
            assert answer.code == "conflict"
        elif source.live:
            assert answer["pickup"]["mode"] == "fork"
            self.add(answer, agent, name, source)
            self.sessions[-1].pages, self.sessions[-1].writes = dict(source.pages), source.writes
        else:
            assert (answer["session"], answer["pickup"]["from_agent"]) == (source.id, source.owner)
            source.owner, source.name, source.live = agent, name, True

    @precondition(lambda self: self.sessions)
    @rule(data=st.data(), who=st.sampled_from(["ada", "ben", "human"]))
    def end(self, data: st.DataObject, who: str) -> None:
        session = self.any(data)
        if who == "human":
            answer = self.human.post(f"/sessions/{session.id}/end")
        else:
            answer = self.tools[who]("session_end", session=session.id)
        if not session.there:
            assert answer.code == "not_found"
        elif who not in ("human", session.owner):
            assert answer.code == "forbidden"
        elif not session.live:
            assert answer.code == "conflict"
        else:
            session.live = answer["status"] == "live"

    @precondition(lambda self: self.sessions)
    @rule(data=st.data(), agent=AGENTS)
    def reassign(self, data: st.DataObject, agent: str) -> None:
        session = self.any(data)
        answer = self.human.put(f"/sessions/{session.id}/owner", agent=agent)
        if not session.there:
            assert answer.code == "not_found"
        elif session.owner == agent or self.holder(agent, session.name):
            assert answer.code == "conflict"
        else:
            answer.done()
            session.owner = agent

    @precondition(lambda self: self.sessions)
    @rule(data=st.data(), agent=AGENTS, path=PATHS)
    def write(self, data: st.DataObject, agent: str, path: str) -> None:
        session = self.any(data)
        text = f"{agent} {session.writes}"
        answer = self.tools[agent]("brain_put", session=session.id, path=path, content=text, store="session")
        if not session.there:
            assert answer.code == "not_found"
        elif session.owner != agent:
            assert answer.code == "forbidden"
        elif not session.live:
            assert answer.code == "conflict"
        else:
            answer.done()
            session.pages[path] = text
            session.writes += 1

    @precondition(lambda self: self.sessions)
    @rule(data=st.data())
    def prune(self, data: st.DataObject) -> None:
        session = self.any(data)
        answer = self.human.post(f"/sessions/{session.id}/prune")
        if not session.there:
            assert answer.code == "not_found"
        elif session.live:
            assert answer.code == "conflict"
        else:
            answer.done()
            session.marked = True

    @rule()
    def prune_every_ended(self) -> None:
        ended = [session for session in self.sessions if session.there and not session.live]
        pruned = self.human.post("/sessions/prune", project=self.project)["sessions"]
        assert sorted(pruned) == sorted(session.id for session in ended)
        for session in ended:
            session.marked = True

    @precondition(lambda self: self.sessions)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        session = self.any(data)
        answer = self.human.delete(f"/sessions/{session.id}/prune")
        if session.there or session.gone:
            assert answer.code == "not_found"
        elif session.due:
            assert answer.code == "expired"
        else:
            answer.done()
            session.marked = False

    @precondition(lambda self: any(s.marked and not s.due for s in self.sessions))
    @rule(data=st.data())
    def let_the_window_close(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from([s for s in self.sessions if s.marked and not s.due]))
        Session.objects.filter(pk=session.id).update(deleted_at=timezone.now() - timedelta(hours=1))
        session.due = True

    @rule()
    def close(self) -> None:
        assert close_due_prunes() == self.close_what_is_due()

    # What must hold

    @invariant()
    def rows_are_as_modelled(self) -> None:
        rows = Session.objects.filter(project=self.project).select_related("agent")
        seen = {row.pk: (row.agent.name, row.name, row.status == "live", row.deleted_at is not None) for row in rows}
        there = (s for s in self.sessions if not s.gone)
        assert seen == {s.id: (s.owner, s.name, s.live, s.marked) for s in there}

    @invariant()
    def brains_are_where_something_was_written(self) -> None:
        for session in self.sessions:
            assert brain_file(session.id, self.project).exists() is (session.writes > 0 and not session.gone)

    @precondition(lambda self: self.sessions)
    @rule(agent=AGENTS)
    def look(self, agent: str) -> None:
        """Read everything: what each session is, where it came from, what its brain holds."""
        listed = self.tools[agent]("session_list", project=self.project, limit=500)["sessions"]
        there = {session.id: session for session in self.sessions if session.there}
        assert {row["id"] for row in listed} == set(there)
        for row in listed:
            session = there[row["id"]]
            gone = row["lineage"] and (row["lineage"]["session"], row["lineage"]["source_pruned"])
            assert gone == (session.source and (session.source.id, not session.source.there))
            entries = self.tools[agent]("brain_list", session=session.id, path="/fs")["entries"]
            assert [entry["path"] for entry in entries] == sorted(session.pages)
            for path, text in session.pages.items():
                assert self.tools[agent]("brain_get", session=session.id, path=path)["content"] == text
            if session.writes:
                with agentfs.open_file(brain_file(session.id, self.project), synchronous="NORMAL").reading() as brain:
                    assert brain.last_log_id() == session.writes


@pytest.fixture
def machine(ada: AgentWithToken, ben: AgentWithToken, human_api: HumanApi) -> type[Lives]:
    tools = {agent.name: HttpTools(agent.token) for agent in (ada, ben)}
    return type("LivesHere", (Lives,), {"tools": tools, "human": human_api})


def test_ses_03_lives_of_sessions_are_as_the_model_says(machine: type[Lives]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=10,
            stateful_step_count=35,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        ),
    )
