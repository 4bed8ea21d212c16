"""Functions that could make one text of a gigabyte: how long theirs may be, and must be sayable from the statement."""

import re
from typing import Any

from sprints.guard.least import bound
from sprints.guard.refused import Refused
from sprints.sql_vocabulary import GROWING, MAX_MADE_TEXT

_WIDE_FORMAT = re.compile(r"%[^%a-zA-Z]*(\d{5}|\*)")


def check_growth(call: Any, *, name: str) -> None:
    """
    Bound repeat, lpad, rpad and format; raises Refused.

    A length that is no number in the statement is bounded by rewriting it as LEAST(length, 10000).
    """
    if name in GROWING and len(call.args) > GROWING[name]:
        if name == "repeat" and call.args[0].WhichOneof("node") != "a_const":
            raise Refused(
                "repeat() takes a text written in the statement.",
                suggestion="Use repeat('#', n) with a literal first argument.",
            )
        _bound_length(call.args[GROWING[name]], name=name)
    elif name == "format" and call.args:
        _check_format(call.args[0])


def _bound_length(length: Any, *, name: str) -> None:
    if length.WhichOneof("node") == "a_const" and length.a_const.WhichOneof("val") == "ival":
        if length.a_const.ival.ival > MAX_MADE_TEXT:
            raise Refused(
                f"{name}() may make a text of at most {MAX_MADE_TEXT:,} characters.",
                suggestion=f"Use a number up to {MAX_MADE_TEXT}.",
            )
        return
    bound(length, most=MAX_MADE_TEXT)


def _check_format(text: Any) -> None:
    is_text = text.WhichOneof("node") == "a_const" and text.a_const.WhichOneof("val") == "sval"
    if not is_text or _WIDE_FORMAT.search(text.a_const.sval.sval):
        raise Refused(
            "format() takes a format written in the statement, with widths below 10,000.",
            suggestion="Use format('%s of %s', a, b) with a literal first argument, or concat().",
        )
