"""What secrets look like, and that none is kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.contract.caller import make_api_key
from toolbox.text.redaction import _redact_secrets, redact

SECRET = "hunter2-hunter2-hunter2"
NAMES = ["password", "passwd", "api_key", "apiKey", "API_KEY", "token", "access_token", "client_secret",
         "authorization", "credentials", "cookie", "private_key", "userPassword", "x-api-key"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spacing", ['"{}":"{}"', '"{}": "{}"', '"{}"  :\n "{}"'])
def test_a_secret_looking_field_is_blanked(name: str, spacing: str) -> None:
    text = "{" + spacing.format(name, SECRET) + ', "other": "stays"}'

    kept = redact(text)

    assert SECRET not in kept
    assert "stays" in kept
    assert name in kept


@pytest.mark.parametrize("start", ["tr_", "tro_", "trr_", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ."])
def test_keys_and_tokens_are_blanked_wherever_they_stand(start: str) -> None:
    kept = redact(json.dumps({"text": f"call it with {start}{SECRET} please"}))

    assert SECRET not in kept
    assert "please" in kept


@pytest.mark.parametrize(
    "value",
    [
        SECRET, f'"{SECRET}', f'\\"{SECRET}', f"\\{SECRET}", f"\n{SECRET}", f"é{SECRET}",
    ],
)  # fmt: skip
def test_quotes_and_escapes_inside_a_secret_do_not_let_it_out(value: str) -> None:
    assert SECRET not in redact(json.dumps({"password": value}))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps({"пароль password": SECRET}), id="an escaped letter in the name"),
        pytest.param(json.dumps({'my "password"': SECRET}), id="a quote in the name"),
        pytest.param(json.dumps({"passwords": [SECRET]}), id="a list"),
        pytest.param(json.dumps({"password": {"value": SECRET}}), id="an object"),
        pytest.param('{"pin_token": 123456789}', id="a number"),
    ],
)
def test_a_secret_is_blanked_however_it_is_dressed(text: str) -> None:
    kept = redact(text)

    assert SECRET not in kept
    assert "123456789" not in kept


@pytest.mark.parametrize("cut", range(12, 40))
def test_a_secret_in_json_that_was_cut_is_blanked(cut: int) -> None:
    text = json.dumps({"password": SECRET})[:cut]

    assert SECRET[:4] not in redact(text)


@given(name=st.sampled_from(NAMES), secret=st.text(min_size=6), before=st.text(alphabet="abc_. ", max_size=5))
def test_no_text_that_is_a_secret_s_value_is_kept(name: str, secret: str, before: str) -> None:
    written = json.dumps(secret)[1:-1]

    kept = redact(json.dumps({before + name: secret}))

    assert kept == json.dumps({before + name: "[redacted]"})
    assert written == "[redacted]" or written not in json.loads(kept).values()


@given(st.text(), st.text())
def test_an_own_key_is_blanked_wherever_it_stands(before: str, after: str) -> None:
    key = make_api_key()

    assert key not in redact(f"{before}{key}{after}")


@pytest.mark.parametrize("text", ["Bearer abcdefgh12345", "bearer abcdefgh12345", "Basic YWxpY2U6YWxpY2U="])
def test_a_bearer_token_is_blanked(text: str) -> None:
    assert text.split()[1] not in redact(f"curl -H 'Authorization: {text}'")


@given(st.dictionaries(st.sampled_from(["teamCode", "limit", "startDate"]), st.text(alphabet="abc XYZ-0123456789")))
def test_what_is_no_secret_stays(arguments: dict[str, str]) -> None:
    text = json.dumps(arguments)

    assert redact(text) == text


PIECES = [
    *NAMES, "Password", "aPi kEy", "PRIVATE-KEY", "Bearer ", "basic  ", "tr_", "tro_", "TR_", "eyJ", "x" * 20, "\u017f",
    "\u212a", ".", " ", "\\", "\\u0070assword", '"', ":", ",", "{", "}", "[", "]", "[" * 60, "1",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join))
def test_what_is_passed_over_at_a_glance_would_have_stayed(text: str) -> None:
    assert redact(text) == _redact_secrets(text)
