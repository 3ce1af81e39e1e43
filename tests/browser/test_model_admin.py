"""Model admin: agents, tokens, grants, projects and people (HUM-01, IDN-02, IDN-05, IDN-08, HUB-06)."""

import pytest
from django.test import Client

from identity.models import Agent, Grant
from projects.models import Event, Kind, Project
from tests.faces import AgentApi
from tests.world import AgentWithToken, Person, make_person

OK, FOUND, UNAUTHORIZED = 200, 302, 401


def audit(project: str) -> list[tuple[str, str]]:
    """Answer who did what, from a project's system events."""
    return list(Event.objects.filter(project=project, kind=Kind.SYSTEM).order_by("pk").values_list("actor", "summary"))


@pytest.mark.django_db(transaction=True)
def test_idn_08_staff_create_an_agent(human_client: Client, human: Person) -> None:
    answer = human_client.post("/identity/agent/add/", {"name": "gwen", "trusted": "on"})
    assert answer.status_code == FOUND
    assert Agent.objects.get().name == "gwen"
    assert audit("~gwen") == [("human:kim", "created agent gwen")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["ada", "Ada", "hub", "a b", ""])
def test_idn_08_a_refused_name_is_an_error_of_the_field(human_client: Client, ada: AgentWithToken, name: str) -> None:
    answer = human_client.post("/identity/agent/add/", {"name": name})
    assert answer.status_code == OK
    assert answer.context["adminform"].form.errors["name"]
    assert Agent.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_idn_02_a_token_is_shown_once_and_ends_the_one_before(human_client: Client, ada: AgentWithToken) -> None:
    agent = Agent.objects.get()
    change = f"/identity/agent/{agent.pk}/change/"
    answer = human_client.post(change, {"CHANGE_FORM-action": "issue_tokens", "_selected_action": str(agent.pk)})
    (issued,) = answer.context["issued"]
    assert issued.secret in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert issued.secret not in human_client.get(change).content.decode()
    assert AgentApi(issued.secret).get("/whoami").status == OK
    assert AgentApi(ada.token).get("/whoami").status == UNAUTHORIZED


@pytest.mark.django_db(transaction=True)
def test_idn_08_tokens_of_several_agents_are_revoked_by_action(
    human_client: Client, ada: AgentWithToken, ben: AgentWithToken
) -> None:
    chosen = [str(agent.pk) for agent in Agent.objects.all()]
    human_client.post("/identity/agent/", {"action": "revoke_tokens", "_selected_action": chosen})
    assert [AgentApi(agent.token).get("/whoami").status for agent in (ada, ben)] == [UNAUTHORIZED, UNAUTHORIZED]
    assert audit("~ben")[-1] == ("human:kim", "revoked the token of ben")


@pytest.mark.django_db(transaction=True)
def test_idn_05_grants_are_edited_and_audited(human_client: Client, stranger: AgentWithToken, project: Project) -> None:
    agent = Agent.objects.get()
    assert AgentApi(stranger.token).get("/projects/atlas/events").status == 404
    human_client.post("/identity/grant/add/", {"agent": agent.pk, "project": "atlas", "level": "read"})
    assert AgentApi(stranger.token).get("/projects/atlas/events").status == OK
    grant = Grant.objects.get()
    human_client.post(f"/identity/grant/{grant.pk}/change/", {"level": "write"})
    assert Grant.objects.get().level == "write"
    human_client.post(f"/identity/grant/{grant.pk}/delete/", {"post": "yes"})
    assert not Grant.objects.exists()
    assert [summary for _, summary in audit("atlas")[1:]] == [
        "granted stranger read",
        "granted stranger write",
        "removed the grant of stranger",
    ]


@pytest.mark.django_db(transaction=True)
def test_idn_04_a_refused_grant_is_an_error_of_the_form(
    human_client: Client, ada: AgentWithToken, ben: AgentWithToken
) -> None:
    form = {"agent": Agent.objects.get(name="ben").pk, "project": "~ada", "level": "write"}
    answer = human_client.post("/identity/grant/add/", form)
    assert answer.status_code == OK
    assert "Nobody but its agent writes a personal space." in answer.content.decode()
    assert not Grant.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_hub_06_a_slug_is_chosen_once_and_the_name_changes_freely(human_client: Client) -> None:
    human_client.post("/projects/project/add/", {"slug": "orbit_1", "name": "Orbit"})
    form = {"slug": "other", "name": "Orbit two", "restricted": "on", "artifact_policy": "required"}
    assert human_client.post("/projects/project/orbit_5F1/change/", form).status_code == FOUND
    project = Project.objects.get(personal=False)
    assert (project.slug, project.name, project.restricted, project.artifact_policy) == (
        "orbit_1",
        "Orbit two",
        True,
        "required",
    )
    assert human_client.post("/projects/project/add/", {"slug": "orbit_1", "name": "Again"}).status_code == OK
    assert human_client.get("/project/orbit_1/").status_code == OK


@pytest.mark.django_db
def test_hum_01_only_active_staff_get_in(client: Client) -> None:
    make_person("lee", staff=False)
    client.login(username="lee", password="correct horse battery staple")
    for address in ("/", "/inbox/", "/connect/", "/manage/", "/identity/agent/", "/project/x/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (FOUND, f"/login/?next={address}")


@pytest.mark.django_db(transaction=True)
def test_hum_01_a_staff_member_who_is_no_superuser_may_do_it_all(client: Client, ada: AgentWithToken) -> None:
    person = make_person("mia")
    type(person.user).objects.filter(pk=person.user.pk).update(is_superuser=False)
    client.force_login(type(person.user).objects.get(pk=person.user.pk))
    for address in (
        "/identity/agent/",
        "/identity/agent/add/",
        "/identity/grant/",
        "/projects/project/",
        "/auth/user/",
    ):
        assert client.get(address).status_code == OK
    assert (
        client.post(
            "/auth/user/add/",
            {
                "username": "nia",
                "password1": "long and fresh 1",
                "password2": "long and fresh 1",
                "usable_password": "true",
            },
        ).status_code
        == FOUND
    )


@pytest.mark.django_db
def test_idn_08_what_nobody_edits_is_not_in_the_admin(human_client: Client) -> None:
    shown = human_client.get("/manage/").content.decode()
    assert "Idempotency" not in shown
    assert "clock" not in shown.lower()
    assert human_client.get("/identity/idempotencykey/").status_code == 404
