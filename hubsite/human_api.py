"""The human's JSON API, ``/human/api/v1``: signed-in staff only, browsable."""

from django.urls import include, path
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView


class IsActiveStaff(BasePermission):
    """Active staff, the one rule of the human surface."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's signature
        """Tell whether the person may use the human surface."""
        return bool(request.user.is_authenticated and request.user.is_active and request.user.is_staff)


urlpatterns = [
    path("", include("identity.human_urls")),
    path("", include("inbox.human_urls")),
    path("", include("sessions_app.human_urls")),
    path("", include("knowledge.human_urls")),
]
