"""Addresses of the human API of search."""

from django.urls import path

from core.human_calls import resource
from search import human_api

urlpatterns = [
    path("search", resource(get=human_api.search)),
]
