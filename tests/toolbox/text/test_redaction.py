"""What secrets look like, and that none is kept."""

import json
import time
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from toolbox.contract.caller import make_api_key
from toolbox.text.redaction import REDACTED, MaskedText, mask_secrets

SECRET = "hunter2-hunter2-hunter2"
NAMES = ["password", "passwd", "api_key", "apiKey", "API_KEY", "token", "access_token", "client_secret",
         "authorization", "credentials", "cookie", "private_key", "userPassword", "x-api-key"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spacing", ['"{}":"{}"', '"{}": "{}"', '"{}"  :\n "{}"'])
def test_a_secret_looking_field_is_blanked(name: str, spacing: str) -> None:
    text = "{" + spacing.format(name, SECRET) + ', "other": "stays"}'

    kept = mask_secrets(text)

    assert SECRET not in kept
    assert "stays" in kept
    assert name in kept


@pytest.mark.parametrize("start", ["tr_", "tro_", "trr_", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ."])
def test_keys_and_tokens_are_blanked_wherever_they_stand(start: str) -> None:
    kept = mask_secrets(json.dumps({"text": f"call it with {start}{SECRET} please"}))

    assert SECRET not in kept
    assert "please" in kept


@pytest.mark.parametrize(
    "value",
    [
        SECRET, f'"{SECRET}', f'\\"{SECRET}', f"\\{SECRET}", f"\n{SECRET}", f"é{SECRET}",
    ],
)  # fmt: skip
def test_quotes_and_escapes_inside_a_secret_do_not_let_it_out(value: str) -> None:
    assert SECRET not in mask_secrets(json.dumps({"password": value}))


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
    kept = mask_secrets(text)

    assert SECRET not in kept
    assert "123456789" not in kept


@pytest.mark.parametrize("cut", range(12, 40))
def test_a_secret_in_json_that_was_cut_is_blanked(cut: int) -> None:
    text = json.dumps({"password": SECRET})[:cut]

    assert SECRET[:4] not in mask_secrets(text)


@given(name=st.sampled_from(NAMES), secret=st.text(min_size=6), before=st.text(alphabet="abc_. ", max_size=5))
def test_no_text_that_is_a_secret_s_value_is_kept(name: str, secret: str, before: str) -> None:
    written = json.dumps(secret)[1:-1]

    kept = mask_secrets(json.dumps({before + name: secret}))

    assert kept == json.dumps({before + name: "[redacted]"})
    assert written == "[redacted]" or written not in json.loads(kept).values()


@given(st.text(), st.text())
def test_an_own_key_is_blanked_wherever_it_stands(before: str, after: str) -> None:
    key = make_api_key()

    assert key not in mask_secrets(f"{before}{key}{after}")


@pytest.mark.parametrize("text", ["Bearer abcdefgh12345", "bearer abcdefgh12345", "Basic YWxpY2U6YWxpY2U="])
def test_a_bearer_token_is_blanked(text: str) -> None:
    assert text.split()[1] not in mask_secrets(f"curl -H 'Authorization: {text}'")


@given(
    st.dictionaries(
        st.sampled_from(["teamCode", "limit", "startDate"]), st.text(alphabet="abc XYZ-0123456789", max_size=20)
    )
)
def test_what_is_no_secret_stays(arguments: dict[str, str]) -> None:
    text = json.dumps(arguments)

    assert mask_secrets(text) == text


PIECES = [
    *NAMES, "Password", "aPi kEy", "PRIVATE-KEY", "Bearer ", "basic  ", "tr_", "tro_", "TR_", "eyJ", "x" * 20, "\u017f",
    "\u212a", "gh" + "p_", "github_pat_", "AKI" + "A", "A1" * 20, "xoxb-", "s" + "k-", "://", "a", "@",
    "hooks.slack.com/services/",
    "-----" + "BEGIN PRIVATE KEY-----",
    "whsec_", "s" + "k_live_", "SG.", "12345678", ":AA", "AGE-SECRET-KEY-1", "glsa_",
    ".", " ", "\\", "\\u0070assword", '"', ":", ",", "{", "}", "[", "]", "[" * 60, "1",
]  # fmt: skip


BODY = "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"
VALUE = "s3cr3t-Value9"
BEGIN = "-----" + "BEGIN"
# Put together here, so that no scanner takes a made-up value for a real one.
SHAPES = {
    "GitHub": "gh" + "p_" + BODY, "GitHub, fine-grained": "github" + "_pat_11ABCDEFG0" + BODY,
    "GitHub, server": "gh" + "s_" + BODY, "GitLab": "gl" + "pat-" + BODY[:20], "AWS": "AKI" + "A" + "Z7" * 8,
    "Google": "AI" + "za" + BODY, "OAuth of Google": "ya" + "29." + BODY, "Slack": "xo" + "xb-123456789012-" + BODY,
    "OpenAI": "s" + "k-" + BODY, "OpenAI, of a project": "s" + "k-proj-" + BODY + "_x-" + BODY,
    "Anthropic": "s" + "k-ant-api03-" + BODY, "Stripe": "s" + "k_live_" + BODY, "webhook": "whs" + "ec_" + BODY,
    "npm": "np" + "m_" + BODY, "PyPI": "py" + "pi-AgEIcHlwaS5vcmc" + BODY, "Hugging": "h" + "f_" + BODY[:34],
    "Vault": "hv" + "s." + BODY, "SendGrid": "S" + "G." + BODY[:22] + "." + BODY, "Shopify": "sh" + "pat_" + "0af" * 11,
    "Telegram": "123456789:" + "AA" + BODY, "JWT": "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ." + BODY,
    "Twilio": "S" + "K" + "0123456789abcdef" * 2, "Mailgun": "ke" + "y-" + "0123456789abcdef" * 2,
    "RubyGems": "ruby" + "gems_" + "0123456789abcdef" * 3, "AWS secret": BODY[:12] + "/" + BODY[:12] + "+" + BODY[:14],
    "Docker": "_auth=" + "aHVudGVy" * 2 + "Mg==", "Discord": BODY[:24] + "." + BODY[:6] + "." + BODY[:27],
    "age": "AGE-" + "SECRET-KEY-1" + "QPZRY9X8" * 7, "random": BODY + "x9Y8",
    "Slack's webhook": "https://hooks.slack" + ".com/services/T00000000/B00000000/" + BODY[:24],
}  # fmt: skip


@pytest.mark.parametrize("secret", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("around", ["{}", "using {} now", "error: '{}'", '{{"query": "{}"}}', "({})", "x={}&y=1"])
@pytest.mark.parametrize("is_code", [True, False])
def test_a_secret_of_a_known_shape_is_masked_wherever_it_stands(secret: str, around: str, *, is_code: bool) -> None:
    masked = mask_secrets(around.format(secret), is_code=is_code)

    assert REDACTED in masked
    assert not any(secret[at : at + 8] in masked for at in range(12, len(secret) - 8))


GIVEN = [
    f"export GITHUB_TOKEN={VALUE}",
    f"API_KEY={VALUE} ./gradlew build",
    f"db.password={VALUE}",
    f"password: {VALUE}",
    f'val apiKey = "{VALUE}"',
    f"'client_secret' => '{VALUE}'",
    f'{{"accessToken": "{VALUE}"}}',
    f"deploy --token {VALUE} --verbose",
    f"mysql --password={VALUE} -u bob",
    f"curl -u bob:{VALUE} https://a.example",
    f"postgres://bob:{VALUE}@db.example/shop",
    f"redis://:{VALUE}@cache:6379/0",
    f"amqp://bob:{VALUE}/x@queue",
    f"mongodb+srv://bob:p@{VALUE}@cluster.example/x",
    f"Authorization: Bearer {VALUE}",
    f"authorization: token {VALUE}",
    f"Authorization: Basic {VALUE}",
    f"Authorization: Digest username=bob, response={VALUE}",
    f'curl -H "X-Api-Key: {VALUE}"',
    f"Cookie: session={VALUE}; theme=dark",
    f"Set-Cookie: id={VALUE}; HttpOnly",
    f"Server=db;Database=shop;User Id=sa;Password={VALUE};Encrypt=true",
    f"Data Source=db;Uid=sa;Pwd={VALUE};",
    f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={VALUE}==;EndpointSuffix=core.windows.net",
    f"Endpoint=sb://a.example/;SharedAccessKeyName=Root;SharedAccessKey={VALUE}=",
    f"https://shop.blob.example/a?sv=2024&sig={VALUE}{VALUE}%3D",
    f"AWS_SECRET_ACCESS_KEY={VALUE}/{VALUE}",
    f"{BEGIN} RSA PRIVATE KEY-----\n{VALUE}\n",
    f"{BEGIN} OPENSSH PRIVATE KEY-----\n{VALUE}\n-----END OPENSSH PRIVATE KEY-----",
    f"{BEGIN} PGP PRIVATE KEY BLOCK-----\n{VALUE}\n",
    f"Pwd={VALUE};Server=db;Uid=bob",
    f"DB_PASS={VALUE} ./run",
    f"MYSQL_PWD={VALUE}",
    f'storePassword "{VALUE}"',
    f'keyPassword("{VALUE}")',
    f"keytool -list -storepass {VALUE}",
    f"openssl rsa -passin pass:{VALUE}",
    f"machine a.example login bob password {VALUE}",
    f"<server><password>{VALUE}</password></server>",
    f'<add key="Db:Password" value="{VALUE}" />',
    f'"{{\\"password\\": \\"{VALUE}\\"}}"',
    f"/login?body=%7B%22password%22%3A%22{VALUE}%22%7D",
    f"jdbc:oracle:thin:bob/{VALUE}@db:1521/x",
    f"client-key-data: {VALUE}",
    f"bob:$apr1$salt${VALUE}",
    f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 14\n{VALUE}\nPrivate-MAC: {VALUE}",
    f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{VALUE}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "PASSWORD=swordfish",
    "login failed with\n  password: swordfish\n",
]


@pytest.mark.parametrize("text", GIVEN)
@pytest.mark.parametrize("is_code", [True, False])
def test_a_secret_that_is_given_a_name_is_masked(text: str, *, is_code: bool) -> None:
    masked = mask_secrets(text, is_code=is_code)

    assert VALUE not in masked
    assert "swordfish" not in masked
    assert REDACTED in masked


HARMLESS = [
    "val token = lexer.next()",
    "fun login(password: String, token: String?) = Unit",
    "passwordField.text = name",
    "if (token == null) return",
    "tokens.map { it.secret }",
    "connect(user=user, password=password)",
    "SyntaxError: Unexpected token: punc (;)",
    "basic authentication is disabled",
    "Bearer authentication failed with 401",
    "fix 9fceb02d0ae598e95dc970b74767f19372d61af8 and 9fceb02",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "sha512-" + "A1b2C3d4E5f6G7h8" * 5 + "==",
    "at com.example.trailnotes.ui.NoteListFragment$refresh$1.invokeSuspend(A.kt:56)",
    "/usr/lib/python3.12/site-packages/django/core/handlers/base.py",
    "_ZN4core3fmt9Formatter12pad_integral17h0c5b1b1a2e3d4f5aE",
    "http://localhost:3000/@vite/client",
    "https://cdn.example.org/npm/react@18.2.0/index.js",
    "git@github.com:shop/app.git",
    "sk" + "-learn-contrib-something-long",
    "PWD=/srv/shop",
    "SyntaxError: Unexpected token 'export'",
    "PASS: test_shop",
    "compass = north, bypass=true",
    "val auth: FirebaseAuthenticationProvider",
    "if (pwd == null) return",
    "app/src/shop.py:12:5:error:missing",
    "md5_9e107d9d372bb6826bd81d3542a419d6.js",
    "interface Props { authorization: string }",
    "headers: { Authorization: `Bearer ${key}`, Accept: kind },",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "for (; tokens > 0; --tokens) {}",
    "AbstractSingletonProxyFactoryBeanWithMaxCompilerTokenCount2Exception",
    "TS2322 TypeError E0502 ORA-00942",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_code_and_traces_stay_as_they_are(text: str) -> None:
    assert mask_secrets(text, is_code=True) == text


def test_nothing_that_ships_looks_like_a_secret() -> None:
    base = Path(settings.BASE_DIR)
    files = [file for file in (base / "devassist" / "samples").rglob("*") if file.is_file()]
    changed: dict[str, str] = {}
    for file in files:
        text = file.read_text()
        masked = mask_secrets(text, is_code=True)
        lines = zip(text.split("\n"), masked.split("\n"), strict=False)
        changed |= {f"{file.relative_to(base)}: {now}": before for before, now in lines if before != now}

    assert changed == {}


@given(st.lists(st.sampled_from([*GIVEN, *SHAPES.values(), *HARMLESS, *PIECES]), max_size=4).map(" ".join))
def test_masked_text_is_masked_no_further(text: str) -> None:
    once = MaskedText(text)

    assert MaskedText(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "--token ",
        "a://b:",
        "--",
        "a-",
        "\\",
        '"',
        "token: '",
        "A1b",
        ":AA",
        "x-",
        "<token ",
        '="pwd" value=',
        "login a password ",
        "$5$",
        "PuTTY-User-Key-File-2:",
        "---- BEGIN PRIVATE KEY ----",
        "secret(",
        "token%3a",
        "a/1B+",
        "1a.B",
    ],
)
def test_masking_never_takes_long(piece: str) -> None:
    started = time.process_time()
    mask_secrets(piece * (100_000 // len(piece)))

    assert time.process_time() - started < 2.0
