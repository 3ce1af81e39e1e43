"""Django's admin with the hub's own site, and the hub site itself, which holds the commands."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class HubAdminConfig(admin_apps.AdminConfig):
    """Make `HubAdminSite` the default site, so that ``@admin.register`` finds it."""

    default = False
    default_site = "hubsite.admin_site.HubAdminSite"


class HubsiteConfig(AppConfig):
    """The hub site: settings, addresses, commands."""

    name = "hubsite"
    default = True
