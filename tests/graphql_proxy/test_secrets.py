"""Secrets of upstreams: sealed at rest, opened only under the right key, never readable by the reader role."""

from collections.abc import Callable

import pytest
from django.test import override_settings

from graphql_proxy.secrets import Sealed, seal, unseal
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.pools import reader


def test_what_is_sealed_opens_again_and_does_not_show() -> None:
    sealed = seal("Bearer hush-hush")

    assert unseal(sealed) == "Bearer hush-hush"
    assert b"hush" not in sealed


def test_another_key_does_not_open_it() -> None:
    sealed = seal("Bearer hush-hush")

    with override_settings(SECRET_KEY="another"), pytest.raises(Sealed):
        unseal(sealed)


def test_an_older_key_still_opens_it() -> None:
    with override_settings(SECRET_KEY="older"):
        sealed = seal("Bearer hush-hush")

    with override_settings(SECRET_KEY="newer", SECRET_KEY_FALLBACKS=["older"]):
        assert unseal(sealed) == "Bearer hush-hush"


@pytest.mark.parametrize("damage", [lambda _: b"", lambda _: b"plain text", lambda sealed: sealed[:-4]])
def test_what_is_damaged_does_not_open(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(Sealed):
        unseal(damage(seal("x")))


async def test_the_reader_role_cannot_see_headers(cast: object) -> None:
    with pytest.raises(DatabaseUnavailable, match="permission denied"):
        await reader.fetch("SELECT sealed_value FROM graphql_proxy_upstream_headers LIMIT 1")
