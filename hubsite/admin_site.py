"""The human surface: Django's admin site with the hub's own pages."""

from django.contrib import admin


class HubAdminSite(admin.AdminSite):
    """One login, one shell."""

    site_title = "Muster"
    site_header = "Muster"
    index_title = "Home"
