"""SES-08: a prune can be taken back wholly until its window closes."""

from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Event, Project
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session
from tests.brains import begin, content, write
from tests.inprocess import HttpTools, HumanApi, nothing_stored, stored


@pytest.fixture
def ended(project: Project, ada_tools: HttpTools) -> str:
    session = begin(ada_tools, "main", notes="x")
    ada_tools("session_end", session=session, handoff="note").done()
    return session


def window_closes(session: str, *, seconds: float) -> None:
    """Let the mark have been set so long ago."""
    Session.objects.filter(pk=session).update(deleted_at=timezone.now() - timedelta(seconds=seconds))


def test_ses_08_undo_restores_the_session_wholly(ended: str, ada_tools: HttpTools, human_api: HumanApi) -> None:
    row, shown = Session.objects.filter(pk=ended).values().get(), human_api.get(f"/sessions/{ended}").done()
    before = stored()
    human_api.post(f"/sessions/{ended}/prune").done()
    assert human_api.delete(f"/sessions/{ended}/prune").done() == {
        name: value for name, value in shown.items() if name != "produced"
    }
    assert stored() == before
    assert Session.objects.filter(pk=ended).values().get() == row
    assert [event.payload["action"] for event in Event.objects.filter(session=ended)] == ["start", "end"]
    assert content(ada_tools, ended, "/fs/notes.md") == "x"
    assert ada_tools("session_start", project="atlas", name="main").done()["session"] == ended
    write(ada_tools, ended, "/fs/notes.md", "y")


def test_ses_08_after_the_window_it_is_too_late(ended: str, human_api: HumanApi) -> None:
    human_api.post(f"/sessions/{ended}/prune").done()
    window_closes(ended, seconds=31)
    with nothing_stored():
        assert human_api.delete(f"/sessions/{ended}/prune").code == "expired"
    assert close_due_prunes() == 1
    with nothing_stored():
        assert human_api.delete(f"/sessions/{ended}/prune").code == "not_found"


def test_ses_08_what_is_not_pruned_cannot_be_undone(ended: str, human_api: HumanApi) -> None:
    with nothing_stored():
        assert human_api.delete(f"/sessions/{ended}/prune").code == "not_found"
        assert human_api.delete("/sessions/nonsense/prune").code == "invalid_argument"


def test_ses_08_the_operator_sets_the_window(ended: str, human_api: HumanApi, settings: object) -> None:
    settings.HUB_UNDO_SECONDS = 3600  # type: ignore[attr-defined]
    until = human_api.post(f"/sessions/{ended}/prune")["undo_until"]
    assert until > (timezone.now() + timedelta(minutes=58)).isoformat()
    window_closes(ended, seconds=3500)
    assert close_due_prunes() == 0
    human_api.delete(f"/sessions/{ended}/prune").done()
    settings.HUB_UNDO_SECONDS = 0  # type: ignore[attr-defined]
    human_api.post(f"/sessions/{ended}/prune").done()
    assert human_api.delete(f"/sessions/{ended}/prune").code == "expired"


def test_ses_08_the_name_is_held_until_the_window_closes_and_free_from_then_on(
    ended: str, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    human_api.post(f"/sessions/{ended}/prune").done()
    with nothing_stored():
        assert ada_tools("session_start", project="atlas", name="main").code == "conflict"
    window_closes(ended, seconds=31)
    # Also where the job has not come round yet.
    started = ada_tools("session_start", project="atlas", name="main").done()
    assert (started["resumed"], started["session"] == ended) == (False, False)
    assert ada_tools("brain_list", session=started["session"])["entries"] == []
