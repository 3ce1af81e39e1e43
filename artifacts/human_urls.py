"""Addresses of the human API of artifacts."""

from django.urls import path

from artifacts import human_api
from core.human_calls import resource

urlpatterns = [
    path("artifacts", resource(get=human_api.artifact_list)),
    path("artifacts/<str:artifact>", resource(get=human_api.artifact, delete=human_api.artifact_delete)),
    path("artifacts/<str:artifact>/versions", resource(get=human_api.versions)),
    path("artifacts/<str:artifact>/comments", resource(post=human_api.comment_post)),
    path("comments", resource(get=human_api.comment_list)),
    path("comments/<str:comment>", resource(delete=human_api.comment_delete)),
    path(
        "comments/<str:comment>/resolution",
        resource(post=human_api.comment_resolve, delete=human_api.comment_reopen),
    ),
]
