"""SES-02, SES-03, KNB-03 in any order: two agents' sessions and brains against a plain model."""

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from core.errors import HubError
from sessions_app import queries
from sessions_app.operations import append_entry, delete_entry, end_session, put_entry, start_session
from tests.world import AgentWithToken, make_agent, make_project

AGENTS, NAMES = st.integers(0, 1), st.sampled_from(["one", "two"])
PATHS = st.sampled_from(["/fs/a", "/fs/d/b", "/fs/d", "/kv/k"])
CONTENTS = st.sampled_from([b"", b"1", b"22", b'"x"', b'"' + b"3" * 20_000 + b'"'])
# Which version a write says it holds: none, one that is not there, none at all, or the one that is.
HELD = st.sampled_from(["any", "absent", "stale", "current"])


class World:
    """The agents, made once, and a fresh project for each run."""

    agents: tuple[AgentWithToken, AgentWithToken]
    numbers = itertools.count()


def token(content: bytes | None) -> str:
    return "absent" if content is None else f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass
class Modelled:
    """What the model knows of one session."""

    id: str
    owner: int
    live: bool = True
    handoff: str | None = None
    entries: dict[str, bytes] = field(default_factory=dict)
    writes: int = 0

    def is_dir(self, path: str) -> bool:
        """Tell whether the path is a directory: once made, it stays until it is deleted."""
        return path == "/fs/d" and self.made_dir

    made_dir: bool = False


class Brains(RuleBasedStateMachine):
    """Random calls; after each the hub must show what the model holds."""

    def __init__(self) -> None:
        super().__init__()
        self.slug = make_project(f"brains{next(World.numbers)}").pk
        self.sessions: dict[tuple[int, str], Modelled] = {}

    @rule(who=AGENTS, name=NAMES)
    def start(self, who: int, name: str) -> None:
        started = start_session(World.agents[who].actor, self.slug, name=name)
        known = self.sessions.get((who, name))
        assert started["resumed"] is (known is not None)
        if known is None:
            known = self.sessions[who, name] = Modelled(started["session"], who)
        known.live = True
        assert (started["session"], started["status"]) == (known.id, "live")

    def expected(self, session: Modelled, who: int) -> str | None:
        """Answer the code a write must be refused with before anything else is looked at."""
        if who != session.owner:
            return "forbidden"
        return None if session.live else "conflict"

    def attempt(self, expected: str | None, action: Callable[[], Any]) -> Any:
        try:
            result = action()
        except HubError as refusal:
            assert refusal.code == expected, refusal
            return None
        assert expected is None
        return result

    @rule(who=AGENTS, owner=AGENTS, name=NAMES, handoff=st.sampled_from(["", "go on"]))
    def end(self, who: int, owner: int, name: str, handoff: str) -> None:
        session = self.sessions.get((owner, name))
        if session is None:
            return
        actor = World.agents[who].actor
        action = lambda: end_session(actor, self.slug, session=session.id, handoff=handoff)  # noqa: E731
        if self.attempt(self.expected(session, who), action):
            session.live, session.handoff = False, handoff or None

    def version(self, session: Modelled, path: str, held: str) -> tuple[str | None, bool]:
        """Answer the `if_version` to send, and whether it holds."""
        current = token(session.entries.get(path))
        sent = {"any": None, "absent": "absent", "stale": token(b"never"), "current": current}[held]
        return sent, sent in {None, current}

    @rule(who=AGENTS, owner=AGENTS, name=NAMES, path=PATHS, content=CONTENTS, held=HELD, append=st.booleans())
    def write(  # noqa: PLR0913 - what a write is made of
        self, who: int, owner: int, name: str, path: str, content: bytes, held: str, *, append: bool
    ) -> None:
        session = self.sessions.get((owner, name))
        if session is None:
            return
        sent, holds = self.version(session, path, held)
        expected = self.expected(session, who) or self.misplaced(session, path, append=append)
        if expected is None and not holds:
            expected = "version_mismatch"
        if expected is None and path == "/kv/k" and content == b"":
            expected = "invalid_argument"  # no JSON
        verb = append_entry if append else put_entry
        actor = World.agents[who].actor
        action = lambda: verb(  # noqa: E731
            actor, self.slug, session=session.id, path=path, content=content, if_version=sent
        )
        if result := self.attempt(expected, action):
            before = session.entries.get(path)
            session.entries[path] = (before or b"") + content if append else content
            session.made_dir = session.made_dir or path == "/fs/d/b"
            session.writes += 1
            assert (result["version"], result["created"]) == (token(session.entries[path]), before is None)

    def misplaced(self, session: Modelled, path: str, *, append: bool) -> str | None:
        """Answer the refusal of a path that cannot be written as it stands."""
        if append and path == "/kv/k":
            return "invalid_argument"
        below_a_file = path == "/fs/d/b" and "/fs/d" in session.entries
        return "invalid_argument" if below_a_file or session.is_dir(path) else None

    @rule(who=AGENTS, owner=AGENTS, name=NAMES, path=PATHS, held=HELD)
    def delete(self, who: int, owner: int, name: str, path: str, held: str) -> None:
        session = self.sessions.get((owner, name))
        if session is None:
            return
        sent, holds = self.version(session, path, held)
        expected = self.expected(session, who)
        if expected is None and path == "/fs/d/b" and "/fs/d" in session.entries:
            expected = "invalid_argument"  # a file used as a directory
        if expected is None and session.is_dir(path):
            if sent is not None or "/fs/d/b" in session.entries:
                expected = "invalid_argument"
        elif expected is None and path not in session.entries:
            expected = "not_found"
        elif expected is None and not holds:
            expected = "version_mismatch"
        actor = World.agents[who].actor
        action = lambda: delete_entry(actor, self.slug, session=session.id, path=path, if_version=sent)  # noqa: E731
        if self.attempt(expected, action):
            session.made_dir = session.made_dir and path != "/fs/d"
            session.entries.pop(path, None)
            session.writes += 1

    @invariant()
    def anyone_reads_what_the_model_holds(self) -> None:
        for session in self.sessions.values():
            row = queries.session_of(World.agents[1 - session.owner].actor, session.id)
            shown = queries.session_json(row)
            assert (shown["status"] == "live", shown["handoff"]) == (session.live, session.handoff)
            for path in ("/fs/a", "/fs/d", "/fs/d/b", "/kv/k"):
                try:
                    content: bytes | None = queries.brain_get(row, path).content
                except HubError:
                    content = None
                assert content == session.entries.get(path), path
            assert len(queries.brain_log(row, limit=500)) == session.writes
            assert (shown["brain_bytes"] > 0) is (session.writes > 0)


@pytest.mark.django_db
def test_ses_03_any_order_of_calls_agrees_with_a_plain_model() -> None:
    World.agents = (make_agent("ada"), make_agent("ben"))
    run_state_machine_as_test(
        Brains, settings=settings(max_examples=8, stateful_step_count=25, deadline=None, database=None)
    )
