"""Addresses of the human API of pages."""

from django.urls import path

from core.human_calls import resource
from knowledge import human_api

urlpatterns = [
    path("storage", resource(get=human_api.storage)),
    path("projects/<str:project>/pages", resource(get=human_api.pages)),
    path(
        "projects/<str:project>/page",
        resource(get=human_api.page, put=human_api.page_write, delete=human_api.page_delete),
    ),
    path("projects/<str:project>/history", resource(get=human_api.history)),
]
