"""What the environment may say, each variable typed and explained once."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from dotenv import dotenv_values
from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

BASE_DIR = Path(__file__).resolve().parent.parent


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
        default=False, description="Served behind TLS: secure cookies, trust X-Forwarded-Proto."
    )
    database_url: str = Field("", description="PostgreSQL of your own; without it the embedded one is started.")
    database_reader_url: str = Field("", description="The same database as the read-only role; may be a replica.")
    database_admin_url: str = Field("", description="A superuser's address, for `provision_database` alone.")
    toolroom_var: Path = Field(BASE_DIR / "var", description="Where the embedded parts keep their data.")
    toolroom_fast_lane: bool = Field(default=True, description="Serve tool calls before Django; 0: by django-ninja.")
    toolroom_limits_url: str = Field(
        "", description="Redis or Valkey that counts rate limits for all processes; without it each process counts."
    )
    toolroom_reader_pool: int = Field(8, ge=1, le=200, description="Reader connections of one process at most.")
    toolroom_api_key: str = Field("", description="The key of `manage.py mcp`; without it, the local operator.")
    graphql_upstream_url: str = Field(
        "", description="The GraphQL API that graphql_proxy asks by default, instead of this server's own at /graphql/."
    )
    backtests_response_bytes: int = Field(
        2_097_152, ge=2_000, description="A page of backtest events is cut at so many bytes."
    )
    celery_broker_url: str = Field("", description="Redis, Valkey or RabbitMQ for jobs.")

    @field_validator("allowed_hosts", "csrf_trusted_origins", "secret_key_fallbacks", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("toolroom_var")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value if value.is_absolute() else BASE_DIR / value

    @field_validator("database_url", "database_reader_url", "database_admin_url")
    @classmethod
    def _postgresql(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in ("postgres", "postgresql"):
            raise ValueError("must be a postgresql:// address")
        return value

    @field_validator("graphql_upstream_url")
    @classmethod
    def _web(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in ("http", "https"):
            raise ValueError("must be an http:// or https:// address")
        return value


def read_environment() -> Environment:
    """Read the environment; ends the process with a line for each variable that cannot be used."""
    try:
        return Environment()
    except ValidationError as invalid:
        lines = [f"{'.'.join(map(str, problem['loc'])).upper()}: {problem['msg']}" for problem in invalid.errors()]
        raise SystemExit("The environment cannot be used:\n  " + "\n  ".join(lines)) from invalid


def django_database(url: str) -> dict[str, Any]:
    """Turn a postgresql:// address into an entry of Django's DATABASES."""
    parts: dict[str, Any] = conninfo_to_dict(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", ""),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": str(parts.pop("port", "")),
        "OPTIONS": parts,
    }


def upstream_secrets() -> dict[str, str]:
    """
    Give the variables that headers of GraphQL upstreams may name: those that begin with GRAPHQL_SECRET_.

    No other variable can be named there, or whoever edits upstreams could send the database's password away.
    """
    known = dotenv_values(BASE_DIR / ".env") | os.environ
    return {name: value for name, value in known.items() if value and name.startswith("GRAPHQL_SECRET_")}


def kept_secret(path: Path) -> str:
    """Read the secret kept at `path`, making it on first use, readable by its owner alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    return path.read_text()
