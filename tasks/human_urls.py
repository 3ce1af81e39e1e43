"""Addresses of the human API of tasks."""

from django.urls import path

from core.human_calls import resource
from tasks import human_api as api

urlpatterns = [
    path("tasks", resource(get=api.task_list)),
    path("projects/<str:project>/tasks", resource(post=api.task_create)),
    path("tasks/<str:task>", resource(get=api.task)),
    path("tasks/<str:task>/prepare", resource(post=api.prepare)),
    path("tasks/<str:task>/start", resource(post=api.start)),
    path("tasks/<str:task>/complete", resource(post=api.complete)),
    path("tasks/<str:task>/fail", resource(post=api.fail)),
    path("tasks/<str:task>/cancel", resource(post=api.cancel)),
    path("tasks/<str:task>/rebuild", resource(post=api.rebuild)),
    path("tasks/<str:task>/snapshot", resource(get=api.snapshot)),
    path("tasks/<str:task>/recalls", resource(get=api.recalls)),
    path("tasks/<str:task>/delegations/<str:delegation>", resource(delete=api.revoke)),
    path("tasks/<str:task>/nodes/<str:node>/skills/<str:skill>", resource(delete=api.node_skill_remove)),
    path("node-library", resource(get=api.library_list)),
    path("node-library/skills/<str:skill>", resource(get=api.library_skill)),
    path("outbox", resource(get=api.outbox)),
    path("outbox/<str:row>/redrive", resource(post=api.redrive)),
    path("outbox/<str:row>/discard", resource(post=api.discard)),
    path("task-setting", resource(get=api.setting, put=api.setting_change)),
]
