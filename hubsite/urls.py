"""Every address of the hub."""

from django.contrib import admin
from django.urls import path

from hubsite import health

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("", admin.site.urls),
]
