"""Addresses of the human API of projects and feeds."""

from django.urls import path

from core.human_calls import resource
from identity import human_api

urlpatterns = [
    path("projects", resource(get=human_api.project_list, post=human_api.project_create)),
    path("projects/<str:project>", resource(patch=human_api.project_update, delete=human_api.project_delete)),
    path("projects/<str:project>/events", resource(get=human_api.feed)),
    path("projects/<str:project>/cursor", resource(post=human_api.cursor)),
]
