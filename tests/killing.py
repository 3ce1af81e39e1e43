"""One call in a process of its own, on the test's database and files, that dies by SIGKILL at a named place."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from urllib.parse import quote

from django.conf import settings
from django.db import connection
from django.utils.module_loading import autodiscover_modules

import agentfs
from core.actor import Actor
from core.jobs import JOBS
from tests.running import ROOT

_CHILD = """
import json, os, signal, sys
import django
django.setup()
from importlib import import_module
from django.utils.module_loading import autodiscover_modules, import_string
from core.actor import Actor

autodiscover_modules("agent_calls")
when, place, call, actor, arguments = json.loads(sys.stdin.read())

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def owner_of(names):
    for end in range(len(names) - 1, 0, -1):
        try:
            found = import_module(".".join(names[:end]))
        except ModuleNotFoundError:
            continue
        for name in names[end:-1]:
            found = getattr(found, name)
        return found

if place:
    names = place.split(".")
    owner = owner_of(names)
    meant = getattr(owner, names[-1])
    def then_die(*args, **kwargs):
        meant(*args, **kwargs)
        die()
    setattr(owner, names[-1], die if when == "before" else then_die)
import_string(call)(*([Actor(**actor)] if actor else []), *arguments["positional"], **arguments["named"])
"""


def dies(where: str, call: str, actor: Actor | None = None, /, *positional: str, **named: object) -> None:
    """Make a call, dotted, in a process that is killed ``before`` or ``after`` a function: ``"after core.x.y"``."""
    when, _, place = where.partition(" ")
    arguments = {"positional": positional, "named": named}
    given = json.dumps([when, place, call, asdict(actor) if actor else None, arguments])
    ended = _run(given)
    assert ended.returncode == -signal.SIGKILL, (ended.returncode, ended.stderr)


def restart() -> None:
    """Run every job once, as a hub does at its start: here, which is not the process that died."""
    agentfs.close_all()
    autodiscover_modules("jobs")
    for job in JOBS:
        job.run()
    agentfs.close_all()


def _run(given: str) -> subprocess.CompletedProcess[str]:
    agentfs.close_all()
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "hubsite.settings",
        "HUB_DATA_DIR": str(settings.DATA_DIR),
        "HUB_SECRET_KEY": settings.SECRET_KEY,
        "HUB_UNDO_SECONDS": str(settings.HUB_UNDO_SECONDS),
        "DATABASE_URL": _database_url(),
    }
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", _CHILD],
        cwd=ROOT,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _database_url() -> str:
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{told['NAME']}"
    password = f":{quote(told['PASSWORD'])}" if told["PASSWORD"] else ""
    return f"postgresql://{told['USER']}{password}@{told['HOST']}:{told['PORT']}/{told['NAME']}"
