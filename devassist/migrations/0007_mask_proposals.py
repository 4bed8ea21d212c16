"""Mask secrets in what agents proposed, and make the same text one proposal."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from devassist.entries.root_cause import LONGEST, Entry, proposal_id
from devassist.root_causes.columns import searchable
from toolbox.text.redaction import mask_secrets

_TEXTS = ("language", "error_type", "error_description", "root_cause", "solution", "fixed_in")


def mask_proposals(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """
    Mask and rename every proposal.

    Of several with the same text the oldest that a person decided on stays, else the oldest. A changed text is embedded
    anew by a worker or by `embed_rca`.
    """
    rows = apps.get_model("devassist", "RootCause").objects
    taken: set[str] = set()
    decided = rows.filter(entry_name__startswith="proposed-").exclude(status="proposed")
    waiting = rows.filter(entry_name__startswith="proposed-", status="proposed")
    keys = [*decided.order_by("id").values_list("id", flat=True), *waiting.order_by("id").values_list("id", flat=True)]
    for key in keys:
        row = rows.get(id=key)
        masked = {name: mask_secrets(getattr(row, name), is_code=True)[: LONGEST[name]] for name in _TEXTS}
        name = proposal_id(masked)
        if name in taken and row.status == "proposed":
            row.delete()
            continue
        rows.filter(id=key).update(**_columns(row, masked=masked, name=name if name not in taken else row.entry_name))
        taken.add(name)


def _columns(row: Any, *, masked: dict[str, str], name: str) -> dict[str, Any]:
    entry = Entry(id=name, status=row.status, confidence=row.confidence, created_at=row.created_at, **masked)
    return masked | searchable(entry) | {"entry_name": name}


class Migration(migrations.Migration):
    dependencies = [("devassist", "0006_announce_documents")]

    operations = [migrations.RunPython(mask_proposals, migrations.RunPython.noop)]
