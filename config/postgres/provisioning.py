"""Connect to the configured cluster as a superuser and provision it, embedded or external."""

from django.conf import settings
from psycopg.conninfo import make_conninfo

from config.postgres import cluster
from config.postgres.backup import BackupRefused, Roles
from config.postgres.location import find_place
from config.postgres.roles import provision


def admin_url() -> str:
    """Return the superuser's address of the configured cluster, starting the embedded one. Raises BackupRefused."""
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.ensure_running(settings.TOOLROOM_VAR)
        return cluster.address(find_place(settings.TOOLROOM_VAR), database="postgres", user=cluster.SUPERUSER)
    if not settings.TOOLROOM_DATABASE_ADMIN_URL:
        raise BackupRefused("Set DATABASE_ADMIN_URL to a superuser's address of the database server, not of a pooler.")
    return str(settings.TOOLROOM_DATABASE_ADMIN_URL)


def database_url() -> str:
    """Return the superuser's address of Toolroom's own database."""
    return make_conninfo(admin_url(), dbname=settings.DATABASES["default"]["NAME"])


def configured_roles() -> Roles:
    """Return the names of the configured roles."""
    return Roles(
        owner=settings.DATABASES["default"]["USER"],
        reader=settings.TOOLROOM_READER_ROLE,
        analyst=settings.SPRINTS_ANALYST_ROLE,
    )


def provision_configured(url: str, *, database: str, template: str | None = None) -> list[str]:
    """Create missing roles and a database of that name; returns a sentence for each."""
    owner, reader = settings.DATABASES["default"], settings.DATABASES["reader"]
    analyst = settings.DATABASES.get("analyst", {"USER": settings.SPRINTS_ANALYST_ROLE, "PASSWORD": ""})
    return provision(
        url,
        template=template,
        owner=owner["USER"],
        owner_password=owner["PASSWORD"],
        database=database,
        reader=reader["USER"],
        reader_password=reader["PASSWORD"],
        analyst=analyst["USER"],
        analyst_password=analyst["PASSWORD"],
    )
