"""The human surface: Django's admin site with the hub's own pages."""

import importlib
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, path
from django.utils.functional import SimpleLazyObject
from django.views.decorators.gzip import gzip_page

# Each module holds ``ROUTES``: (route, view, name). A page lives in the highest app it reads from. ``STREAMED`` names
# the views that send stored bytes as they are.
PAGES: Final = ("hubsite.pages.home", "hubsite.pages.connect", "hubsite.pages.feed", "search.pages", "inbox.pages")
PAGES_OF_MEMORY: Final = ("memory.pages", "tasks.pages", "hubsite.pages.outbox")
PAGES_OF_ARTIFACTS: Final = ("artifacts.pages", "hubsite.pages.artifacts")
PAGES_OF_DOCUMENTS: Final = tuple(
    f"hubsite.pages.documents.{name}" for name in ("lists", "reading", "drafting", "decisions", "reviews", "promoting")
)
PAGES_OF_FILES: Final = ("sessions_app.pages", "knowledge.pages", "knowledge.editing", "hubsite.pages.storage")


class HubAdminSite(admin.AdminSite):
    """One login, one shell, one permission rule: active staff."""

    site_title = "Muster"
    site_header = "Muster"
    index_title = "Home"
    enable_nav_sidebar = False

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Put the hub's own pages before the model admin's."""
        return [*self._pages(), *super().get_urls()]

    def _pages(self) -> list[URLPattern]:
        names = (*PAGES, *PAGES_OF_MEMORY, *PAGES_OF_ARTIFACTS, *PAGES_OF_DOCUMENTS, *PAGES_OF_FILES)
        modules = [importlib.import_module(name) for name in names]
        streamed = {name for module in modules for name in getattr(module, "STREAMED", ())}
        routes = [route for module in modules for route in module.ROUTES]
        return [path(route, self._signed_in(view, name not in streamed), name=name) for route, view, name in routes]

    def _signed_in(self, view: Any, is_page: bool) -> Any:  # noqa: ANN401, FBT001 - as admin_view
        return self.admin_view(view) if is_page else super().admin_view(view)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: ANN401, FBT001, FBT002 - Django's signature
        """Compress every page; Django pads them so that their length tells nothing."""
        return gzip_page(super().admin_view(view, cacheable))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the shell, read only by templates that show it."""
        context = super().each_context(request)
        if not context["has_permission"]:
            return context
        return context | {"shell": SimpleLazyObject(lambda: _shell(request)), "place": "manage"}

    def app_index(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's signature
        app_label: str,  # noqa: ARG002
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:  # noqa: ANN401 - Django promises a page
        """Send Django's page of one app to the page of all."""
        return redirect("admin:manage")


def _shell(request: HttpRequest) -> Any:  # noqa: ANN401 - hubsite.shell.Shell, imported when apps are ready
    from hubsite.shell import shell_of  # noqa: PLC0415
    from identity.actors import human_from_request  # noqa: PLC0415

    return shell_of(human_from_request(request))
