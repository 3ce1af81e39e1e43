"""Model admin for projects, agents with their tokens, and grants (IDN-02, IDN-05, IDN-08, HUB-06)."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ActionLocation
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.formats import date_format
from django.utils.html import format_html

from core.errors import HubError
from identity.actors import human_from_request
from identity.model_admin import OperationAdmin
from identity.models import Agent, Grant, Token
from identity.operations import create_agent, issue_token, remove_grant, revoke_token, set_grant, set_trusted
from projects.models import Event, Project
from projects.operations import create_project, delete_project, update_project

EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]


@admin.register(Project)
class ProjectAdmin(OperationAdmin):
    """Projects and agents' personal spaces. The slug is chosen once."""

    list_display = ("slug", "name", "restricted", "personal", "artifact_policy", "created_at")
    list_filter = ("personal", "restricted")
    search_fields = ("slug", "name")
    ordering = ("slug",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002 - Django's
        """Leave a new project its policy: it has none of its own yet."""
        return ["slug", "name", "restricted", *(["artifact_policy", "created_at"] if obj else [])]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ANN401, ARG002
        """Keep the slug, which never changes."""
        return ["slug", "created_at"] if obj else []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Create or update by operation."""
        actor = human_from_request(request)
        if change:
            update_project(actor, obj.pk, name=obj.name, restricted=obj.restricted, artifact_policy=obj.artifact_policy)
        else:
            create_project(actor, slug=obj.slug, name=obj.name, restricted=obj.restricted)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - a project
        """Let a project be deleted, one at a time; a personal space stays with its agent."""
        return obj is not None and not obj.personal and self.admin_site.has_permission(request)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:  # noqa: ANN401, ARG002 - Django's
        """Say what goes in counts: a feed may hold a million rows."""
        what = "its feed, inbox items, sessions and their brains, pages, artifacts, documents, grants"
        gone = [f"{project.name}: {what}" for project in objs]
        return gone, {"events": Event.objects.filter(project__in=list(objs)).count()}, set(), []

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401 - a project
        """Delete by operation; the page before asked for confirmation."""
        delete_project(human_from_request(request), obj.pk, confirm=obj.pk)


@admin.register(Agent)
class AgentAdmin(OperationAdmin):
    """Agents: when they were last heard of, whether they are trusted, and their tokens."""

    list_display = ("name", "trusted", "has_token", "last_seen_at", "last_activity", "grants_held")
    list_filter = ("trusted",)
    search_fields = ("name",)
    ordering = ("name",)
    actions = ("issue_tokens", "revoke_tokens")

    def get_queryset(self, request: HttpRequest) -> Any:  # noqa: ANN401 - an annotated queryset
        """Add what the list shows, in the same query."""
        live = Token.objects.filter(agent=OuterRef("pk"), revoked_at__isnull=True)
        return (
            super()
            .get_queryset(request)
            .annotate(live_token=Exists(live), active_at=Max("sessions__last_activity"))
            .prefetch_related("grants")
        )

    @admin.display(boolean=True, description="live token", ordering="live_token")
    def has_token(self, agent: Any) -> bool:  # noqa: ANN401 - an annotated agent
        """Whether a token of it works."""
        return bool(agent.live_token)

    @admin.display(description="last activity", ordering="active_at")
    def last_activity(self, agent: Any) -> str:  # noqa: ANN401
        """When a session of it was last touched."""
        return date_format(agent.active_at, "DATETIME_FORMAT") if agent.active_at else "never"

    @admin.display(description="grants")
    def grants_held(self, agent: Agent) -> str:
        """Say what it may open by grant."""
        return ", ".join(f"{grant.project_id} {grant.level}" for grant in agent.grants.all()) or "none"

    @admin.display(description="personal space")
    def space_link(self, agent: Agent) -> str:
        """Answer the way to its own project."""
        return format_html('<a href="/project/{0}/">{0}</a>', agent.space_id)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Ask a new agent for name and trust; the rest comes with its life."""
        shown = ["space_link", "has_token", "last_seen_at", "last_activity", "grants_held", "created_at"]
        return ["name", "trusted", *(shown if obj else [])]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ANN401
        """Only trust can be changed."""
        return [name for name in self.get_fields(request, obj) if obj and name != "trusted"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Create, trust or distrust by operation."""
        actor = human_from_request(request)
        if change:
            set_trusted(actor, name=obj.name, trusted=obj.trusted)
        else:
            created = create_agent(actor, name=obj.name, trusted=obj.trusted)
            obj.pk, obj.space = created.pk, created.space

    @admin.action(
        description="Issue a new token",
        description_plural="Issue new tokens to the selected agents",
        location=EVERYWHERE,
    )
    def issue_tokens(self, request: HttpRequest, queryset: QuerySet[Agent]) -> HttpResponse | None:
        """Issue tokens and show them, this once; the ones before end at once."""
        actor = human_from_request(request)
        try:
            issued = [issue_token(actor, name=name) for name in queryset.values_list("name", flat=True)]
        except HubError as refusal:
            self.refuse(request, refusal)
            return None
        context = {**self.admin_site.each_context(request), "title": "New tokens", "issued": issued}
        return TemplateResponse(request, "admin/identity/agent/tokens.html", context)

    @admin.action(
        description="Revoke the token",
        description_plural="Revoke the tokens of the selected agents",
        location=EVERYWHERE,
    )
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        """Revoke tokens; an agent without one is no error."""
        actor = human_from_request(request)
        try:
            revoked = [revoke_token(actor, name=name) for name in queryset.values_list("name", flat=True)]
        except HubError as refusal:
            self.refuse(request, refusal)
            return
        number = sum(revoked)
        self.message_user(request, f"Revoked {number} token{'' if number == 1 else 's'}.", messages.SUCCESS)


@admin.register(Grant)
class GrantAdmin(OperationAdmin):
    """What agents may open beyond the access rule."""

    list_display = ("agent", "project", "level", "created_at")
    list_filter = ("level",)
    list_select_related = ("agent", "project")
    search_fields = ("agent__name", "project__slug")
    fields = ("agent", "project", "level")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ANN401, ARG002
        """Keep a grant with its agent and project; only the level moves."""
        return ["agent", "project"] if obj else []

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Grants can be removed."""
        return self.admin_site.has_permission(request)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Set the grant by operation."""
        level = Grant.Level(obj.level)
        obj.pk = set_grant(human_from_request(request), obj.project_id, agent=obj.agent.name, level=level).pk

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401
        """Remove the grant by operation."""
        remove_grant(human_from_request(request), obj.project_id, agent=obj.agent.name)
