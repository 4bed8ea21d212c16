"""Secrets in what editors and terminals push: masked, and code that only names them left as it is."""

import time

import pytest

from devassist.editor.masking import last_lines, masked, readable, without_keys

SECRET = "s3cr3t-Value/9"
BEGIN = "-----" + "BEGIN"


@pytest.mark.parametrize(
    "text",
    [
        f"export GITHUB_TOKEN={SECRET}",
        f"API_KEY={SECRET} ./gradlew build",
        f"db.password={SECRET}",
        f"password: {SECRET}",
        f'val apiKey = "{SECRET}"',
        f"'client_secret' => '{SECRET}'",
        f'{{"accessToken": "{SECRET}"}}',
        f"deploy --token {SECRET} --verbose",
        f"mysql --password={SECRET}",
        f"postgres://bob:{SECRET.replace('/', '')}@db.example/shop",
        f"Authorization: Bearer {SECRET}",
        f'curl -H "X-Api-Key: {SECRET}"',
        f"{BEGIN} RSA PRIVATE KEY-----\n{SECRET}\n",
    ],
)
def test_a_secret_in_a_terminal_is_masked(text: str) -> None:
    kept = masked(text)

    assert SECRET not in kept
    assert SECRET.replace("/", "") not in kept
    assert "[redacted]" in kept


@pytest.mark.parametrize("start", ["gh" + "p_", "gl" + "pat-", "s" + "k-", "AKI" + "A", "AI" + "za", "np" + "m_"])
def test_well_known_keys_are_masked_wherever_they_stand(start: str) -> None:
    key = start + "A1B2C3D4E5F6G7H8" * (3 if start not in ("AKI" + "A",) else 1)

    assert masked(f"using {key} now", is_code=True) == "using [redacted] now"


@pytest.mark.parametrize(
    "code",
    [
        "val token = lexer.next()",
        "fun login(password: String, token: String?) = Unit",
        "passwordField.text = name",
        "if (token == null) return",
        "tokens.map { it.secret }",
    ],
)
def test_code_that_names_a_secret_stays(code: str) -> None:
    assert masked(code, is_code=True) == code


def test_a_terminal_is_read_as_a_person_sees_it() -> None:
    sent = "\x1b]0;title\x07\x1b[1;31merror\x1b[0m: no\r\nprogress 10%\rprogress 100%\r\n\x00\x07bell\n\x1b[2K"

    assert readable(sent) == "error: no\nprogress 100%\nbell\n"


def test_the_last_fifty_lines_are_kept() -> None:
    kept = last_lines("\n".join(f"line {number}" for number in range(80)) + "\n\n\n").split("\n")

    assert (kept[0], kept[-1], len(kept)) == ("line 30", "line 79", 50)
    assert len(last_lines("x" * 5_000)) == 2_001


def test_a_key_whose_first_line_is_cut_off_is_masked_before() -> None:
    block = f"{BEGIN} PRIVATE KEY-----\n" + "c2VjcmV0\n" * 60 + "-----END PRIVATE KEY-----\ndone"

    assert last_lines(without_keys(block)) == "[redacted]\ndone"


@pytest.mark.parametrize(
    "piece", ["\x1b[", "\x1b]", "password=", "--token ", "a://b:", "--", "a-", "\\", '"', "token: '"]
)
def test_masking_never_takes_long(piece: str) -> None:
    started = time.process_time()
    masked(readable(piece * (100_000 // len(piece))))

    assert time.process_time() - started < 2.0
