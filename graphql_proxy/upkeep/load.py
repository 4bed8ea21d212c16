"""Upstreams, headers, hints and operations from a file: compared with the rows, then stored by the admin's rules."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import forms
from django.db import transaction

from graphql_proxy.forms import HeaderForm, HintForm, UpstreamForm
from graphql_proxy.models import ErrorHint, SavedOperation, Upstream, UpstreamHeader
from graphql_proxy.operation_admin import OperationForm

SECTIONS = ("upstreams", "headers", "hints", "operations")


class InvalidFile(ValueError):
    """The file cannot be used; the message names the wrong entry and the error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """The differences between an entry of the file and its row: every field, before and after."""

    section: str
    name: str
    is_new: bool
    fields: dict[str, tuple[Any, Any]]


_FORMS: dict[str, Any] = {
    "upstreams": UpstreamForm, "headers": HeaderForm, "hints": HintForm, "operations": OperationForm,
}  # fmt: skip


@transaction.atomic
def sync_upstreams(path: Path, *, is_applied: bool) -> list[RowChange]:
    """
    Update rows from a file by the rules of the admin's forms. Rows that it does not name stay unchanged.

    Without `is_applied` everything is done and taken back, so that the comparison fails where storing would. Raises
    InvalidFile.
    """
    changes = [
        change
        for section, entries in _read(path).items()
        for number, entry in enumerate(entries, start=1)
        if (change := _sync_row(section, entry, place=f"{section} {number}", folder=path.parent))
    ]
    if not is_applied:
        transaction.set_rollback(True)
    return changes


def _read(path: Path) -> dict[str, list[dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8")
        said = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as unreadable:
        raise InvalidFile(
            f"{path} cannot be read as {'JSON' if path.suffix == '.json' else 'TOML'}: {unreadable}"
        ) from unreadable
    if not isinstance(said, dict) or set(said) - set(SECTIONS):
        raise InvalidFile(f"the file has the sections {', '.join(SECTIONS)}, each a list of tables")
    sections = {section: said.get(section, []) for section in SECTIONS}
    for section, entries in sections.items():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InvalidFile(f"{section} is a list of tables")
    return sections


def _sync_row(section: str, entry: Mapping[str, Any], *, place: str, folder: Path) -> RowChange | None:
    """Store one entry. Returns what changed, None if nothing did."""
    given = dict(entry)
    if section == "operations" and "document_file" in given:
        try:
            given["document"] = (folder / str(given.pop("document_file"))).read_text(encoding="utf-8")
        except (OSError, ValueError) as unreadable:
            raise InvalidFile(f"{place}: its document cannot be read: {unreadable}") from unreadable
    if "secret" in given:
        raise InvalidFile(f"{place}: a file holds no secrets; name an environment variable as variable")
    row = _find_row(section, given, place=place)
    unbound = _FORMS[section](instance=row)
    names = {*unbound.fields, "upstream"} if section == "headers" else set(unbound.fields)
    if strangers := sorted(set(given) - names):
        raise InvalidFile(f"{place}: {strangers[0]} is no field; there are {', '.join(sorted(names))}")
    before = {name: unbound.get_initial_for_field(field, name) for name, field in unbound.fields.items()}
    changed = {
        name: (_show(name, before[name]), _show(name, given[name]))
        for name in given
        if name in before and _differs(before[name], given[name])
    }
    is_new = row.pk is None
    if not changed and not is_new:
        return None
    form = _FORMS[section](data=_form_data(unbound, before | given), instance=row)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise InvalidFile(f"{place}: {field}: {' '.join(map(str, errors))}")
    form.save()
    return RowChange(section=section, name=_name_of(given), is_new=is_new, fields=changed)


def _find_row(section: str, given: dict[str, Any], *, place: str) -> Any:
    """Return the row of an entry, or a new one. A named upstream becomes its row."""
    key = "slug" if section == "upstreams" else "name"
    if not isinstance(given.get(key), str):
        raise InvalidFile(f"{place}: it needs a {key}")
    upstream = None
    if section != "upstreams" and given.get("upstream"):
        upstream = Upstream.objects.filter(slug=given["upstream"]).first()
        if upstream is None:
            raise InvalidFile(f"{place}: there is no upstream {given['upstream']}")
    if section == "headers":
        if upstream is None:
            raise InvalidFile(f"{place}: it needs an upstream")
        known = upstream.headers.filter(name=given[key]).first()
        return known or UpstreamHeader(upstream=upstream)
    if upstream is not None:
        given["upstream"] = upstream.pk
    if section == "upstreams":
        return Upstream.objects.filter(slug=given[key]).first() or Upstream()
    if section == "hints":
        return ErrorHint.objects.filter(name=given[key]).first() or ErrorHint()
    return SavedOperation.objects.filter(name=given[key]).first() or SavedOperation()


def _form_data(form: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Encode values as a browser submits them."""
    data: dict[str, Any] = {}
    for name, field in form.fields.items():
        value = values.get(name)
        if isinstance(field, forms.JSONField):
            value = json.dumps(value)
        elif isinstance(value, list):
            value = [getattr(one, "pk", one) for one in value]
        data[name] = "" if value is None else value
    return data


def _differs(before: Any, after: Any) -> bool:
    return bool(_plain(before) != after)


def _plain(value: Any) -> Any:
    return [str(one) for one in value] if isinstance(value, list) and value and hasattr(value[0], "pk") else value


def _show(name: str, value: Any) -> Any:
    """Return a value in the form of the file: an upstream by its name."""
    if name == "upstream" and value:
        return Upstream.objects.values_list("slug", flat=True).get(pk=value)
    return _plain(value)


def _name_of(given: Mapping[str, Any]) -> str:
    return str(given.get("slug") or given.get("name"))
