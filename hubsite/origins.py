"""Where browsers may call the agents' face from, and the hub's own address."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from core.errors import HubError


def check_origin(headers: Mapping[str, str]) -> None:
    """Refuse a page of another site. Programs send no Origin; a browser always does with such a request."""
    origin = headers.get("origin")
    if origin is None or origin in settings.CSRF_TRUSTED_ORIGINS:
        return
    parts = urlsplit(origin)
    own = parts.netloc == headers.get("host") and validate_host(parts.hostname or "", settings.ALLOWED_HOSTS)
    if not own or parts.scheme not in {"http", "https"}:
        raise HubError(
            "forbidden", "This hub takes no calls from pages of other sites.", header="Origin", origin=origin
        )


def hub_url(scheme: str, host: str | None) -> str:
    """Answer the address people and agents use: the one that was set, else the one this request came to."""
    if settings.HUB_URL:
        return str(settings.HUB_URL)
    if host and validate_host(urlsplit(f"//{host}").hostname or "", settings.ALLOWED_HOSTS):
        return f"{scheme}://{host}"
    return f"http://{settings.HUB_HOST}:{settings.HUB_PORT}"
