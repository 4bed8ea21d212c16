"""Environment variables: the type, default and description of each."""

import os
import re
import secrets
import tempfile
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from dotenv import dotenv_values
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

BASE_DIR = Path(__file__).resolve().parent.parent
_FOR_SERVERS = ("PATH", "LANG", "LC_ALL", "TMPDIR", "JAVA_HOME", "LD_LIBRARY_PATH")


class Environment(BaseSettings):
    """Settings read from the environment, then from `.env`; all have a default that works."""

    model_config = SettingsConfigDict(
        env_file=BASE_DIR / ".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True
    )

    secret_key: str = Field("", description="Django's signing key; made and kept under var/ when not given.")
    secret_key_fallbacks: Annotated[list[str], NoDecode] = Field(
        default=[], description="Earlier signing keys, by comma: what was sealed under them still opens."
    )
    debug: bool = Field(default=False, description="Django's debug pages; never in production.")
    allowed_hosts: Annotated[list[str], NoDecode] = Field(
        default=["127.0.0.1", "localhost", "[::1]"], description="Host names that this server answers to, by comma."
    )
    csrf_trusted_origins: Annotated[list[str], NoDecode] = Field(
        default=[], description="Origins that may post forms to the admin, by comma, as https://tools.example.org."
    )
    toolroom_https: bool = Field(
        default=False,
        description="Served behind TLS: secure cookies, HSTS, redirect to https, trust X-Forwarded-Proto.",
    )
    toolroom_hsts_seconds: int = Field(
        3_600, ge=0, description="How long browsers insist on https once they came by it; 31536000 once that works."
    )
    toolroom_url: str = Field(
        "", description="This server's own address, as its clients see it: what tokens of OAuth must be for."
    )
    toolroom_oauth: bool = Field(
        default=True, description="People may connect MCP clients by OAuth, without a key; 0: only keys."
    )
    toolroom_browser_origins: Annotated[list[str], NoDecode] = Field(
        default=[], description="Sites whose pages are MCP clients, by comma, as http://localhost:6274; never *."
    )
    oauth_issuer: str = Field("", description="An issuer of your own whose tokens are taken, instead of ours.")
    oauth_jwks_url: str = Field("", description="Where its keys are; found by its metadata if not given.")
    oauth_audience: Annotated[list[str], NoDecode] = Field(
        default=[], description="Other names that it has for this server, by comma, beside TOOLROOM_URL."
    )
    oauth_calls_per_minute: int | None = Field(
        None, ge=1, description="How often who comes by OAuth may call; the admin sets it for each."
    )
    database_url: str = Field("", description="PostgreSQL of your own; without it the embedded one is started.")
    database_reader_url: Annotated[list[str], NoDecode] = Field(
        default=[], description="The same database as the read-only role; replicas' addresses, by comma."
    )
    toolroom_replica_lag: float = Field(
        10.0, gt=0, le=3_600, description="Seconds that a replica may be behind; further, reads go to the primary."
    )
    database_analyst_url: str = Field(
        "", description="The same database as the role that runs SQL written by a model; execute_query is off without."
    )
    database_listen_url: str = Field(
        "", description="The owner's address past any pooler, for LISTEN; the same as DATABASE_URL if empty."
    )
    toolroom_watchdog_seconds: float = Field(
        30.0, gt=0, le=3_600, description="How often each process checks that notifications of the database arrive."
    )
    database_admin_url: str = Field("", description="A superuser's address, for `provision_database` alone.")
    toolroom_var: Path = Field(BASE_DIR / "var", description="Where the embedded parts keep their data.")
    toolroom_fast_lane: bool = Field(default=True, description="Serve tool calls before Django; 0: by django-ninja.")
    toolroom_limits_url: str = Field(
        "", description="Redis or Valkey that counts rate limits for all processes; without it each process counts."
    )
    toolroom_reader_pool: int = Field(8, ge=1, le=200, description="Reader connections of one process at most.")
    sprints_analyst_pool: int = Field(4, ge=1, le=200, description="Connections of one process that run model's SQL.")
    sprints_most_cost: float = Field(
        5_000_000, gt=0, description="The most expensive plan that execute_query runs, in planner units."
    )
    sprints_accepted_walls: str = Field(
        "", description="Names the analyst's restrictions whose absence is accepted; see manage.py sprints_walls."
    )
    toolroom_log: Literal["text", "json"] = Field("text", description="Lines of the log: text, or a JSON object each.")
    toolroom_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "WARNING", description="What is worth a line in the log."
    )
    toolroom_traces: bool = Field(
        default=False, description="Send a span of every call by OTLP, as OTEL_* say; wants requirements-traces.txt."
    )
    toolroom_audit_keep_days: int = Field(
        400, ge=0, le=36_500, description="Days that calls stay in the audit; 0: for ever."
    )
    toolroom_api_key: str = Field("", description="The key of `manage.py mcp`; without it, the local operator.")
    graphql_upstream_url: str = Field(
        "", description="The GraphQL API that graphql_proxy asks by default, instead of this server's own at /graphql/."
    )
    devassist_workspace: str = Field(
        "", description="A folder of code that quickstart registers as a workspace, the default one."
    )
    devassist_language_servers: dict[str, dict[str, Any]] = Field(
        default={}, description="Language servers beside the usual ones, or in their place, as JSON by name."
    )
    devassist_servers_dir: Path | None = Field(
        None, description="Where install_language_servers puts them; below TOOLROOM_VAR if not given."
    )
    devassist_most_servers: int = Field(4, ge=1, le=64, description="Language servers of one process at most.")
    devassist_idle_minutes: float = Field(15, gt=0, description="A language server that nobody asks ends after that.")
    devassist_warm: bool = Field(
        default=True, description="Start the language servers of workspaces before a question."
    )
    embedding_model: str = Field(
        "", max_length=200, description="An embedding model behind an OpenAI-compatible endpoint, for root causes."
    )
    embedding_base_url: str = Field("", description="That endpoint; OpenAI's own if empty.")
    embedding_api_key: str = Field("", repr=False, description="Its key; a local server usually wants none.")
    toolroom_tool_vectors: bool = Field(
        default=True, description="Find tools by meaning too; 0: by words alone, without the embedding model's 90 MB."
    )
    devassist_web_search: bool = Field(
        default=True, description="web_search_wiki may ask public sources; 0: only pages that were ingested."
    )
    devassist_stackexchange_url: str = Field(
        "https://api.stackexchange.com/2.3", description="The Stack Exchange API that web_search_wiki asks."
    )
    devassist_stackexchange_key: str = Field("", repr=False, description="Its key, for a larger quota; may be empty.")
    devassist_github_url: str = Field("https://api.github.com", description="GitHub's API, or an Enterprise server's.")
    devassist_github_token: str = Field("", repr=False, description="Its token, for a larger quota; may be empty.")
    devassist_mdn_url: str = Field("https://developer.mozilla.org", description="MDN, or a mirror of it.")
    devassist_web_fresh_hours: float = Field(
        24.0, ge=0, description="How long what a public source answered is taken for new."
    )
    devassist_web_keep_days: int = Field(
        30, ge=1, le=3_650, description="How long it is kept, to stand in while the source is down."
    )
    devassist_editor_seconds: int = Field(
        900, ge=10, le=86_400, description="How long what an editor or a terminal pushed is kept."
    )
    jira_token: str = Field("", description="What ingest_jira shows a Jira site: an API token, or a personal one.")
    jira_email: str = Field("", description="Whose API token it is, for a Jira of Atlassian's cloud.")
    backtests_response_bytes: int = Field(
        2_097_152, ge=2_000, description="A page of backtest events is cut at so many bytes."
    )
    celery_broker_url: str = Field(
        "", description="Redis, Valkey or RabbitMQ for jobs; without it the embedded Valkey is started."
    )
    agent_prompt_price: Decimal = Field(Decimal(0), ge=0, description="What a million tokens read cost, for run costs.")
    agent_completion_price: Decimal = Field(Decimal(0), ge=0, description="What a million tokens written cost.")
    openai_base_url: str = Field(
        "", description="A server that speaks OpenAI's Chat Completions; OpenAI's own if empty."
    )
    openai_api_key: str = Field("", repr=False, description="Its key; a local server usually wants none.")
    agent_model: str = Field("", description="The model's name there; without it curated examples answer.")
    agent_tool_mode: Literal["native", "json_schema", "prompt", "auto"] = Field(
        "auto", description="How tools are offered to the model; auto finds out what server and model can do."
    )
    agent_max_completion_tokens: int = Field(
        4_096, ge=128, le=1_000_000, description="What a model may write in one step at most; budgets may allow less."
    )
    agent_model_silence_seconds: float = Field(
        120.0, gt=0, le=3_600, description="How long a model may say nothing before it is asked again."
    )
    agent_keep_days: int = Field(
        0, ge=0, le=36_500, description="Days that steps and events of ended runs are kept; 0: for ever."
    )
    agent_model_retries: int = Field(3, ge=0, le=10, description="How often a failing model server is asked again.")

    @field_validator(
        "allowed_hosts", "csrf_trusted_origins", "secret_key_fallbacks", "oauth_audience", "toolroom_browser_origins",
        mode="before",
    )  # fmt: skip
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("database_reader_url", mode="before")
    @classmethod
    def _split_addresses(cls, value: object) -> object:
        """Split before each `postgres://`, because one address may contain commas between several hosts."""
        return re.split(r"[\s,]+(?=postgres(?:ql)?://)", value.strip()) if isinstance(value, str) and value else value

    @field_validator("database_reader_url")
    @classmethod
    def _addresses(cls, value: list[str]) -> list[str]:
        return [cls._postgresql(address.rstrip(", ")) for address in value]

    @field_validator("toolroom_var")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value if value.is_absolute() else BASE_DIR / value

    @field_validator("database_url", "database_analyst_url", "database_admin_url", "database_listen_url")
    @classmethod
    def _postgresql(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in ("postgres", "postgresql"):
            raise ValueError("must be a postgresql:// address")
        return value

    @field_validator("toolroom_url")
    @classmethod
    def _origin(cls, value: str) -> str:
        if value.rstrip("/") != "{0.scheme}://{0.netloc}".format(urlsplit(value)) and value:
            raise ValueError("must be https://host or https://host:port, with no path")
        return value.rstrip("/")

    @field_validator("toolroom_browser_origins")
    @classmethod
    def _origins(cls, value: list[str]) -> list[str]:
        for origin in value:
            if not urlsplit(origin).netloc or cls._origin(origin) != origin or "*" in origin:
                raise ValueError("must be origins as https://host or http://host:port, each in full")
        return value

    @model_validator(mode="after")
    def _issuer_has_an_audience(self) -> Self:
        if self.oauth_issuer and not (self.toolroom_url or self.oauth_audience):
            raise ValueError("OAUTH_ISSUER wants TOOLROOM_URL too: what its tokens must be for")
        return self

    @model_validator(mode="after")
    def _model_has_a_server(self) -> Self:
        if self.agent_model and not (self.openai_base_url or self.openai_api_key):
            raise ValueError("AGENT_MODEL wants OPENAI_BASE_URL (a server of yours) or OPENAI_API_KEY (OpenAI's) too")
        return self

    @field_validator(
        "graphql_upstream_url", "openai_base_url", "devassist_stackexchange_url", "devassist_github_url",
        "devassist_mdn_url", "toolroom_url", "embedding_base_url", "oauth_issuer", "oauth_jwks_url",
    )  # fmt: skip
    @classmethod
    def _web(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in ("http", "https"):
            raise ValueError("must be an http:// or https:// address")
        return value


def read_environment() -> Environment:
    """Read the environment; exits with a line for each invalid variable."""
    try:
        return Environment()
    except ValidationError as invalid:
        places = [".".join(map(str, problem["loc"])).upper() for problem in invalid.errors()]
        lines = [
            ": ".join(filter(None, (place, said["msg"]))) for place, said in zip(places, invalid.errors(), strict=True)
        ]
        raise SystemExit("The environment cannot be used:\n  " + "\n  ".join(lines)) from invalid


def django_database(url: str) -> dict[str, Any]:
    """Convert a postgresql:// address into an entry of Django's DATABASES."""
    parts: dict[str, Any] = conninfo_to_dict(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", ""),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": str(parts.pop("port", "")),
        "OPTIONS": parts,
        "DISABLE_SERVER_SIDE_CURSORS": True,  # behind a pooler the next transaction may be in another session
    }


def reader_on_primary(url: str, *, readers: list[str]) -> tuple[dict[str, Any], list[str]]:
    """
    Return the reader's entry on the primary, and the addresses of replicas.

    A reader's address with another place than DATABASE_URL is a replica's; role and password are the same on the
    primary.
    """
    places = ("host", "hostaddr", "port", "dbname")
    primary = conninfo_to_dict(url)
    place = {name: primary[name] for name in places if name in primary}
    given = [conninfo_to_dict(reader) for reader in readers]
    replicas = [
        reader
        for reader, parts in zip(readers, given, strict=True)
        if {name: parts[name] for name in places if name in parts} != place
    ]
    same = [reader for reader in readers if reader not in replicas]
    elsewhere = {name: value for name, value in given[0].items() if name not in places}
    own: dict[str, Any] = conninfo_to_dict(same[0]) if same else elsewhere | place
    return django_database(make_conninfo(**own)), replicas


def upstream_secrets() -> dict[str, str]:
    """
    Return the variables that headers of GraphQL upstreams may name: those that begin with GRAPHQL_SECRET_.

    No others may be named: a person who edits upstreams must not be able to send out the database's password.
    """
    known = dotenv_values(BASE_DIR / ".env") | os.environ
    return {name: value for name, value in known.items() if value and name.startswith("GRAPHQL_SECRET_")}


def server_environment() -> dict[str, str]:
    """Return the environment of language servers: what programs need to start, and nothing secret."""
    return {name: os.environ[name] for name in _FOR_SERVERS if name in os.environ}


def kept_secret(path: Path) -> str:
    """Return the secret stored at `path`; creates it on first use, readable only by its owner."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    return path.read_text()
