"""Addresses of the human API of sessions."""

from django.urls import path

from core.human_calls import resource
from sessions_app import human_api

urlpatterns = [
    path("sessions", resource(get=human_api.session_list)),
    path("sessions/prune", resource(post=human_api.prune_all)),
    path("sessions/<str:session>/end", resource(post=human_api.end)),
    path("sessions/<str:session>/owner", resource(put=human_api.reassign)),
    path("sessions/<str:session>/prune", resource(post=human_api.prune, delete=human_api.undo)),
    path("sessions/<str:session>", resource(get=human_api.session)),
    path("sessions/<str:session>/brain", resource(get=human_api.brain)),
    path("sessions/<str:session>/brain/entry", resource(get=human_api.brain_entry)),
]
