"""Addresses of the human API of pages and documents."""

from django.urls import path

from core.human_calls import resource
from knowledge.human_api import documents, pages

urlpatterns = [
    path("storage", resource(get=pages.storage)),
    path("projects/<str:project>/pages", resource(get=pages.pages)),
    path(
        "projects/<str:project>/page",
        resource(get=pages.page, put=pages.page_write, delete=pages.page_delete),
    ),
    path("projects/<str:project>/history", resource(get=pages.history)),
    path("projects/<str:project>/drifted", resource(get=documents.drifted)),
    path("projects/<str:project>/spaces", resource(post=documents.space_create)),
    path("projects/<str:project>/spaces/<str:space>", resource(put=documents.space_change)),
    path(
        "projects/<str:project>/spaces/<str:space>/maintainers",
        resource(post=documents.maintainer_add, delete=documents.maintainer_remove),
    ),
    path(
        "projects/<str:project>/spaces/<str:space>/shares",
        resource(post=documents.share, delete=documents.unshare),
    ),
    path("projects/<str:project>/documents", resource(post=documents.document_create)),
    path("spaces", resource(get=documents.spaces)),
    path("documents", resource(get=documents.document_list)),
    path("documents/<str:document>", resource(get=documents.document, delete=documents.document_delete)),
    path("documents/<str:document>/versions", resource(get=documents.versions)),
    path(
        "documents/<str:document>/draft",
        resource(get=documents.draft, put=documents.draft_save, delete=documents.draft_discard),
    ),
    path("documents/<str:document>/publish", resource(post=documents.publish)),
    path("documents/<str:document>/restore", resource(post=documents.restore)),
    path("documents/<str:document>/archive", resource(post=documents.archive, delete=documents.unarchive)),
    path("documents/<str:document>/review", resource(post=documents.submit)),
    path("documents/<str:document>/accept", resource(post=documents.accept)),
    path("documents/<str:document>/supersede", resource(post=documents.supersede)),
    path("documents/<str:document>/reject", resource(post=documents.reject)),
    path("documents/<str:document>/revoke", resource(post=documents.revoke)),
]
