"""Model admin for people: who may sign in. Every active staff member may do everything (HUM-01)."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

if TYPE_CHECKING:
    _UserAdmin = UserAdmin[User]
else:
    _UserAdmin = UserAdmin


class _Staff:
    """The one permission rule: active staff."""

    show_facets = admin.ShowFacets.NEVER

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Active staff see people."""
        return admin.site.has_permission(request)

    def _may(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002 - Django's signature
        return admin.site.has_permission(request)

    has_view_permission = has_add_permission = has_change_permission = has_delete_permission = _may


class PersonAdmin(_Staff, _UserAdmin):
    """People. Rights are one switch: staff."""

    list_display = ("username", "email", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "groups")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "password1", "password2", "is_staff")}),)
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")


class TeamAdmin(_Staff, GroupAdmin):
    """Groups of people, by name."""

    fields = ("name",)
    filter_horizontal = ()


admin.site.unregister([User, Group])
admin.site.register(User, PersonAdmin)
admin.site.register(Group, TeamAdmin)
