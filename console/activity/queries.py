"""The keys whose calls a person may see."""

from toolbox.models import ApiKey

MAX_KEYS = 100
MAX_CHOICES = 300


def list_keys(*, owner_id: int) -> list[int]:
    """List the keys of a person, the newest first; includes those of connected apps."""
    keys = ApiKey.objects.filter(owner_id=owner_id).order_by("-created_at")
    return list(keys.values_list("pk", flat=True)[:MAX_KEYS])


def list_key_choices(*, owner_id: int | None) -> list[tuple[int, str]]:
    """List the keys of a person, or of everybody, each with its name and first characters."""
    keys = ApiKey.objects.order_by("name", "pk")
    shown = keys if owner_id is None else keys.filter(owner_id=owner_id)
    rows = shown.values_list("pk", "name", "start")[:MAX_CHOICES]
    return [(key, f"{name} ({start}…)") for key, name, start in rows]
