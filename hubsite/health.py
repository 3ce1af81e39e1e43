"""Whether the hub lives and whether it can serve (OPS-03). For supervisors and balancers: no sign-in, no details."""

import tempfile

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from hubsite.startup import pending_migrations
from knowledge.retrieval import planes


@require_safe
def healthz(_: HttpRequest) -> JsonResponse:
    """Answer that the process is up."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(_: HttpRequest) -> JsonResponse:
    """Answer whether the store answers, is migrated, and the data directory takes a file.

    A retrieval plane, where one is configured, is told of besides: without it the hub still serves.
    """
    checks = {"database": _database_answers(), "data_directory": _data_directory_writable()}
    checks["migrations"] = checks["database"] and _migrated()
    ready = all(checks.values())
    told = {"status": "ok" if ready else "unavailable", "checks": checks, **_retrieval()}
    return JsonResponse(told, status=200 if ready else 503)


def _retrieval() -> dict[str, str]:
    plane = planes.plane()
    return {} if plane is None else {"retrieval": "degraded" if planes.unavailable() else plane.name}


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


_seen_migrated: set[str] = set()


def _migrated() -> bool:
    """Look once: reading the migrations is slow, and a store once migrated stays so while the process lives."""
    name = str(connection.settings_dict["NAME"])
    if name not in _seen_migrated and not pending_migrations():
        _seen_migrated.add(name)
    return name in _seen_migrated


def _data_directory_writable() -> bool:
    try:
        with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
            file.write(b"ready?")
    except OSError:
        return False
    return True
