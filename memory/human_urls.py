"""Addresses of the human API of memory."""

from django.urls import path

from core.human_calls import resource
from memory import human_api

urlpatterns = [
    path("memory", resource(get=human_api.entries, post=human_api.entry_add)),
    path("memory/proposals", resource(get=human_api.proposals)),
    path("memory/proposals/<str:proposal>/decision", resource(post=human_api.proposal_decide)),
    path("memory/recalls", resource(get=human_api.recalls)),
    path("memory/recalls/<str:recall>", resource(get=human_api.recall)),
    path("memory/agents", resource(get=human_api.companions)),
    path("memory/agents/<str:agent>", resource(put=human_api.companion_add, delete=human_api.companion_remove)),
    path("memory/conversations", resource(get=human_api.conversations, post=human_api.conversation_start)),
    path("memory/conversations/<str:conversation>", resource(get=human_api.conversation)),
    path("memory/conversations/<str:conversation>/end", resource(post=human_api.conversation_end)),
    path(
        "memory/<str:entry>",
        resource(get=human_api.entry, put=human_api.entry_edit, delete=human_api.entry_forget),
    ),
]
