"""Text of terminals, as a person sees it."""

import time

import pytest

from devassist.editor.terminal_text import last_lines, readable
from toolbox.text.redaction import mask_pem_blocks, mask_secrets

BEGIN = "-----" + "BEGIN"


def test_a_terminal_is_read_as_a_person_sees_it() -> None:
    sent = "\x1b]0;title\x07\x1b[1;31merror\x1b[0m: no\r\nprogress 10%\rprogress 100%\r\n\x00\x07rung\n\x1b[2K"

    assert readable(sent) == "error: no\nprogress 100%\nrung\n"


def test_the_last_fifty_lines_are_kept() -> None:
    kept = last_lines("\n".join(f"line {number}" for number in range(80)) + "\n\n\n").split("\n")

    assert (kept[0], kept[-1], len(kept)) == ("line 30", "line 79", 50)
    assert len(last_lines("x" * 5_000)) == 2_001


def test_a_key_whose_first_line_is_cut_off_is_masked_before() -> None:
    block = f"{BEGIN} PRIVATE KEY-----\n" + "c2VjcmV0\n" * 60 + "-----END PRIVATE KEY-----\ndone"

    assert last_lines(mask_pem_blocks(block)) == "[redacted]\ndone"


@pytest.mark.parametrize(
    "piece", ["\x1b[", "\x1b]", "password=", "--token ", "a://b:", "--", "a-", "\\", '"', "token: '"]
)
def test_masking_never_takes_long(piece: str) -> None:
    started = time.process_time()
    mask_secrets(readable(piece * (100_000 // len(piece))))

    assert time.process_time() - started < 2.0
