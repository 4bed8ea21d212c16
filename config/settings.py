"""Django's settings, from the environment (config/environment.py)."""

from typing import Any

from django.conf import global_settings
from django.templatetags.static import static

from config.embedded import broker
from config.environment import BASE_DIR as PROJECT_DIR
from config.environment import (
    django_database,
    kept_secret,
    read_environment,
    reader_on_primary,
    server_environment,
    upstream_secrets,
)
from config.oauth_server import OAUTH_SERVER
from config.postgres.cluster import address
from config.postgres.location import find_place
from config.postgres.roles import ANALYST, DATABASE, OWNER, READER

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
    "console",
    "agents",
    "backtests",
    "linescore",
    "graphql_proxy",
    "sprints",
    "devassist",
    "toolbox",
    "oauth2_provider",
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin.apps.SimpleAdminConfig",  # config/urls.py loads the admin classes: workers need none
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_filters",
    "ninja",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "config.observability.request_ids.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "console.content_security_policy.ContentSecurityPolicy",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "console.unsent_forms.UnsentFormsMiddleware",
    "toolbox.http.form_submissions.SubmitOnceMiddleware",
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
                "console.navigation.navigation",
            ],
        },
    },
]


def _databases() -> tuple[dict[str, dict[str, Any]], list[str]]:
    """
    Return the connections of the owner, the reader and the analyst, and the addresses of replicas.

    Without addresses they are the embedded server's. With a database of your own but without DATABASE_ANALYST_URL,
    there is no analyst, and execute_query says that it is off.
    """
    replicas: list[str] = []
    if not env.database_url:
        place = find_place(TOOLROOM_VAR)
        urls = {role: address(place, database=DATABASE, user=role) for role in (OWNER, READER, ANALYST)}
        aliases = {"default": OWNER, "reader": READER, "analyst": ANALYST}
        databases = {alias: django_database(urls[role]) for alias, role in aliases.items()}
        for database in databases.values():
            database["ENGINE"] = "config.postgres"
    elif not env.database_reader_url:
        raise SystemExit(
            "DATABASE_URL is set, DATABASE_READER_URL is not. Tools read as a role that can only SELECT: make it with "
            "`manage.py provision_database` (docs/operations.md), then set DATABASE_READER_URL."
        )
    else:
        reader, replicas = reader_on_primary(env.database_url, readers=env.database_reader_url)
        databases = {"default": django_database(env.database_url), "reader": reader}
        if env.database_analyst_url:
            databases["analyst"] = django_database(env.database_analyst_url)
    for alias in databases.keys() - {"default"}:
        databases[alias]["TEST"] = {"MIRROR": "default"}
    return databases, replicas


DATABASES, TOOLROOM_REPLICAS = _databases()
TOOLROOM_REPLICA_LAG = env.toolroom_replica_lag
if TOOLROOM_REPLICAS:
    MIDDLEWARE.append("toolbox.http.own_writes.OwnWritesMiddleware")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TOOLROOM_READER_ROLE = DATABASES["reader"]["USER"]
TOOLROOM_READER_POOL = env.toolroom_reader_pool
SPRINTS_ANALYST_ROLE = DATABASES["analyst"]["USER"] if "analyst" in DATABASES else ANALYST
SPRINTS_ANALYST_POOL = env.sprints_analyst_pool
SPRINTS_MOST_COST = env.sprints_most_cost
SPRINTS_ACCEPTED_WALLS = env.sprints_accepted_walls
TOOLROOM_FAST_LANE = env.toolroom_fast_lane
TOOLROOM_LIMITS_URL = env.toolroom_limits_url
TOOLROOM_TRACES = env.toolroom_traces
TOOLROOM_AUDIT_KEEP_DAYS = env.toolroom_audit_keep_days
TOOLROOM_API_KEY = env.toolroom_api_key
TOOLROOM_URL = env.toolroom_url
TOOLROOM_OAUTH = env.toolroom_oauth and not env.oauth_issuer
TOOLROOM_BROWSER_ORIGINS = env.toolroom_browser_origins
OAUTH_ISSUER = env.oauth_issuer
OAUTH_JWKS_URL = env.oauth_jwks_url
OAUTH_AUDIENCE = env.oauth_audience
OAUTH_CALLS_PER_MINUTE = env.oauth_calls_per_minute
GRAPHQL_UPSTREAM_URL = env.graphql_upstream_url
GRAPHQL_SECRETS = upstream_secrets()
DEVASSIST_WORKSPACE = env.devassist_workspace
DEVASSIST_LANGUAGE_SERVERS = env.devassist_language_servers
DEVASSIST_SERVERS_DIR = env.devassist_servers_dir or TOOLROOM_VAR / "language-servers"
DEVASSIST_SERVER_ENVIRONMENT = server_environment()
DEVASSIST_MOST_SERVERS = env.devassist_most_servers
DEVASSIST_IDLE_MINUTES = env.devassist_idle_minutes
DEVASSIST_WARM = env.devassist_warm
TOOLROOM_TOOL_VECTORS = env.toolroom_tool_vectors
DEVASSIST_WEB_SEARCH = env.devassist_web_search
DEVASSIST_STACKEXCHANGE_URL = env.devassist_stackexchange_url
DEVASSIST_STACKEXCHANGE_KEY = env.devassist_stackexchange_key
DEVASSIST_GITHUB_URL = env.devassist_github_url
DEVASSIST_GITHUB_TOKEN = env.devassist_github_token
DEVASSIST_MDN_URL = env.devassist_mdn_url
DEVASSIST_WEB_FRESH_HOURS = env.devassist_web_fresh_hours
DEVASSIST_WEB_KEEP_DAYS = env.devassist_web_keep_days
DEVASSIST_EDITOR_SECONDS = env.devassist_editor_seconds
DATABASE_LISTEN_URL = env.database_listen_url
TOOLROOM_WATCHDOG_SECONDS = env.toolroom_watchdog_seconds
TOOLROOM_DATABASE_ADMIN_URL = env.database_admin_url
TOOLROOM_DATABASE_IS_EMBEDDED = not env.database_url

JIRA_TOKEN = env.jira_token
JIRA_EMAIL = env.jira_email
BACKTESTS_RESPONSE_BYTES = env.backtests_response_bytes

EMBEDDING_MODEL = env.embedding_model
EMBEDDING_BASE_URL = env.embedding_base_url
EMBEDDING_API_KEY = env.embedding_api_key
OPENAI_BASE_URL = env.openai_base_url
OPENAI_API_KEY = env.openai_api_key
AGENT_MODEL = env.agent_model
AGENT_TOOL_MODE = env.agent_tool_mode
AGENT_PROMPT_PRICE = env.agent_prompt_price
AGENT_COMPLETION_PRICE = env.agent_completion_price
AGENT_MAX_COMPLETION_TOKENS = env.agent_max_completion_tokens
AGENT_MODEL_SILENCE_SECONDS = env.agent_model_silence_seconds
AGENT_KEEP_DAYS = env.agent_keep_days
AGENT_MODEL_RETRIES = env.agent_model_retries

TOOLROOM_BROKER_IS_EMBEDDED = not env.celery_broker_url
TOOLROOM_CELERY_APP = "config.celery.app"
CELERY_BROKER_URL = env.celery_broker_url or broker.address(TOOLROOM_VAR)
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
TOOLROOM_PERIODIC_TASKS = {
    "devassist.embed_root_causes": 60,
    "graphql_proxy.refresh_schemas": 300,
    "toolbox.forget_calls": 3_600,
    "toolbox.forget": 3_600,
    "agents.forget": 86_400,
    "toolbox.forget_tokens": 86_400,
}
"""Periods in seconds; workers enqueue these tasks (toolbox/work/schedule.py)."""

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

PASSWORD_HASHERS = [*global_settings.PASSWORD_HASHERS, "toolbox.oauth.client_secrets.SecretHasher"]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
CSRF_FAILURE_VIEW = "console.unsent_forms.explain_csrf_failure"
PASSWORD_RESET_TIMEOUT = 3_600  # lifetime of log-in links

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True

TOOLROOM_HTTPS = env.toolroom_https
if TOOLROOM_HTTPS:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.toolroom_hsts_seconds
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^graphql/$"]  # this server itself calls the upstream `hockey` there
SILENCED_SYSTEM_CHECKS = [
    "security.W005", "security.W021",  # HSTS only for this host: other names of the domain are not ours to decide
    "oauth2_provider.W008",  # http is for loopback addresses of native apps (RFC 8252); registration refuses others
]  # fmt: skip

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": ["toolbox.resources_api.access.EntryAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["toolbox.resources_api.access.PassedEntry"],
    "DEFAULT_FILTER_BACKENDS": [
        "toolbox.resources_api.filters.KnownParametersOnly",
        "django_filters.rest_framework.DjangoFilterBackend",
        "toolbox.resources_api.filters.AllowedOrdering",
    ],
    "DEFAULT_PAGINATION_CLASS": "toolbox.resources_api.filters.Page",
    "PAGE_SIZE": 100,
    "EXCEPTION_HANDLER": "toolbox.resources_api.views.render_error",
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

OAUTH2_PROVIDER = OAUTH_SERVER | {"OIDC_ISS_ENDPOINT": env.toolroom_url}

UNFOLD = {
    "SITE_TITLE": "Toolroom",
    "SITE_HEADER": "Toolroom",
    "SITE_SYMBOL": "handyman",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _request: static("console/mark.svg")}],
    "DASHBOARD_CALLBACK": "config.observability.dashboard.dashboard",
    "SIDEBAR": {"show_search": True, "navigation": "config.sidebar.list_groups"},
    "BORDER_RADIUS": "8px",
    "COLORS": {
        # The accent colour of the console's pages (#0b5cad light, #7db8f5 dark) as a scale.
        "primary": {
            "50": "#f0f6fd",
            "100": "#e4effa",
            "200": "#c5ddf6",
            "300": "#9fc9f3",
            "400": "#7db8f5",
            "500": "#7db8f5",
            "600": "#0b5cad",
            "700": "#094f95",
            "800": "#0a427a",
            "900": "#0d3864",
            "950": "#14293f",
        },
    },
    "STYLES": [lambda _request: static("console/admin.css")],
    "SCRIPTS": [lambda _request: static("console/admin.js"), lambda _request: static("console/statements.js")],
    "LOGIN": {"form": "toolbox.access.login_limits.RateLimitedAdminLogin"},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "config.observability.logs.TextLines",
            "format": "%(asctime)s %(levelname)s %(name)s%(request)s: %(message)s",
        },
        "json": {"()": "config.observability.logs.JsonLines"},
    },
    "filters": {"request": {"()": "config.observability.logs.RequestIds"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": env.toolroom_log, "filters": ["request"]},
    },
    "root": {"handlers": ["stderr"], "level": env.toolroom_log_level},
    "loggers": {
        # Anybody can send a wrong Host; a stack trace for each would fill the log.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # uvicorn sets up its own handlers before it imports us; its records join ours.
        "uvicorn": {"handlers": ["stderr"], "level": env.toolroom_log_level, "propagate": False},
        "uvicorn.access": {"propagate": False},  # uvicorn writes no access log without a handler
    },
}
