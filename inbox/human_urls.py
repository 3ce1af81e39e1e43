"""Addresses of the human API of the inbox."""

from django.urls import path

from core.human_calls import resource
from inbox import human_api

urlpatterns = [
    path("inbox", resource(get=human_api.inbox)),
    path("inbox/read", resource(post=human_api.read)),
    path("inbox/unread", resource(post=human_api.unread)),
    path("inbox/read-all", resource(post=human_api.read_all)),
    path("inbox/<str:item>", resource(get=human_api.item)),
    path("inbox/<str:item>/answer", resource(post=human_api.answer)),
    path("inbox/<str:item>/decision", resource(post=human_api.decision)),
]
