"""Model admin for spaces, who maintains them and whom they are shared with (GOV-01, GOV-02, GOV-06)."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import HubError
from identity.actors import human_from_request
from identity.model_admin import OperationAdmin
from knowledge.models import Maintainer, Share, Space
from knowledge.operations import (
    add_maintainer,
    change_space,
    create_space,
    remove_maintainer,
    share_space,
    unshare_space,
)


@admin.register(Space)
class SpaceAdmin(OperationAdmin):
    """Spaces. A repository space is made here; a project's own comes with its first document."""

    list_display = ("name", "project", "kind", "url", "sync_agent")
    list_filter = ("kind",)
    list_select_related = ("project", "sync_agent")
    search_fields = ("name", "project__slug")
    ordering = ("project", "name")
    fields = ("project", "name", "url", "sync_agent")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ANN401, ARG002
        """Keep what a space is; only a repository's address and sync identity move."""
        if obj is None:
            return []
        return ["project", "name"] if obj.kind == Space.Kind.REPOSITORY else list(self.fields)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - a space
        """Leave nothing to change in a project's own space."""
        return super().has_change_permission(request, obj) and (obj is None or obj.kind == Space.Kind.REPOSITORY)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Make or change by operation."""
        actor, agent = human_from_request(request), obj.sync_agent.name if obj.sync_agent else ""
        if change:
            change_space(actor, obj.project_id, space=obj.pk, url=obj.url, sync_agent=agent)
        else:
            made = create_space(actor, obj.project_id, name=obj.name, url=obj.url, sync_agent=agent or None)
            obj.pk = made["space"]


class _OfSpace(OperationAdmin):
    """Rows that say who may do something with a space: added and removed, never changed."""

    list_select_related = ("space__project",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Let nothing be changed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401
        """Let one at a time be removed, so that each refusal is told."""
        return obj is not None and self.admin_site.has_permission(request)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Remove by operation; what it refuses is told on the list."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except HubError as refusal:
            self.refuse(request, refusal)
            return redirect(f"admin:knowledge_{self.opts.model_name}_changelist")


@admin.register(Maintainer)
class MaintainerAdmin(_OfSpace):
    """People who publish, archive, accept and revoke in a space."""

    list_display = ("user", "space")
    search_fields = ("user__username", "space__name", "space__project__slug")
    fields = ("space", "user")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Add by operation."""
        add_maintainer(human_from_request(request), obj.space.project_id, space=obj.space_id, user=obj.user.username)
        obj.pk = Maintainer.objects.get(space=obj.space, user=obj.user).pk

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401 - a maintainer
        """Remove by operation."""
        remove_maintainer(human_from_request(request), obj.space.project_id, space=obj.space_id, user=obj.user.username)


@admin.register(Share)
class ShareAdmin(_OfSpace):
    """Agents that read a space's published documents without a right on the project."""

    list_display = ("agent", "space", "created_at")
    search_fields = ("agent__name", "space__name", "space__project__slug")
    fields = ("space", "agent")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Share by operation."""
        share_space(human_from_request(request), obj.space.project_id, space=obj.space_id, agent=obj.agent.name)
        obj.pk = Share.objects.get(space=obj.space, agent=obj.agent).pk

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401 - a share
        """Take it back by operation."""
        unshare_space(human_from_request(request), obj.space.project_id, space=obj.space_id, agent=obj.agent.name)
