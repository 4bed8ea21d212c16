"""Django's settings, from the environment (config/environment.py)."""

from typing import Any

from config.environment import BASE_DIR as PROJECT_DIR
from config.environment import django_database, kept_secret, read_environment, upstream_secrets
from config.postgres.cluster import address
from config.postgres.place import find_place
from config.postgres.roles import DATABASE, OWNER, READER

env = read_environment()

BASE_DIR = PROJECT_DIR
TOOLROOM_VAR = env.toolroom_var
SECRET_KEY = env.secret_key or kept_secret(TOOLROOM_VAR / "secret_key")
SECRET_KEY_FALLBACKS = env.secret_key_fallbacks
DEBUG = env.debug
ALLOWED_HOSTS = env.allowed_hosts
CSRF_TRUSTED_ORIGINS = env.csrf_trusted_origins

INSTALLED_APPS = [
    "config",
    "backtests",
    "linescore",
    "graphql_proxy",
    "toolbox",
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_filters",
    "ninja",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
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


def _databases() -> dict[str, dict[str, Any]]:
    """Give the owner's connection and the reader's; of the embedded server where no address is given."""
    if not env.database_url:
        place = find_place(TOOLROOM_VAR)
        urls = {role: address(place, database=DATABASE, user=role) for role in (OWNER, READER)}
        databases = {"default": django_database(urls[OWNER]), "reader": django_database(urls[READER])}
        for database in databases.values():
            database["ENGINE"] = "config.postgres"
    elif not env.database_reader_url:
        raise SystemExit(
            "DATABASE_URL is set, DATABASE_READER_URL is not. Tools read as a role that can only SELECT: make it with "
            "`manage.py provision_database` (docs/operations.md), then set DATABASE_READER_URL."
        )
    else:
        databases = {"default": django_database(env.database_url), "reader": django_database(env.database_reader_url)}
    databases["reader"]["TEST"] = {"MIRROR": "default"}
    return databases


DATABASES = _databases()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TOOLROOM_READER_ROLE = DATABASES["reader"]["USER"]
TOOLROOM_READER_POOL = env.toolroom_reader_pool
TOOLROOM_FAST_LANE = env.toolroom_fast_lane
TOOLROOM_LIMITS_URL = env.toolroom_limits_url
TOOLROOM_API_KEY = env.toolroom_api_key
GRAPHQL_UPSTREAM_URL = env.graphql_upstream_url
GRAPHQL_SECRETS = upstream_secrets()
TOOLROOM_DATABASE_ADMIN_URL = env.database_admin_url
TOOLROOM_DATABASE_IS_EMBEDDED = not env.database_url

BACKTESTS_RESPONSE_BYTES = env.backtests_response_bytes

CELERY_BROKER_URL = env.celery_broker_url
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

LOGIN_REDIRECT_URL = "/admin/"

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True

if env.toolroom_https:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "toolbox.resource_access.KeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["toolbox.resource_access.MayReadDomain"],
    "DEFAULT_THROTTLE_CLASSES": ["toolbox.resource_access.KeyThrottle"],
    "DEFAULT_FILTER_BACKENDS": [
        "toolbox.resource_filters.KnownParametersOnly",
        "django_filters.rest_framework.DjangoFilterBackend",
        "toolbox.resource_filters.AllowedOrdering",
    ],
    "DEFAULT_PAGINATION_CLASS": "toolbox.resource_access.Page",
    "PAGE_SIZE": 100,
    "EXCEPTION_HANDLER": "toolbox.resource_refusals.refuse",
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": [
        "rest_framework.renderers.JSONRenderer",
        "rest_framework.renderers.BrowsableAPIRenderer",
    ],
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Toolroom resources",
    "DESCRIPTION": "The curated tables behind the tools: browse, filter, page. Read only.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/resources",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"persistAuthorization": True},
}

UNFOLD = {"SITE_TITLE": "Toolroom", "SITE_HEADER": "Toolroom", "SITE_SYMBOL": "handyman", "SITE_URL": "/api/docs"}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    # Anybody can send a wrong Host; a stack trace for each would fill the log.
    "loggers": {"django.security.DisallowedHost": {"level": "CRITICAL"}},
}
