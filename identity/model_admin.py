"""Model admin whose every write is an operation, open to active staff (HUM-01)."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import Field, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect

from core.errors import HubError

if TYPE_CHECKING:
    from django import forms

    _ModelAdmin = admin.ModelAdmin[Model]
else:
    _ModelAdmin = admin.ModelAdmin


class OperationAdmin(_ModelAdmin):
    """Subclasses say in `save_model` and `delete_model` which operation writes.

    What an operation refuses comes back as an error of the form. Operations open their own transaction, so Django's
    is not opened around them; the feed's system events are the audit trail, so Django's own log is left out.
    """

    actions_on_bottom = False
    show_facets = admin.ShowFacets.NEVER

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Active staff see every model."""
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Active staff may look."""
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Active staff may add."""
        return self.admin_site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Active staff may change."""
        return self.admin_site.has_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Nothing is deleted here, unless a subclass says so."""
        return False

    @method_decorator(csrf_protect)
    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Run the form; when the operation refuses, show the form again with what it said."""
        extra_context = {"show_save_and_add_another": False, "show_save_and_continue": False, **(extra_context or {})}
        try:
            return self._form(request, object_id, form_url, extra_context)
        except HubError as refusal:
            vars(request)["refusal"] = refusal  # read by the form of the second run
            return self._form(request, object_id, form_url, extra_context)

    def _form(self, *arguments: Any) -> HttpResponse:  # noqa: ANN401 - passed on as they came
        response: HttpResponse = super()._changeform_view(*arguments)  # type: ignore[misc]  # the stubs leave it out
        return response

    @method_decorator(csrf_protect)
    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Run the deletion without a transaction around the operation."""
        response: HttpResponse = super()._delete_view(request, object_id, extra_context)  # type: ignore[misc]
        return response

    def get_form(
        self,
        request: HttpRequest,
        obj: Model | None = None,
        change: bool = False,  # noqa: FBT001, FBT002 - Django's signature
        **kwargs: Any,  # noqa: ANN401 - Django's signature
    ) -> "type[forms.ModelForm[Model]]":
        """Answer a form that carries the operation's refusal, if there was one."""
        form = super().get_form(request, obj, change=change, **kwargs)
        refusal: HubError | None = getattr(request, "refusal", None)
        return _refused(form, refusal) if refusal else form

    def formfield_for_dbfield(self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401
        """Leave out the buttons that add and edit related rows in windows of their own."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and hasattr(field.widget, "can_add_related"):
            field.widget = field.widget.widget
        return field

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Model]") -> None:
        """Delete one by one, each by its operation."""
        for row in queryset:
            self.delete_model(request, row)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:  # noqa: ANN401
        """Leave it to the feed."""

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:  # noqa: ANN401
        """Leave it to the feed."""

    def log_deletions(self, request: HttpRequest, queryset: "QuerySet[Model]") -> Any:  # noqa: ANN401
        """Leave it to the feed."""

    def refuse(self, request: HttpRequest, refusal: HubError) -> None:
        """Say what an operation refused outside a form."""
        self.message_user(request, refusal.message, messages.ERROR)


def _refused(form: "type[forms.ModelForm[Model]]", refusal: HubError) -> "type[forms.ModelForm[Model]]":
    def post_clean(self: Any) -> None:  # noqa: ANN401 - a form of the class made below
        form._post_clean(self)  # type: ignore[attr-defined]  # noqa: SLF001 - Django's own hook, which the stubs leave out
        field = refusal.details.get("field")
        self.add_error(field if field in self.fields else None, refusal.message)

    return type("Refused", (form,), {"_post_clean": post_clean})
