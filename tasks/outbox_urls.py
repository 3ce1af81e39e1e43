"""Addresses of the human API of the outbox."""

from django.urls import path

from core.human_calls import resource
from tasks import outbox_api as api

urlpatterns = [
    path("outbox", resource(get=api.outbox)),
    path("outbox/<str:row>/redrive", resource(post=api.redrive)),
    path("outbox/<str:row>/discard", resource(post=api.discard)),
]
