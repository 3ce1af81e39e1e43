"""Tasks in the browser: created, looked into, stopped (TSK-01..05, HUM-01)."""

from django.test import Client

from projects.models import Project
from tasks.models import Task
from tests.inprocess import nothing_stored
from tests.tasks.desk import Run
from tests.world import AgentWithToken, make_person


def test_hum_01_a_person_creates_a_task_and_finds_it_listed(
    project: Project, ada: AgentWithToken, human_client: Client
) -> None:
    at = "/project/atlas/tasks/"
    assert "No tasks yet." in human_client.get(at).text
    typed = {"title": "Count <herons>", "text": "All **of** them.", "agent": "ada", "kind": ["plan", "report"]}
    shown = human_client.post(f"{at}new/", {**typed, "agent": "nobody"})
    assert (shown.status_code, "Count &lt;herons&gt;" in shown.text) == (404, True)  # what was typed stays
    answer = human_client.post(f"{at}new/", typed, follow=True)
    task = Task.objects.get()
    assert answer.redirect_chain[-1][0] == f"/task/{task.pk}/"
    assert (task.status, [node.kind for node in task.nodes.order_by("number")]) == ("ready", ["plan", "report"])
    assert "Count &lt;herons&gt;" in human_client.get(at).text
    assert "Count" not in human_client.get(f"{at}?status=running").text.partition('id="tasks"')[2]
    assert 'aria-current="page">Tasks' in human_client.get(at).text


def test_hum_01_a_task_shows_what_was_issued_recalled_and_done(run: Run, human_client: Client) -> None:
    run.recall("heron nest").done()
    run.recall(spaces=["01HZZZZZZZZZZZZZZZZZZZZZZZ"])
    shown = human_client.get(f"/task/{run.task}/").text
    for text in ("Recall what the project knows", run.delegation, "heron nest", "scope_denied", "does not replace"):
        assert text in shown, text
    assert f"/document/{run.document}/?version=1" in shown
    assert f"/session/{run.session}/" in shown


def test_hum_01_a_delegation_is_revoked_from_the_page_and_every_step_is_taken_as_it_was_shown(
    run: Run, human_client: Client
) -> None:
    at = f"/task/{run.task}"
    human_client.post(f"{at}/revoke/", {"delegation": run.delegation})
    assert run.recall().code == "delegation_revoked"
    with nothing_stored():
        told = human_client.post(f"{at}/cancel/", {"expected_revision": 1}, follow=True).text
        assert "at revision 3 now, not 1" in told
        assert human_client.post(f"{at}/cancel/", follow=True).status_code == 200
        assert human_client.post(f"{at}/nonsense/").status_code == 404
        assert human_client.get(f"{at}/cancel/").status_code == 405
    human_client.post(f"{at}/rebuild/", {"expected_revision": 3, "agent": "ada"})
    human_client.post(f"{at}/start/", {"expected_revision": 5})
    human_client.post(f"{at}/complete/", {"expected_revision": 6, "note": "Forty."})
    assert Task.objects.get(pk=run.task).status == "completed"
    assert "Forty." in human_client.get(f"{at}/").text


def test_mem_04_somebody_elses_snapshot_is_not_shown(run: Run) -> None:
    lee = Client()
    lee.force_login(make_person("lee").user)
    shown = lee.get(f"/task/{run.task}/").text
    assert "does not replace" not in shown
    assert "Only kim and ada may read it." in shown


def test_tsk_01_the_setting_is_each_persons_own(project: Project, human_client: Client) -> None:
    at = "/project/atlas/tasks/"
    human_client.post(f"{at}setting/", {"agents_may_create": "on"})
    assert 'name="agents_may_create" checked' in human_client.get(at).text
    lee = Client()
    lee.force_login(make_person("lee").user)
    assert 'name="agents_may_create" checked' not in lee.get(at).text
