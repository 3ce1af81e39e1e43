"""Every address of the hub."""

from django.contrib import admin
from django.urls import include, path

from hubsite import health, skill
from hubsite.agent_api import api

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("api/v1/", api.urls),
    path("human/api/v1/", include("hubsite.human_urls")),
    path("SKILL.md", skill.skill),
    path("", admin.site.urls),
]

handler400 = "hubsite.problems.bad_request"
handler403 = "hubsite.problems.permission_denied"
handler404 = "hubsite.problems.page_not_found"
handler500 = "hubsite.problems.server_error"
