"""The human's JSON API, ``/human/api/v1``: signed-in active staff only, browsable."""

from django.urls import include, path

urlpatterns = [
    path("", include("identity.human_urls")),
    path("", include("search.human_urls")),
    path("", include("inbox.human_urls")),
    path("", include("sessions_app.human_urls")),
    path("", include("artifacts.human_urls")),
    path("", include("memory.human_urls")),
    path("", include("knowledge.human_urls")),
    path("", include("tasks.human_urls")),
]
