"""Upstreams, their secrets and the hints, as a curator works with them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphql_proxy.ingest.load import load_hints
from graphql_proxy.models import ErrorHint, Upstream, UpstreamHeader
from graphql_proxy.secrets import seal, unseal
from tests.mock_upstream import MockUpstream

SECRET = "Bearer hush-hush"
ADD = "/admin/graphql_proxy/upstream/add/"
TRY = "/admin/graphql_proxy/errorhint/try/"


@pytest.fixture
def curator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


@pytest.fixture
def upstream(db: None) -> Upstream:
    row = Upstream.objects.create(slug="stats", address="https://api.example.org/graphql")
    UpstreamHeader.objects.create(upstream=row, name="Authorization", sealed_value=seal(SECRET))
    return row


def _form(upstream: Upstream | None = None, **changes: Any) -> dict[str, Any]:
    """Return what a browser sends: the upstream's own fields, and its headers with an empty secret."""
    row = upstream or Upstream(slug="stats", address="https://api.example.org/graphql")
    names = [field.name for field in Upstream._meta.fields if field.name != "id"]
    form = {name: getattr(row, name) for name in names}
    form = {name: value for name, value in form.items() if value is not False}
    headers = list(row.headers.all()) if upstream else []
    form |= {"headers-TOTAL_FORMS": len(headers), "headers-INITIAL_FORMS": len(headers)}
    for number, header in enumerate(headers):
        kept = {"id": header.pk, "upstream": row.pk, "name": header.name, "variable": header.variable, "secret": ""}
        form |= {f"headers-{number}-{name}": value for name, value in kept.items()}
    return form | changes


def _new_header(**values: str) -> dict[str, Any]:
    return {"headers-TOTAL_FORMS": 1, **{f"headers-0-{name}": value for name, value in values.items()}}


def test_an_upstream_is_added_with_a_sealed_secret(curator: Client) -> None:
    answer = curator.post(ADD, _form(**_new_header(name="Authorization", secret=SECRET)))

    header = UpstreamHeader.objects.get(upstream__slug="stats")
    assert answer.status_code == 302
    assert unseal(bytes(header.sealed_value)) == SECRET
    assert b"hush" not in bytes(header.sealed_value)


def test_a_secret_is_never_shown_again(curator: Client, upstream: Upstream) -> None:
    page = curator.get(f"/admin/graphql_proxy/upstream/{upstream.pk}/change/")

    assert page.status_code == 200
    assert b"stored" in page.content
    assert b"hush" not in page.content
    assert bytes(upstream.headers.get().sealed_value) not in page.content


def test_a_form_that_is_refused_does_not_show_the_secret_either(curator: Client) -> None:
    page = curator.post(ADD, _form(address="nonsense", **_new_header(name="X-Token", secret=SECRET)))

    assert page.status_code == 200
    assert b"hush" not in page.content


def test_an_empty_secret_keeps_what_is_stored(curator: Client, upstream: Upstream) -> None:
    curator.post(f"/admin/graphql_proxy/upstream/{upstream.pk}/change/", _form(upstream, title="Statistics"))

    upstream.refresh_from_db()
    assert upstream.title == "Statistics"
    assert unseal(bytes(upstream.headers.get().sealed_value)) == SECRET


@pytest.mark.parametrize("path", ["https://api.example.org/v2", "https://api.example.org/graphql"])
def test_another_path_of_the_same_host_keeps_the_secret(curator: Client, upstream: Upstream, path: str) -> None:
    curator.post(f"/admin/graphql_proxy/upstream/{upstream.pk}/change/", _form(upstream, address=path))

    assert upstream.headers.get().sealed_value


@pytest.mark.parametrize("address", ["https://evil.example/graphql", "http://api.example.org/graphql"])
def test_another_origin_forgets_the_secret(curator: Client, upstream: Upstream, address: str) -> None:
    """Otherwise an editor of upstreams could have a secret that they cannot read sent to themselves."""
    curator.post(f"/admin/graphql_proxy/upstream/{upstream.pk}/change/", _form(upstream, address=address))

    upstream.refresh_from_db()
    assert upstream.address == address
    assert bytes(upstream.headers.get().sealed_value) == b""


def test_a_renamed_header_does_not_carry_the_secret_to_another_origin(curator: Client, upstream: Upstream) -> None:
    form = _form(upstream, address="https://evil.example/") | {"headers-0-name": "X-Mine"}
    curator.post(f"/admin/graphql_proxy/upstream/{upstream.pk}/change/", form)

    assert bytes(upstream.headers.get().sealed_value) == b""


def test_a_secret_typed_with_the_new_origin_is_kept(curator: Client, upstream: Upstream) -> None:
    form = _form(upstream, address="https://new.example/") | {"headers-0-secret": "Bearer new"}
    curator.post(f"/admin/graphql_proxy/upstream/{upstream.pk}/change/", form)

    assert unseal(bytes(upstream.headers.get().sealed_value)) == "Bearer new"


@pytest.mark.parametrize(
    "header",
    [
        {"name": "Authorization"},
        {"name": "Authorization", "secret": "x", "variable": "GRAPHQL_SECRET_X"},
        {"name": "Authorization", "variable": "DATABASE_URL"},
        {"name": "Authorization", "variable": "SECRET_KEY"},
        {"name": "Host", "secret": "x"},
        {"name": "Bad Name", "secret": "x"},
        {"name": "X-A", "secret": "line\r\nX-B: break"},
        {"name": "X-A", "secret": "sécret"},
    ],
)
def test_a_header_that_cannot_be_is_refused(curator: Client, header: dict[str, str]) -> None:
    answer = curator.post(ADD, _form(**_new_header(**header)))

    assert answer.status_code == 200
    assert not Upstream.objects.filter(slug="stats").exists()


@pytest.mark.parametrize(
    "address",
    [
        "ftp://a.example/",
        "https://user:pass@a.example/",
        "https://",
        "//a.example",
        "https://a.example:99999/",
        "http://[::1",
    ],
)
def test_an_address_that_cannot_be_is_refused(curator: Client, address: str) -> None:
    assert curator.post(ADD, _form(address=address)).status_code == 200


def test_there_is_one_default(curator: Client, upstream: Upstream) -> None:
    Upstream.objects.filter(is_default=True).update(is_default=False)
    Upstream.objects.filter(pk=upstream.pk).update(is_default=True)

    answer = curator.post(ADD, _form(slug="other", is_default="on"))

    assert b"Another upstream is the default already." in answer.content


def test_the_try_page_shows_what_agents_would_read(curator: Client) -> None:
    load_hints()
    hint = ErrorHint.objects.get(name="selection on a plain value")

    empty = curator.get(f"{TRY}?hint={hint.pk}")
    tried = curator.post(f"{TRY}?hint={hint.pk}", {"error": hint.example})

    assert b"must not have a selection" in empty.content
    assert b"write name alone, without braces" in tried.content


def test_the_try_page_names_a_broken_pattern_and_still_shows_the_error(curator: Client) -> None:
    ErrorHint.objects.create(name="the broken one", pattern="(", hint="Never.")

    page = curator.post(TRY, {"error": 'Cannot query field "x" on type "Query".'})

    assert page.status_code == 200
    assert b"the broken one" in page.content
    assert b"Use the introspect_schema tool" in page.content


@pytest.mark.parametrize("number", ["x", "-1", "9" * 30, "999999"])
def test_the_try_page_takes_any_number(curator: Client, number: str) -> None:
    assert curator.get(f"{TRY}?hint={number}").status_code == 200


def test_the_button_leads_to_the_try_page(curator: Client) -> None:
    hint = ErrorHint.objects.create(name="any", pattern="x", hint="y")

    page = curator.get(f"/admin/graphql_proxy/errorhint/{hint.pk}/change/")
    pressed = curator.get(f"/admin/graphql_proxy/errorhint/{hint.pk}/try-it/")

    assert b"Try it on this error" in page.content
    assert pressed.headers["location"] == f"{TRY}?hint={hint.pk}"


def test_nobody_else_sees_the_try_page(db: None) -> None:
    assert Client().get(TRY).status_code == 302


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pattern": "("}, b"This pattern cannot be used"),
        ({"lookup": "field"}, b"The lookup wants the named groups"),
        ({"layer": "message", "hint": "See {found}."}, b"fixed words alone"),
    ],
)
def test_a_hint_that_cannot_work_is_refused(curator: Client, change: dict[str, str], said: bytes) -> None:
    usual = {"name": "new", "matcher": "regex", "pattern": "x", "layer": "beside", "hint": "y", "order": 1}

    answer = curator.post("/admin/graphql_proxy/errorhint/add/", usual | change)

    assert said in answer.content
    assert not ErrorHint.objects.filter(name="new").exists()


def test_loading_hints_again_leaves_what_a_curator_changed(db: None) -> None:
    load_hints()
    ErrorHint.objects.filter(name="required argument").update(is_enabled=False, hint="Mine.")

    assert load_hints() == 0
    assert ErrorHint.objects.get(name="required argument").hint == "Mine."


@pytest.mark.parametrize("page", ["upstream", "errorhint", "schemasnapshot"])
def test_a_list_opens(curator: Client, upstream: Upstream, page: str) -> None:
    load_hints()

    assert curator.get(f"/admin/graphql_proxy/{page}/").status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1:8017", "10.1.2.3", "[::1]", "169.254.169.254"])
def test_a_private_address_is_saved_only_for_an_upstream_that_may_stand_there(curator: Client, host: str) -> None:
    address = f"http://{host}/graphql"

    refused = curator.post(ADD, _form(address=address)).content.decode()
    allowed = curator.post(ADD, _form(address=address, is_local="on"))

    assert "private address" in refused
    assert "Is local" in refused
    if host.startswith("169.254"):  # where clouds keep credentials: never
        assert allowed.status_code == 200
    else:
        assert (allowed.status_code, Upstream.objects.get(slug="stats").address) == (302, address)


def test_saving_says_whether_the_upstream_answers(curator: Client, mock: MockUpstream) -> None:
    there = curator.post(ADD, _form(address=mock.address, is_local="on"), follow=True).content.decode()
    Upstream.objects.filter(slug="stats").delete()
    away = curator.post(ADD, _form(address="http://127.0.0.1:9/graphql", is_local="on"), follow=True).content.decode()

    assert "stats answers" in there
    assert "stats does not answer as a GraphQL API" in away
    assert Upstream.objects.filter(slug="stats").exists()
