"""Settings. Everything an operator sets comes from the environment (see README.md); the defaults serve one machine."""

import os
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import dj_database_url
from django.utils.csp import CSP

from hubsite.secret import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("HUB_DATA_DIR") or BASE_DIR / "data").resolve()

SECRET_KEY = os.environ.get("HUB_SECRET_KEY") or secret_key(DATA_DIR)
DEBUG = os.environ.get("HUB_DEBUG", "") == "1"
HUB_HOST = os.environ.get("HUB_HOST") or "127.0.0.1"
HUB_PORT = int(os.environ.get("HUB_PORT") or 8000)
# The address people and agents use, when a proxy stands in front; otherwise each request's own.
HUB_URL = os.environ.get("HUB_URL", "").rstrip("/")
ALLOWED_HOSTS = [host for host in os.environ.get("HUB_ALLOWED_HOSTS", "").split(",") if host] or [
    "localhost",
    "127.0.0.1",
    "[::1]",
    HUB_HOST,
    *filter(None, [urlsplit(HUB_URL).hostname]),
]
CSRF_TRUSTED_ORIGINS = [HUB_URL] if HUB_URL else []
# How long a pruned session can be taken back.
HUB_UNDO_SECONDS = int(os.environ.get("HUB_UNDO_SECONDS") or 30)
# How long a blob may wait for the transaction that names it, where several processes publish.
HUB_BLOB_GRACE_SECONDS = int(os.environ.get("HUB_BLOB_GRACE_SECONDS") or 300)
# Long-lived request threads, each with one persistent database connection.
HUB_EXECUTORS = int(os.environ.get("HUB_EXECUTORS") or 4)
# Whether the server runs the periodic jobs itself; 0 where `manage.py work` does.
HUB_JOBS = os.environ.get("HUB_JOBS", "1") != "0"

# A second index over documents for recalls, beside the hub's own: '' for none, or tantivy (extra `tantivy`).
HUB_RETRIEVAL_PLANE = os.environ.get("HUB_RETRIEVAL_PLANE", "").strip().lower()

INSTALLED_APPS = [
    "daphne",
    "hubsite.apps.HubAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "ninja",
    "projects",
    "identity",
    "search",
    "inbox",
    "sessions_app",
    "artifacts",
    "memory",
    "knowledge",
    "tasks",
    "hubsite",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "hubsite.static_files.StaticMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "hubsite.urls"
ASGI_APPLICATION = "hubsite.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# SQLite waits its turn in core.gate; the timeout covers other processes (commands, backups). FULL keeps every
# acknowledged write through a power cut; HUB_DURABILITY=normal keeps it through a crash of the process only.
HUB_DURABILITY: Literal["FULL", "NORMAL"] = (
    "NORMAL" if os.environ.get("HUB_DURABILITY", "").lower() == "normal" else "FULL"
)
SQLITE: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 10,
    "init_command": (
        f"PRAGMA journal_mode=WAL;PRAGMA synchronous={HUB_DURABILITY};PRAGMA foreign_keys=ON;"
        "PRAGMA cache_size=-16000;PRAGMA journal_size_limit=67108864"
    ),
}
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'hub.sqlite3'}",
        conn_max_age=None,
        conn_health_checks=True,
    ),
}
# Personal memory lies in a database of its own, under an account of its own where there are accounts (docs/memory.md).
DATABASES["memory"] = dj_database_url.parse(
    os.environ.get("HUB_MEMORY_DATABASE_URL") or f"sqlite:///{DATA_DIR / 'memory.sqlite3'}",
    conn_max_age=None,
    conn_health_checks=True,
)
DATABASE_ROUTERS = ["memory.router.MemoryRouter"]
for _database in DATABASES.values():
    if _database["ENGINE"].endswith("sqlite3"):
        _database["OPTIONS"] = SQLITE
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Without Redis the hub is one process and live updates stay inside it.
REDIS_URL = os.environ.get("REDIS_URL", "")
CHANNEL_LAYERS: dict[str, Any] = (
    {"default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}}
    if REDIS_URL
    else {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
)

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
STORAGES: dict[str, Any] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA_DIR / "files"}},
    "knowledge": {"BACKEND": "knowledge.storage.KnowledgeStorage"},
    "artifacts": {"BACKEND": "artifacts.storage.BlobStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "base-uri": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HUB_URL.startswith("https://")
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Request bodies are cut by the faces; what Django itself buffers stays below the same limit.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAdminUser"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "hubsite.problems.drf_exception_handler",
}

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
FORMAT_MODULE_PATH = "hubsite.formats"

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    # A refused request is an answer, not an incident; what the hub did not mean is logged by hubsite.problems.
    "loggers": {"django.request": {"level": "ERROR"}, "python_multipart": {"level": "ERROR"}},
    "root": {"handlers": ["console"], "level": os.environ.get("HUB_LOG_LEVEL", "WARNING")},
}
