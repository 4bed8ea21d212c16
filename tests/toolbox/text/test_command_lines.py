"""Secrets of command lines, sentences and password files are masked, and what is none stays."""

import re
import time
from pathlib import Path

import pytest

from toolbox.text import command_lines
from toolbox.text.redaction import REDACTED, mask_secrets

SAMPLES = [
    line
    for line in Path(__file__).with_name("masking_samples.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
]
TABLE = Path(command_lines.__file__).with_name("secret_options.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("is_code", [True, False])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_is_masked_where_it_says_and_nowhere_else(sample: str, *, is_code: bool) -> None:
    text = sample.replace("⟦", "").replace("⟧", "")

    masked = mask_secrets(text, is_code=is_code)

    assert masked == re.sub("⟦.*?⟧", lambda _: REDACTED, sample)
    assert mask_secrets(masked, is_code=is_code) == masked


FORM = re.compile(r"[-/][\w-]+\*?|ARG|<SECRET|password|key|(?:[-/][\w-]+[=:]?)?(?:USER[:/,%])?SECRET(?:@HOST)?")


@pytest.mark.parametrize("line", [line for line in TABLE if line.strip() and not line.startswith("#")])
def test_a_line_of_the_table_can_be_read(line: str) -> None:
    head, _, forms = line.partition(" :")

    assert re.fullmatch(r"[\w.,-]+(?: [\w.,*-]+)*", head)
    assert all(FORM.fullmatch(form) for form in forms.split()), forms


HOSTILE = [
    "curl -u a:b ", "'\"", '\\"', "-p ", "curl ", "mysql -p'", "echo x|", "\\\n", "sudo ( ", '"a b ', "-u a ", "|",
    "docker login ", "a\\", "password is ", "set password a ", "with token ", "a:1234:b:c:d", "/p:", "<<<", "a=\"",
    "identified by '",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_masking_never_takes_long(piece: str) -> None:
    started = time.process_time()
    mask_secrets(piece * (100_000 // len(piece)))

    assert time.process_time() - started < 2.0
