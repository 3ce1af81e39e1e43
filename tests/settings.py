"""The hub's settings on a data directory of this test process alone."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_directory = Path(tempfile.mkdtemp(prefix="muster-test-"))
atexit.register(shutil.rmtree, _directory, ignore_errors=True)
os.environ["HUB_DATA_DIR"] = str(_directory)
# The servers that tests start keep the default, which survives a power cut; here only logic is tried.
os.environ["HUB_DURABILITY"] = "normal"

from hubsite.settings import *  # noqa: E402, F403 - after the environment they read
from hubsite.settings import DATABASES  # noqa: E402

# A file, as in earnest: an SQLite database in memory has other locks.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": _directory / "test.sqlite3"}
    DATABASES["memory"]["TEST"] = {"NAME": _directory / "test_memory.sqlite3"}
else:  # both suites try memory on the engine they are about
    DATABASES["memory"] = DATABASES["default"] | {"NAME": f"{DATABASES['default']['NAME']}_memory"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
