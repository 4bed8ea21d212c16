"""
JSON objects in which a name comes twice: readers differ in which of them they take, so neither is taken.

Whoever checks a message before us may have read the other one.
"""

import json
from collections import Counter
from typing import Any

MAX_NUMBER = 20
"""Python refuses to read numbers of thousands of digits; here nobody asks what they are."""


class DuplicateKey(ValueError):
    """A name comes twice in an object; its text is the name."""


def parse_json_strictly(text: bytes) -> Any:
    """
    Read JSON in which no name comes twice in any object; whole numbers of twenty digits and more come as 0.

    Raises NameTwice, or another ValueError or RecursionError where the text cannot be read.
    """
    return _decoder.decode(text.decode())


def find_duplicate_key(text: bytes) -> str | None:
    """Give a name that comes twice in an object; None also where the text cannot be read, which others then say."""
    try:
        parse_json_strictly(text)
    except DuplicateKey as twice:
        return str(twice)
    except (ValueError, RecursionError):
        pass
    return None


def may_have_duplicate_keys(text: bytes, *, names: int) -> bool:
    """Tell whether an object with so many different names may hold one twice; quick, for every name has its colon."""
    return text.count(b":") > names


def _checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise DuplicateKey(times.most_common(1)[0][0])
    return found


def _whole(digits: str) -> int:
    return int(digits) if len(digits) < MAX_NUMBER else 0


_decoder = json.JSONDecoder(object_pairs_hook=_checked, parse_int=_whole)
